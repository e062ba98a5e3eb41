"""Recurrent ops written out: the same numbers as their kernels, and gradients that are the slopes."""

from dataclasses import replace

import numpy as np
import pytest

from artifacts_tool.unroll import unrolled
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Model
from tests.cases import recurrent

from .projection import STEP, Case, backward, feeds_of, output_size, projected, run

pytestmark = pytest.mark.oracle
REFUSED = {"clip", "activation_alpha", "sequence_lens"}


def gradient_case(case, opset):
    inputs = [value if value is None or value.dtype != np.float32 else value.astype(np.float64) for value in case.inputs]
    wanted = tuple(place for place, value in enumerate(inputs) if value is not None)
    attributes = {name: tuple(value) if isinstance(value, list) else value for name, value in case.attributes.items()}
    return Case(case.op_type, inputs, wanted, attributes, outputs=case.outputs, opset=opset, note=case.name)


def without_lengths(case):
    return replace(case, inputs=[value if place != 4 else None for place, value in enumerate(case.inputs)])


def is_supported(case):
    functions = set(case.attributes.get("activations", ())) - {"Relu", "Tanh", "Sigmoid", "Softplus", "Softsign"}
    return not functions and REFUSED.isdisjoint(case.attributes)


OPSETS = {7: 9, 14: 14, 22: 22}
CASES = [gradient_case(without_lengths(case), OPSETS[case.since]) for case in recurrent.CASES if is_supported(case)]


def turned(case):
    """The case with the batch first."""
    inputs = [np.swapaxes(x, 0, 1) if x is not None and place in (0, 5, 6) else x for place, x in enumerate(case.inputs)]
    return replace(case, inputs=inputs, attributes={**case.attributes, "layout": 1}, note=f"{case.note}_turned")


CASES += [turned(case) for case in CASES if case.note in ("everything", "bidirectional") and case.opset == 14]


def written_out(graph, case):
    """The graph with its recurrent node replaced."""
    found = unrolled(Model(graph, 8, {"": case.opset}), [f"x{place}" for place in case.differentiable]).graph
    assert all(node.op_type not in ("RNN", "GRU", "LSTM") for node in found.nodes)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case}-opset{case.opset}")
def test_the_steps_give_the_op_and_its_gradient(case):
    """Every output equals the kernel's; the gradient by all inputs, projected, is the central difference."""
    rng = np.random.default_rng(0)
    graph = projected(case, rng.normal(size=output_size(case)))
    feeds, outputs = feeds_of(case), [f"y{place}" for place in range(case.outputs)]
    steps = written_out(graph, case)
    expected, found = run(graph, feeds, outputs), run(steps, feeds, outputs)
    for name in outputs:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-14)
    names = [f"x{place}" for place in case.differentiable]
    gradients = run(backward(steps, names, case.opset), feeds, [f"{name}_grad" for name in names])
    direction = {name: rng.normal(size=feeds[name].shape) for name in names}
    ahead, behind = (run(graph, {n: feeds[n] + sign * STEP * direction[n] for n in feeds}, ["loss"])["loss"] for sign in (1, -1))
    along = sum(np.vdot(gradients[f"{name}_grad"], direction[name]) for name in names)
    # as in projection.check: differences of float64 values are good to about 1e-9
    np.testing.assert_allclose(along, (ahead - behind) / (2 * STEP), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    "case, message",
    [
        (gradient_case(recurrent.case("lengths", "GRU", "Bl"), 14), "sequence_lens"),
        (gradient_case(recurrent.case("clip", "LSTM", clip=0.5), 14), "clip"),
        (gradient_case(recurrent.case("elu", "RNN", activations=["Elu"]), 14), "Elu"),
        (replace(gradient_case(recurrent.case("open", "LSTM"), 14), symbolic={0: ("T", 3, 4)}), "open number of steps"),
    ],
    ids=lambda value: str(value),
)
def test_what_cannot_be_written_out_is_refused(case, message):
    """By name, with what to do."""
    graph = projected(case, np.ones(output_size(case)))
    with pytest.raises(InvalidInputError, match=message):
        unrolled(Model(graph, 8, {"": case.opset}), ["x1"])
