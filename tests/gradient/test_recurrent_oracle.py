"""Recurrent ops as Scans: the same numbers as their kernels, and gradients that are the slopes."""

from dataclasses import replace

import numpy as np
import pytest

from artifacts_tool.recurrent import with_scans
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Attribute, AttributeType, Model, Node
from tests.cases import recurrent

from .projection import STEP, Case, backward, feeds_of, output_size, projected, run

pytestmark = pytest.mark.oracle
OPSETS = {7: 8, 14: 14, 22: 22}


def gradient_case(case):
    """By all inputs but sequence_lens."""
    inputs = [value if value is None or value.dtype != np.float32 else value.astype(np.float64) for value in case.inputs]
    wanted = tuple(place for place, value in enumerate(inputs) if value is not None and place != 4)
    attributes = {name: tuple(value) if isinstance(value, list) else value for name, value in case.attributes.items()}
    return Case(case.op_type, inputs, wanted, attributes, outputs=case.outputs, opset=OPSETS[case.since], note=case.name)


CASES = [gradient_case(case) for case in recurrent.CASES]


def turned(case):
    """The case with the batch first."""
    inputs = [np.swapaxes(x, 0, 1) if x is not None and place in (0, 5, 6) else x for place, x in enumerate(case.inputs)]
    return replace(case, inputs=inputs, attributes={**case.attributes, "layout": 1}, note=f"{case.note}_turned")


def symbolic(case):
    """The case with open sizes of steps and batch."""
    return replace(case, symbolic={0: ("T", "N", recurrent.SIZE)}, note=f"{case.note}_symbolic")


CASES += [turned(case) for case in CASES if case.note in ("everything", "bidirectional") and case.opset == 14]
CASES += [symbolic(case) for case in CASES if case.note in ("everything", "bidirectional", "peepholes") and case.opset == 14]


def subset(case, *places):
    """The case with these outputs alone, all of them seen by the loss."""
    return replace(case, seen=places, note=f"{case.note}_of_{places}")


for subset_of in [(1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
    CASES += [subset(case, *subset_of) for case in CASES if case.note in ("bidirectional", "peepholes") and case.outputs > subset_of[-1]]


def as_scans(graph, case, trained):
    """The graph with its recurrent node replaced, and its opset."""
    found = with_scans(Model(graph, 8, {"": case.opset}), trained, "loss")
    assert all(node.op_type not in ("RNN", "GRU", "LSTM") for node in found.graph.nodes)
    return found.graph, found.opset_import[""]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case}-opset{case.opset}")
def test_the_steps_give_the_op_and_its_gradient(case):
    """Every output equals the kernel's; the gradient by all inputs, projected, is the central difference."""
    rng = np.random.default_rng(0)
    graph = projected(case, rng.normal(size=output_size(case)))
    feeds, outputs = feeds_of(case), [f"y{place}" for place in case.seen or range(case.outputs)]
    names = [f"x{place}" for place in case.differentiable]
    steps, opset = as_scans(graph, case, names)
    expected, found = run(graph, feeds, outputs), run(steps, feeds, outputs)
    rtol = 1e-6 if case.note == "others" else 1e-12  # the op has 0.2 for HardSigmoid, whose attribute holds it as float32
    for name in outputs:
        np.testing.assert_allclose(found[name], expected[name], rtol=rtol, atol=1e-14)
    gradients = run(backward(steps, names, opset), feeds, [f"{name}_grad" for name in names])
    direction = {name: rng.normal(size=feeds[name].shape) for name in names}
    ahead, behind = (
        run(steps, {n: feeds[n] + sign * STEP * direction[n] if n in direction else feeds[n] for n in feeds}, ["loss"])["loss"]
        for sign in (1, -1)
    )
    along = sum(np.vdot(gradients[f"{name}_grad"], direction[name]) for name in names)
    # as in projection.check: differences of float64 values are good to about 1e-9
    np.testing.assert_allclose(along, (ahead - behind) / (2 * STEP), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("place", [0, 1, 2, 3, 5, 6, 7])
def test_one_input_alone_can_be_differentiated_by(place):
    """What the others would need is not calculated; X is what the layers before it train by."""
    (case,) = (replace(case, differentiable=(place,)) for case in CASES if case.note == "peepholes")
    test_the_steps_give_the_op_and_its_gradient(case)


@pytest.mark.parametrize("opset", [7, 8])
def test_a_model_of_an_opset_before_scan_becomes_one_of_opset_9(opset):
    """Its other nodes with it, each of the version that opset 9 means."""
    case = replace(next(case for case in CASES if case.note == "everything"), opset=opset)
    found = with_scans(Model(projected(case, np.ones(output_size(case))), 8, {"": opset}), ["x1"], "loss")
    assert found.opset_import == {"": 9}
    assert {node.op_type: node.since_version for node in found.graph.nodes if node.op_type in ("Scan", "MatMul")} == {
        "Scan": 9,
        "MatMul": 9,
    }


@pytest.mark.parametrize(
    "changed",
    [
        Node("Upsample", ("x0",), ("z",), "up", since_version=7),
        Node("BatchNormalization", ("x0",) * 5, ("z",), "up", attributes={"spatial": Attribute(AttributeType.INT, 0)}, since_version=7),
    ],
    ids=lambda node: node.op_type,
)
def test_what_means_something_else_in_opset_9_is_refused(changed):
    """By name, with what to do."""
    case = replace(next(case for case in CASES if case.note == "everything"), opset=8)
    graph = projected(case, np.ones(output_size(case)))
    model = Model(replace(graph, nodes=(*graph.nodes, changed)), 8, {"": 8})
    with pytest.raises(InvalidInputError, match=f"{changed.op_type} 'up' and a recurrent op in one model of opset 8"):
        with_scans(model, ["x1"], "loss")


def test_a_state_of_unknown_size_is_refused():
    """By name, with what to do."""
    case = replace(next(case for case in CASES if case.note == "plain"), symbolic={2: (1, None, None)})
    case = replace(case, attributes={})
    graph = projected(case, np.ones(output_size(case)))
    with pytest.raises(InvalidInputError, match=f"{case.op_type} 'node' cannot be trained without hidden_size"):
        with_scans(Model(graph, 8, {"": case.opset}), ["x1"], "loss")


def test_without_a_trained_value_the_op_stays():
    """So do those that the loss does not see."""
    (case,) = (case for case in CASES if case.note == "peepholes")
    model = Model(projected(case, np.ones(output_size(case))), 8, {"": 14})
    assert with_scans(model, ["u"], "loss") is model
    assert with_scans(model, ["x1"], "x0") is model
