"""Gradients through quantized values are those of the papers: straight through inside the range, learned step sizes for the scales."""

import numpy as np
import onnx
import pytest

from artifacts_tool.forward import prepare
from artifacts_tool.gradient import differentiate
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.op_schemas import since_version
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.value_types import value_types
from pagetrain.errors import InvalidInputError
from pagetrain.graph import ELEMENT_TYPES, Graph, Model, Node, Tensor, TensorType, ValueInfo

from .projection import attribute, backward, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx

RNG = np.random.default_rng(5)
X = (RNG.normal(size=(3, 4, 6)) * 40).astype(np.float32)
U = RNG.normal(size=X.size).astype(np.float32)
EACH = np.array([0.5, 0.2, 0.3, 0.4], np.float32)
BLOCKS = np.abs(RNG.normal(size=(3, 2, 6))).astype(np.float32) / 4 + np.float32(0.2)

# note: (opset, scale, zero point, attributes)
SETTINGS = {
    "all": (10, np.array(0.3, np.float32), np.array(100, np.uint8), {}),
    "signed": (13, np.array(0.3, np.float32), np.array(-7, np.int8), {}),
    "no_zero_point": (13, np.array(0.3, np.float32), None, {}),
    "one": (19, np.array([0.3], np.float32), np.array([3], np.int8), {}),
    "each": (13, EACH, np.array([0, 5, -5, 90], np.int8), {"axis": 1}),
    "each_counted_back": (21, EACH, np.array([128, 5, 50, 200], np.uint8), {"axis": -2}),
    "wide": (21, np.array(0.002, np.float32), np.array(0, np.int16), {}),
    "blocks": (21, BLOCKS, np.full((3, 2, 6), 9, np.int8), {"axis": 1, "block_size": 2}),
    "newest": (28, EACH, np.array([128, 5, 50, 200], np.uint8), {"axis": 1}),
}


def pair(opset, scale, zero_point, attributes):
    """loss = u . dequantized(quantized(x))."""
    shared = {name: attribute(value) for name, value in attributes.items()}
    operands = ("scale", "zero") if zero_point is not None else ("scale",)
    nodes = [
        Node("QuantizeLinear", ("x", *operands), ("q",), "quantize", attributes=shared),
        Node("DequantizeLinear", ("q", *operands), ("y",), "dequantize", attributes=shared),
        Node("Reshape", ("y", "row"), ("flat",), "flatten"),
        Node("MatMul", ("flat", "u"), ("product",), "project"),
        Node("Reshape", ("product", "none"), ("loss",), "squeeze"),
    ]
    nodes = [Node(n.op_type, n.inputs, n.outputs, n.name, "", n.attributes, since_version(n.op_type, "", opset)) for n in nodes]
    constants = [Tensor("row", np.array([1, X.size])), Tensor("u", U[:, None]), Tensor("none", np.zeros(0, np.int64))]
    constants += [] if zero_point is None else [Tensor("zero", zero_point)]
    inputs = tuple(ValueInfo(name, TensorType(ELEMENT_TYPES[array.dtype], array.shape)) for name, array in (("x", X), ("scale", scale)))
    loss = (ValueInfo("loss", TensorType(ELEMENT_TYPES[X.dtype], ())),)
    return infer_types(Model(Graph("pair", tuple(nodes), inputs, loss, tuple(constants)), 8, {"": opset})).graph


def spread(values, attributes):
    """A scale or zero point in the shape of x."""
    if "block_size" in attributes:
        return np.repeat(values, attributes["block_size"], attributes["axis"])
    return np.broadcast_to(values[:, None] if np.size(values) > 1 else values, X.shape)


def expected(scale, zero_point, attributes):
    """(dx, dscale in the shape of x): straight through, and learned step size, of the papers."""
    dtype = np.uint8 if zero_point is None else zero_point.dtype
    zero = spread(0.0 if zero_point is None else zero_point.astype(np.float64), attributes)
    v, dY = X / spread(scale.astype(np.float64), attributes), U.reshape(X.shape)
    low, high = np.iinfo(dtype).min - zero, np.iinfo(dtype).max - zero
    inside = (np.rint(v) >= low) & (np.rint(v) <= high)
    return dY * inside, dY * np.where(inside, np.rint(v) - v, np.where(v < low, low, high))


@pytest.mark.parametrize("note", SETTINGS)
def test_gradients_are_those_of_the_papers(note):
    """By x, and by the scale, summed over what shares one."""
    opset, scale, zero_point, attributes = SETTINGS[note]
    names = ["x"] if note == "blocks" else ["x", "scale"]
    graph = backward(pair(*SETTINGS[note]), names, opset)
    found = run(graph, {"x": X, "scale": scale}, [f"{name}_grad" for name in names])
    dx, by_each = expected(scale, zero_point, attributes)
    assert 0 < (dx == 0).sum() < X.size, "some are cut off, some are not"
    np.testing.assert_allclose(found["x_grad"], dx, rtol=1e-5, atol=1e-6)  # float32: a product and a quotient by the scale
    if note != "blocks":
        dscale = by_each.sum((0, 2)) if np.size(scale) > 1 else by_each.sum().reshape(scale.shape)
        # The difference of round(v) and v: v is up to 400, in float32 right to 2e-5, and 72 of them are summed.
        np.testing.assert_allclose(found["scale_grad"], dscale, rtol=1e-4, atol=2e-3)


@pytest.mark.parametrize("note", SETTINGS)
def test_the_training_graph_is_valid_onnx(note):
    """What is emitted exists in the opset; the gradient of a quantized value is a float."""
    opset = SETTINGS[note][0]
    graph = pair(*SETTINGS[note])
    made = differentiate(graph, value_types(graph), ["x"], "loss", opset)
    known = (*graph.value_info, *(ValueInfo(name, type_) for name, type_ in made.types.items()))
    whole = Graph("whole", (*made.forward, *made.nodes), graph.inputs, graph.outputs, (*graph.initializers, *made.initializers), known)
    typed = infer_types(Model(whole, 8, {"": opset}))
    onnx.checker.check_model(proto_of(typed))
    assert value_types(typed.graph)["q_grad"].element.name == "FLOAT"


def test_what_cannot_be_trained_is_refused():
    """A scale for each block."""
    graph = pair(*SETTINGS["blocks"])
    with pytest.raises(InvalidInputError, match="a scale for each block"):
        differentiate(graph, value_types(graph), ["scale"], "loss", 21)


def test_dynamic_quantization_is_trained_through_its_body():
    """As above with the scale (max - min) / 255, by which the largest and the smallest x get a share of dscale."""
    nodes = (
        Node("DynamicQuantizeLinear", ("x",), ("q", "scale", "zero"), "quantize", since_version=11),
        Node("DequantizeLinear", ("q", "scale", "zero"), ("y",), "dequantize", since_version=13),
        Node("Mul", ("y", "u"), ("weighted",), "project", since_version=14),
        Node("ReduceSum", ("weighted",), ("loss",), "sum", attributes={"keepdims": attribute(0)}, since_version=13),
    )
    float_ = TensorType(ELEMENT_TYPES[X.dtype], X.shape)
    loss = (ValueInfo("loss", TensorType(ELEMENT_TYPES[X.dtype], ())),)
    graph = Graph("dynamic", nodes, (ValueInfo("x", float_),), loss, (Tensor("u", U.reshape(X.shape)),))
    whole = backward(infer_types(prepare(Model(graph, 8, {"": 17}))).graph, ["x"], 17)
    found = run(whole, {"x": X}, ["x_grad", "scale", "zero"])
    v = X / found["scale"].astype(np.float64)
    expected = U.reshape(X.shape).astype(np.float64)
    dscale = (expected * (np.rint(v) - v)).sum()
    expected[np.unravel_index(X.argmax(), X.shape)] += dscale / 255
    expected[np.unravel_index(X.argmin(), X.shape)] -= dscale / 255
    np.testing.assert_allclose(found["x_grad"], expected, rtol=1e-4, atol=1e-4)  # float32; v is up to 150
