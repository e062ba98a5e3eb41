"""artifacts_tool.conditionals: models without If compute what onnxruntime computes with it, and can be trained."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType
from artifacts_tool.conditionals import without_conditionals
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
    made = without_conditionals(model_of(proto))
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
    """Where would stretch one of them."""
    row = branch("else", node("ReduceSum", "x zero", "v"), shape=(1, 3))
    made = model_of(model([], TANH, row, GIVEN))
    assert without_conditionals(made) is made


def test_weights_before_a_condition_are_trained():
    """The gradient goes through the branch that was taken, and is 0 for the other."""
    first = node("MatMul", "x w", "x1")
    then = branch("then", node("Tanh", "x1", "v"))
    other = branch("else", node("Relu", "x1", "v"))
    artifacts = build(model_of(model([first], then, other, GIVEN)), ["w"], [], LossType.MSELoss, None)
    assert {"TanhGrad", "ReluGrad", "Where"} <= {one.op_type for one in artifacts.training_model.graph.nodes}
