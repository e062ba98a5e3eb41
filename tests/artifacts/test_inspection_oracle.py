"""inspect: ops with what can be done with them, layers, interface."""

import pytest
from onnx import helper

from artifacts_tool.inspection import inspect
from artifacts_tool.proto_reader import model_of

from .small_models import checked, model, network

pytestmark = pytest.mark.oracle


def test_inspect_counts_ops_and_layers():
    """Each op version once, with what it lacks; layers with their weights."""
    found = inspect(model_of(network([helper.make_node("IsNaN", ["x"], ["nan"])])), ["w3"])
    ops = {op.op: (op.count, op.runs, op.trains) for op in found.ops}
    assert ops[":MatMul:13"] == (3, True, True)
    assert ops[":IsNaN:13"] == (1, True, True)  # no float comes out, so nothing has to go back
    assert [layer.node for layer in found.layers] == ["first", "second", "norm", "third"]
    assert found.layers[0].parameters == 30
    assert found.inputs == {"x": ("float", ("N", 4))}
    assert found.trainable == ["w3"]


def test_an_op_without_gradient_is_told_where_floats_go_through():
    """Det, beside Shape, which needs none."""
    nodes = [helper.make_node("Det", ["x"], ["y"]), helper.make_node("Shape", ["x"], ["s"])]
    found = inspect(model_of(model(nodes, {"x": ["N", 4, 4]}, [("y", 1, ["N"]), ("s", 7, [3])], {})))
    assert {op.op: (op.runs, op.trains) for op in found.ops} == {":Det:11": (True, False), ":Shape:15": (True, True)}


def test_a_function_runs_and_trains_by_its_body():
    """An op without kernel or gradient of its own is no problem where ONNX says what it stands for."""
    nodes = [helper.make_node("MeanVarianceNormalization", ["x"], ["h"], axes=[1]), helper.make_node("MatMul", ["h", "w"], ["y"])]
    found = inspect(model_of(model(nodes, {"x": ["N", 4]}, [("y", 1, ["N", 3])], {"w": (4, 3)})))
    assert {op.op: (op.runs, op.trains) for op in found.ops} == {":MatMul:13": (True, True), ":MeanVarianceNormalization:13": (True, True)}


@pytest.mark.parametrize("op", ["Bernoulli", "Floor", "HardSwish"])
def test_what_inspect_says_of_a_gradient_check_says(op):
    """Weights behind an op that draws or moves in steps are blockers of check, so the op does not train; body or rule may say it."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node(op, ["h"], ["y"])]
    made = model(nodes, {"x": ["N", 4]}, [("y", 1, ["N", 3])], {"w": (4, 3)})
    (found,) = (one for one in inspect(model_of(made)).ops if one.op.split(":")[1] == op)
    reasons = [blocker.why for blocker in checked(made, "w").blockers]
    assert found.runs
    assert found.trains == (op == "HardSwish")
    assert found.trains != any("no gradient comes back" in why for why in reasons)
