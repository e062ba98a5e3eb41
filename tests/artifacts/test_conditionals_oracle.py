"""artifacts_tool.conditionals: models without If compute what onnxruntime computes with it, and can be trained."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType
from artifacts_tool.conditionals import without_conditionals
from artifacts_tool.forward import lift_constants
from artifacts_tool.generate import build
from artifacts_tool.proto_reader import model_of
from pagetrain import executor
from pagetrain.plan import bind

pytestmark = pytest.mark.oracle

W = np.random.default_rng(2).normal(size=(3, 3)).astype(np.float32)


def branch(name, *nodes, shape=("N", 3), constants=()):
    output = helper.make_tensor_value_info(nodes[-1].output[0], 1, shape)
    return helper.make_graph(list(nodes), name, [], [output], [onnx.numpy_helper.from_array(np.float32(v), n) for n, v in constants])


def node(op_type, inputs, output, **attributes):
    return helper.make_node(op_type, inputs.split(), [output], op_type.lower(), **attributes)


def model(before, then, other, inputs=()):
    """y = If(c, then, other) w."""
    x, y = (helper.make_tensor_value_info(name, 1, ["N", 3]) for name in ("x", "y"))
    nodes = [*before, node("If", "c", "r", then_branch=then, else_branch=other), node("MatMul", "r w", "y")]
    constants = {"w": W, "two": np.array(2), "zero": np.array([0]), "one": np.array([1])}
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", [x, *inputs], [y], tensors)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(proto)
    return proto


TANH = branch("then", node("Tanh", "x", "v"))
SHIFTED = branch("else", node("Add", "x k", "u"), node("Mul", "u u", "v"), constants=[("k", [1, 2, 3])])
BATCH = [node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Greater", "n two", "c")]
CHANNELS = [BATCH[0], node("Gather", "s one", "n"), BATCH[2]]
GIVEN = [helper.make_tensor_value_info("c", TensorProto.BOOL, [])]


def same(proto, feeds):
    """Our graph without If against onnxruntime's with it."""
    made = without_conditionals(lift_constants(model_of(proto)))
    (ours,) = executor.run(bind(made.graph), feeds).values()
    (theirs,) = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)  # float32 in another order
    return [one.op_type for one in made.graph.nodes]


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_condition_on_the_batch_computes_both_branches(rows):
    """Where chooses at run time."""
    ops = same(model(BATCH, TANH, SHIFTED), {"x": np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)})
    assert "If" not in ops
    assert "Where" in ops


@pytest.mark.parametrize("value", [True, False])
def test_a_condition_that_is_an_input(value):
    """As with a flag that the caller gives."""
    same(model([], TANH, SHIFTED, GIVEN), {"x": np.ones((2, 3), np.float32), "c": np.array(value)})


def test_a_condition_on_a_known_size_takes_its_branch():
    """The other one is gone."""
    ops = same(model(CHANNELS, TANH, SHIFTED), {"x": np.ones((2, 3), np.float32)})
    assert "Tanh" in ops
    assert not {"If", "Where", "Add"} & set(ops)


def test_nested_conditions_with_equal_inner_names():
    """Both branches and what they hold may use the same names; captured values stay who they are."""
    inner = node("If", "c", "v", then_branch=TANH, else_branch=SHIFTED)
    outer = branch("then", inner)
    for value in (True, False):
        ops = same(model([], outer, outer, GIVEN), {"x": np.full((2, 3), 0.5, np.float32), "c": np.array(value)})
        assert "If" not in ops


def test_branches_of_different_shapes_stay():
    """Where would stretch one of them; an If beside it goes."""
    row = branch("else", node("ReduceSum", "x zero", "v"), shape=(1, 3))
    made = model_of(model([], TANH, row, GIVEN))
    assert without_conditionals(made) == made
    first = helper.make_node("If", ["c"], ["x1"], "first", then_branch=TANH, else_branch=SHIFTED)
    then, other = branch("then", node("Tanh", "x1", "v")), branch("else", node("ReduceSum", "x1 zero", "v"), shape=(1, 3))
    for value in (True, False):
        ops = same(model([first], then, other, GIVEN), {"x": np.ones((2, 3), np.float32), "c": np.array(value)})
        assert ops.count("If") == 1
        assert ops.count("Where") == 1


def test_a_condition_inside_that_stays_keeps_the_one_around_it():
    """Computed without need, an inner branch might fail: here it would take an axis of size 2 away."""
    squeezed = branch("else", node("Squeeze", "x1 zero", "u"), node("Unsqueeze", "u zero", "v"), shape=(1, 3))
    inner = node("If", "c", "v", then_branch=branch("then", node("Relu", "x1", "v")), else_branch=squeezed)
    outer, first = branch("outer", inner), node("Tanh", "x", "x1")
    for value in (True, False):
        feeds = {"x": np.ones((2, 3), np.float32), "c": np.array(value)}
        assert same(model([first], outer, TANH, GIVEN), feeds).count("If") == 1


def test_constants_of_a_branch_that_stays_are_its_initializers():
    """There is no kernel for Constant; the writer of .ort files wants none either."""
    constant = node("Constant", "", "k", value=onnx.numpy_helper.from_array(np.ones((1, 3), np.float32)))
    made = model([], TANH, branch("else", constant, node("Neg", "k", "v"), shape=(1, 3)), GIVEN)
    for value in (True, False):
        assert "If" in same(made, {"x": np.ones((2, 3), np.float32), "c": np.array(value)})


def test_the_weight_of_a_convolution_says_its_rank():
    """Behind an If with branches of different ranks nothing else does; here it decides the next condition, whose branches differ too."""
    shapes = {"image": [1, 1, 4, 4], "flat": [4, 4]}
    branches = [
        helper.make_graph(
            [node("Reshape", f"x {name}", "v")],
            name,
            [],
            [helper.make_tensor_value_info("v", 1, size)],
            [onnx.numpy_helper.from_array(np.array(size), name)],
        )
        for name, size in shapes.items()
    ]
    sums = [branch(name, node(op, "n axes", "v"), shape=None) for name, op in (("then", "ReduceSum"), ("else", "ReduceMax"))]
    nodes = [
        node("If", "c", "r", then_branch=branches[0], else_branch=branches[1]),
        node("Conv", "r k", "n"),
        *(node("Shape", "n", "s"), node("Gather", "s one", "channels"), node("Equal", "channels two", "even")),
        helper.make_node("If", ["even"], ["y"], "second", then_branch=sums[0], else_branch=sums[1]),
    ]
    arrays = {"k": np.ones((2, 1, 1, 1), np.float32), "one": np.array(1), "two": np.array(2), "axes": np.array([2, 3])}
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    x, y = helper.make_tensor_value_info("x", 1, [4, 4]), helper.make_tensor_value_info("y", 1, [1, 2, 1, 1])
    graph = helper.make_graph(nodes, "g", [x, *GIVEN], [y], tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    ops = same(made, {"x": np.ones((4, 4), np.float32), "c": np.array(True)})
    assert (ops.count("If"), "ReduceSum" in ops, "ReduceMax" in ops) == (1, True, False)


def test_weights_before_a_condition_are_trained():
    """The gradient goes through the branch that was taken, and is 0 for the other."""
    first = node("MatMul", "x w", "x1")
    then = branch("then", node("Tanh", "x1", "v"))
    other = branch("else", node("Relu", "x1", "v"))
    artifacts = build(model_of(model([first], then, other, GIVEN)), ["w"], [], LossType.MSELoss, None)
    assert {"TanhGrad", "ReluGrad", "Where"} <= {one.op_type for one in artifacts.training_model.graph.nodes}
