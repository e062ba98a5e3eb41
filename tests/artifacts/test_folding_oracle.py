"""Weights and shapes as exporters really write them: constants folded, types completed, parameters found wherever they stand."""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType
from artifacts_tool.folding import MOST_ELEMENTS, fold_constants
from artifacts_tool.forward import prepare
from artifacts_tool.generate import build
from artifacts_tool.more_types import further_types
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.proto_reader import model_of
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.value_types import value_types
from pagetrain.graph import ElementType, Graph, Node, Tensor, TensorType, ValueInfo

pytestmark = pytest.mark.oracle

W = np.arange(6, dtype=np.float32).reshape(2, 3)


def model(nodes, tensors=(), shape=("N", 2), output=("N", 3), opset=17, ir=8, inputs=()):
    values = [helper.make_tensor_value_info(name, 1, size) for name, size in (("x", shape), ("y", output))]
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in tensors]
    graph = helper.make_graph(nodes, "g", [values[0], *inputs], values[1:], tensors)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 1)]
    return model_of(helper.make_model(graph, opset_imports=imports, ir_version=ir))


def trained(made, *names):
    return [parameter.name for parameter in build(made, names, [], LossType.MSELoss, None).parameters]


def product(weight):
    return helper.make_node("MatMul", ["x", weight], ["y"])


def test_a_weight_may_be_a_constant_node():
    """Its name is that of the node's output."""
    constant = helper.make_node("Constant", [], ["w"], value=onnx.numpy_helper.from_array(W))
    assert trained(model([constant, product("w")]), "w") == ["w"]


def test_a_weight_may_be_behind_an_identity_or_a_transpose():
    """By its own name the way back leads through the node; by the name behind it the node is folded."""
    for node, array in (("Identity", W), ("Transpose", W.T.copy())):
        made = model([helper.make_node(node, ["w"], ["seen"]), product("seen")], [("w", array)])
        assert trained(made, "w") == ["w"]
        artifacts = build(made, ["seen"], [], LossType.MSELoss, None)
        assert np.array_equal(artifacts.parameters[0].tensor.data, W)
        assert not {"w", "seen"} & {tensor.name for tensor in artifacts.training_model.graph.initializers}


def test_initializers_among_the_inputs_are_weights():
    """As models of IR version 3 must have them."""
    listed = helper.make_tensor_value_info("w", 1, [2, 3])
    made = model([product("w")], [("w", W)], ir=3, inputs=[listed], opset=8)
    artifacts = build(made, ["w"], [], LossType.MSELoss, None)
    assert [value.name for value in artifacts.eval_model.graph.inputs] == ["x", "target", "w"]
    onnx.checker.check_model(proto_of(artifacts.training_model), full_check=True)


def test_shapes_that_are_calculated_from_constants_are_folded():
    """Concat and Cast of constants are gone, and the reshaped value has a shape."""
    nodes = [
        helper.make_node("Cast", ["a"], ["b"], to=TensorProto.INT64),
        helper.make_node("Concat", ["c", "b"], ["s"], axis=0),
        helper.make_node("Reshape", ["x", "s"], ["y"]),
    ]
    constants = [("a", np.array([2], np.int32)), ("c", np.array([-1]))]
    graph = prepare(model(nodes, constants, output=("M", 2))).graph
    assert [node.op_type for node in graph.nodes] == ["Reshape"]
    assert {tensor.name: tensor.data.tolist() for tensor in graph.initializers} == {"s": [-1, 2]}


def test_parameters_are_no_constants():
    """What is computed from a weight that is to be trained stays in the graph."""
    made = model([helper.make_node("Neg", ["w"], ["n"]), product("n")], [("w", W)])
    assert [node.op_type for node in prepare(made, ["w"]).graph.nodes] == ["Neg", "MatMul"]
    assert [node.op_type for node in prepare(made).graph.nodes] == ["MatMul"]


def test_chance_and_huge_results_are_not_folded():
    """A random value is another at each run, a dropout's too; a file of some bytes cannot ask for gigabytes."""
    huge = [("s", np.array([MOST_ELEMENTS, 2])), ("one", np.ones(1, np.float32)), ("n", np.array([1 << 40])), ("on", np.array(True))]
    for node in (
        helper.make_node("RandomNormal", [], ["r"], shape=[2, 3]),
        helper.make_node("ConstantOfShape", ["s"], ["r"]),
        helper.make_node("Expand", ["one", "s"], ["r"]),
        helper.make_node("Tile", ["one", "n"], ["r"]),
        helper.make_node("Dropout", ["one", "", "on"], ["r"]),
    ):
        assert prepare(model([node, product("r")], huge)).graph.nodes[0].op_type == node.op_type


def test_a_reshape_by_calculated_sizes_is_typed():
    """As channel shuffling has it: batch and sizes taken from Shape, channels divided."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        *(helper.make_node("Gather", ["s", f"i{i}"], [f"d{i}"]) for i in range(4)),
        helper.make_node("Div", ["d1", "two"], ["half"]),
        *(helper.make_node("Unsqueeze", [name, "zero"], [f"u_{name}"]) for name in ("d0", "half", "d2", "d3")),
        helper.make_node("Concat", ["u_d0", "groups", "u_half", "u_d2", "u_d3"], ["sizes"], axis=0),
        helper.make_node("Reshape", ["x", "sizes"], ["r"]),
        helper.make_node("ReduceSum", ["r", "all"], ["y"]),
    ]
    constants = [("two", np.array(2)), ("zero", np.array([0])), ("groups", np.array([2])), ("all", np.array([1, 2, 3, 4]))]
    constants += [(f"i{i}", np.array(i)) for i in range(4)]
    made = infer_types(prepare(model(nodes, constants, ("N", 6, 5, 4), ("N", 1, 1, 1, 1))))
    batch, groups, _, *picture = value_types(made.graph)["r"].shape  # the third is 3, or a name if ONNX's own inference was first
    assert (batch, groups, picture) == ("N", 2, [5, 4])


@pytest.mark.parametrize(
    "sizes,expected",
    [
        ([0, -1], ("N", 12)),
        ([-1, 12], ("N", 12)),
        ([2, -1], (2, None)),
        ([-1, 2, 6], ("N", 2, 6)),
        ([3, -1, 0], (3, "N", 4)),
        ([5, -1], (5, None)),
    ],
)
def test_open_sizes_of_a_reshape(sizes, expected):
    """A size is a number or a name where it must be so, else open."""
    typed = Graph(
        "g",
        (Node("Concat", tuple(f"c{i}" for i in range(len(sizes))), ("s",)), Node("Reshape", ("x", "s"), ("y",))),
        (ValueInfo("x", TensorType(ElementType.FLOAT, ("N", 3, 4))),),
        (),
        tuple(Tensor(f"c{i}", np.array([size])) for i, size in enumerate(sizes)),
    )
    (found,) = further_types(typed)
    assert found == ValueInfo("y", TensorType(ElementType.FLOAT, expected))


@pytest.mark.parametrize(
    "starts,ends,axes,steps,expected",
    [
        ([1], [3], [1], [1], ("N", 2, 4)),
        ([0, -2], [9, 1 << 62], [1, 2], [1, 1], ("N", 3, 2)),
        ([-1], [-(1 << 62)], [-1], [-2], ("N", 3, 2)),
        ([0], [1], [0], [1], (None, 3, 4)),
    ],
)
def test_sizes_of_a_slice(starts, ends, axes, steps, expected):
    """Bounds as Python's; a size whose own is open stays open."""
    bounds = (starts, ends, axes, steps)
    typed = Graph(
        "g",
        (Node("Slice", ("x", "b0", "b1", "b2", "b3"), ("y",)),),
        (ValueInfo("x", TensorType(ElementType.FLOAT, ("N", 3, 4))),),
        (),
        tuple(Tensor(f"b{i}", np.array(values)) for i, values in enumerate(bounds)),
    )
    assert further_types(typed) == (ValueInfo("y", TensorType(ElementType.FLOAT, expected)),)


def test_minus_one_and_a_question_mark_are_open_sizes():
    """Some exporters write them into the shape."""
    made = model([product("w")], [("w", W)], shape=(-1, 2), output=("?", 3))
    assert (made.graph.inputs[0].type.shape, made.graph.outputs[0].type.shape) == ((None, 2), (None, 3))


def test_scalers_keep_the_shape():
    """ai.onnx.ml ops, which ONNX's inference leaves untyped."""
    nodes = [helper.make_node("Scaler", ["x"], ["z"], domain="ai.onnx.ml", offset=[0.0, 1.0], scale=[1.0, 2.0]), product("w")]
    nodes[1].input[0] = "z"
    assert trained(model(nodes, [("w", W)]), "w") == ["w"]


def test_folding_makes_a_limited_number_of_bytes():
    """Transposed weights are computed until the limit is reached, the rest stays as it was; a parameter behind one is computed always."""
    large = np.zeros((1 << 12, 1 << 13), np.float32)  # 128 MiB that are never touched
    nodes = [helper.make_node("Neg", [f"a{i}"], [f"b{i}"]) for i in range(5)]
    nodes += [helper.make_node("Reshape", [f"b{i}", "s"], [f"c{i}"]) for i in range(5)]
    graph = model([*nodes, product("w")], [("w", W), ("s", np.array([-1]))]).graph
    graph = replace(graph, initializers=(*graph.initializers, *(Tensor(f"a{i}", large) for i in range(5))))
    folded = fold_constants(graph, frozenset({"b4"}))
    assert [node.outputs[0] for node in folded.nodes] == ["b2", "b3", "c2", "c3", "c4", "y"]


@pytest.mark.parametrize("view", ["Identity", "Flatten", "Reshape", "Squeeze", "Unsqueeze"])
def test_views_of_large_weights_are_folded_without_a_copy(view):
    """The memory is the weight's."""
    large = np.zeros((1 << 13, 1, 1 << 15), np.float32)  # 1 GiB that is never touched
    node = helper.make_node(view, ["a"] if view in ("Identity", "Flatten") else ["a", "s"], ["c"])
    graph = model([node, product("w")], [("w", W), ("s", np.array([1]) if view != "Reshape" else np.array([-1, 1]))]).graph
    graph = replace(graph, initializers=(*graph.initializers, Tensor("a", large)))
    graph = replace(graph, nodes=(*graph.nodes, Node("MatMul", ("c", "c"), ("d",))))
    (found,) = (tensor for tensor in fold_constants(graph, frozenset()).initializers if tensor.name == "c")
    assert np.shares_memory(found.data, large)
