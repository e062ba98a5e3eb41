"""InferenceSession: onnxruntime's manners. What onnxruntime itself says of the same models: test_inference_session_oracle.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pagetrain import InferenceSession
from pagetrain.errors import InvalidInputError, ShapeMismatchError, UnsupportedOpError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo
from tests.api.golden import TRACES, Golden, assert_close

FLOATS = TensorType(ElementType.FLOAT, ("N", 3))
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _model(**metadata: str) -> Model:
    """y = x * w, z = x, n = the shape of x; w may be overridden."""
    nodes = (
        Node("Mul", ("x", "w"), ("y",), since_version=14),
        Node("Identity", ("x",), ("z",), since_version=14),
        Node("Shape", ("x",), ("n",), since_version=13),
    )
    inputs = (ValueInfo("x", FLOATS), ValueInfo("w", TensorType(ElementType.FLOAT, (1,))))
    outputs = (ValueInfo("y", FLOATS), ValueInfo("z", FLOATS), ValueInfo("n", TensorType(ElementType.INT64)))
    graph = Graph("g", nodes, inputs, outputs, (Tensor("w", np.array([2], np.float32)),), doc_string="of the graph")
    return Model(graph, 8, {"": 17}, "maker", "1", metadata, "of the model")


def test_outputs_come_in_the_order_asked_for() -> None:
    """None and [] ask for all."""
    session = InferenceSession(_model())
    for names in (None, []):
        y, z, n = session.run(names, {"x": X})
        np.testing.assert_array_equal(y, 2 * X)
        np.testing.assert_array_equal(z, X)
        assert n.tolist() == [2, 3]
    z, y = session.run(["z", "y"], {"x": X})
    np.testing.assert_array_equal(y, 2 * z)


def test_results_belong_to_the_caller() -> None:
    """Writing into one changes neither the feed nor the next result."""
    session, given = InferenceSession(_model()), X.copy()
    for name in ("y", "z", "n"):
        (result,) = session.run([name], {"x": given})
        before = result.copy()
        result[...] = -1
        np.testing.assert_array_equal(given, X)
        np.testing.assert_array_equal(session.run([name], {"x": given})[0], before)


def test_an_initializer_that_is_an_input_may_be_overridden() -> None:
    """For that call alone."""
    session = InferenceSession(_model())
    for weight, factor in ((np.array([5], np.float32), 5), (None, 2)):
        feed = {"x": X} if weight is None else {"x": X, "w": weight}
        np.testing.assert_array_equal(session.run(["y"], feed)[0], factor * X)


def test_it_says_what_the_model_is() -> None:
    """Inputs, outputs, metadata, providers."""
    session = InferenceSession(
        _model(key="value"), sess_options=object(), providers=["CUDAExecutionProvider", ("CPUExecutionProvider", {})]
    )
    assert [(one.name, one.type, one.shape) for one in session.get_inputs()] == [("x", "tensor(float)", ["N", 3])]
    assert [one.name for one in session.get_overridable_initializers()] == ["w"]
    assert [(one.name, one.type, one.shape) for one in session.get_outputs()][1:] == [
        ("z", "tensor(float)", ["N", 3]),
        ("n", "tensor(int64)", [2]),
    ]
    found = session.get_modelmeta()
    assert (found.producer_name, found.graph_name, found.description, found.graph_description) == (
        "maker",
        "g",
        "of the model",
        "of the graph",
    )
    assert found.custom_metadata_map == {"key": "value"}
    assert (found.domain, found.version) == ("", 2**63 - 1)
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_shapes_of_outputs_are_followed_from_the_inputs() -> None:
    """A size that is an input's by its name, a sum of two as unknown, and what the model declares as it stands."""
    open_ended = TensorType(ElementType.FLOAT)
    x, y = (ValueInfo(name, TensorType(ElementType.FLOAT, (size, None, 3))) for name, size in (("x", "A"), ("y", "B")))
    nodes = (
        Node("Concat", ("x", "y"), ("joined",), attributes={"axis": Attribute(AttributeType.INT, 0)}, since_version=13),
        Node("Concat", ("x", "x"), ("wide",), attributes={"axis": Attribute(AttributeType.INT, 2)}, since_version=13),
        Node("Relu", ("x",), ("named",), since_version=14),
    )
    outputs = [ValueInfo("joined", open_ended), ValueInfo("wide", open_ended)]
    outputs.append(ValueInfo("named", TensorType(ElementType.FLOAT, ("rows", None, None))))
    session = InferenceSession(Model(Graph("g", nodes, (x, y), tuple(outputs)), 8, {"": 17}))
    assert [one.shape for one in session.get_outputs()] == [[None, None, 3], ["A", None, 6], ["rows", None, 3]]


@pytest.mark.parametrize(
    "names, feed, told",
    [
        (["q"], {"x": X}, r"no outputs named \['q'\]; its outputs are \['y', 'z', 'n'\]"),
        ("y", {"x": X}, "the text 'y'"),
        (None, {}, r"missing: \['x'\]"),
        (None, {"x": X, "q": X}, r"unknown: \['q'\]"),
        (None, {"x": X.astype(float)}, "Input 'x' must be float32, got float64"),
        (None, {"x": X.astype(">f4")}, "Input 'x' must be float32, got >f4"),
        (None, {"x": [[1e300, 0, 0]]}, "Input 'x' must be float32, got float64"),
        (None, {"x": [["a", "b", "c"]]}, "Input 'x' must be float32, got <U1"),
        (None, {"x": [[1], [2, 3]]}, "Input 'x' must be an array, and is none"),
        (None, {"x": None}, "Input 'x' must be float32, got object"),
        (None, [X], r"as \{name: array\}, got list"),
        (None, None, r"as \{name: array\}, got NoneType"),
    ],
)
def test_wrong_names_and_types_are_told(names: Any, feed: Any, told: str) -> None:
    """Each with what was expected and what came. onnxruntime reads big-endian arrays as if they were little-endian."""
    with pytest.raises(InvalidInputError, match=told):
        InferenceSession(_model()).run(names, feed)


def test_lists_of_numbers_get_the_input_s_type() -> None:
    """As in onnxruntime, which takes 1.5 for an integer, too; here a list is refused that the type does not hold."""
    kinds = {"f": ElementType.FLOAT, "i": ElementType.INT32, "u": ElementType.UINT8}
    values = tuple(ValueInfo(name, TensorType(kind, (2,))) for name, kind in kinds.items())
    nodes = tuple(Node("Identity", (name,), (f"{name}2",), since_version=14) for name in kinds)
    session = InferenceSession(Model(Graph("g", nodes, values, tuple(replace(one, name=f"{one.name}2") for one in values)), 8, {"": 17}))
    results = session.run(None, {"f": [1, 2.5], "i": (3, True), "u": [np.int64(255), 0.0]})
    assert [(one.dtype.name, one.tolist()) for one in results] == [("float32", [1, 2.5]), ("int32", [3, 1]), ("uint8", [255, 0])]
    for wrong in ({"i": [0, 1.5]}, {"i": [0, 2**31]}, {"u": [-1, 0]}, {"u": [0, 256]}, {"i": [0, np.nan]}):
        with pytest.raises(InvalidInputError, match=r"must be u?int"):
            session.run(None, {"f": [0, 0], "i": [0, 0], "u": [0, 0], **wrong})


def test_wrong_shapes_are_told() -> None:
    """Rank and size."""
    session = InferenceSession(_model())
    for shape, told in (((3,), r"2 axes, \(N, 3\), got shape \(3,\)"), ((2, 4), "axis 1 is 4 instead of 3")):
        with pytest.raises(ShapeMismatchError, match=told):
            session.run(None, {"x": np.zeros(shape, np.float32)})


def test_what_cannot_run_is_refused_when_the_session_is_made() -> None:
    """Unknown ops all at once, and providers without the CPU."""
    nodes = tuple(Node(op, ("x",), (op,), domain="own") for op in ("One", "Two"))
    graph = Graph("g", nodes, (ValueInfo("x", FLOATS),), tuple(ValueInfo(node.op_type, None) for node in nodes))
    with pytest.raises(UnsupportedOpError, match="own:One:1, own:Two:1"):
        InferenceSession(Model(graph, 8, {"": 17, "own": 1}))
    with pytest.raises(InvalidInputError, match=r"CUDAExecutionProvider.*add"):
        InferenceSession(_model(), providers=["CUDAExecutionProvider"])


def test_sequences_are_lists_of_arrays() -> None:
    """As the optimizer graph's lists of parameters."""
    session = InferenceSession(Golden("mlp_mse_sgd").path("optimizer_model.onnx"))
    assert [one.type for one in session.get_inputs()] == ["tensor(float)", "tensor(int64)", *["seq(tensor(float))"] * 3]
    lists = [[np.ones((2, 3), np.float32), np.ones(3, np.float32)] for _ in range(3)]
    feeds = [np.array([0.1], np.float32), np.array([1], np.int64), *lists]
    (updated,) = session.run(None, dict(zip([one.name for one in session.get_inputs()], feeds, strict=True)))
    assert updated.all()
    wrong = [*feeds[:2], [X, X.astype(float)], *lists[1:]]
    with pytest.raises(InvalidInputError, match="Item 1 of input 'params' must be float32"):
        session.run(None, dict(zip([one.name for one in session.get_inputs()], wrong, strict=True)))


def test_initializers_among_the_inputs_of_old_models_are_constants() -> None:
    """Before IR version 4 all of them were listed there."""
    session = InferenceSession(replace(_model(), ir_version=3))
    assert session.get_overridable_initializers() == []
    with pytest.raises(InvalidInputError, match=r"unknown: \['w'\]"):
        session.run(["y"], {"x": X, "w": np.array([5], np.float32)})


@pytest.mark.parametrize("suffix", ["ort", "onnx"])
@pytest.mark.parametrize("name", TRACES)
def test_files_of_both_formats_run(name: str, suffix: str) -> None:
    """The eval models of ONNX Runtime's own artifacts: parameters and batch fed by name, the loss comes out."""
    golden = Golden(name)
    session = InferenceSession(str(golden.path(f"eval_model.{suffix}")))
    parameters = {name: parameter.data for name, parameter in golden.trainer()[0].state.parameters}
    inputs = [one.name for one in session.get_inputs()]
    feeds = {**golden.feeds(0), **parameters}
    (loss,) = session.run([golden.meta["outputs"][0]], {name: feeds[name] for name in inputs})
    assert_close(loss, golden.trace["eval_loss_before"])
