"""Each thing that can be in the way, on the smallest model that has it: the node, the op, the reason and the fix."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType
from artifacts_tool.check import operators
from artifacts_tool.gradient.registry import rule_of
from pagetrain import kernels

from .small_models import SHAPES, checked, model, network

pytestmark = pytest.mark.oracle

NODE = helper.make_node
LOGITS = [("logits", 1, ["N", 3])]
W = {"w": (4, 3)}
HEAD = NODE("MatMul", ["h", "w"], ["logits"], name="head")


@pytest.fixture
def unsupported(monkeypatch):
    """unsupported(op): the trainer has no kernel and, if need be, no gradient for it."""

    def take(op_type, gradient=True):
        find = kernels.find
        monkeypatch.setattr(kernels, "find", lambda domain, name, version: None if name == op_type else find(domain, name, version))
        if gradient:
            monkeypatch.setattr(operators, "rule_of", lambda node: None if node.op_type == op_type else rule_of(node))

    return take


def only(report):
    """The one blocker of a report."""
    assert len(report.blockers) == 1, report.blockers
    assert not report.ready
    return report.blockers[0]


def says(blocker, node, op, why, fix):
    """Compares all four; why and fix by what they hold."""
    assert (blocker.node, blocker.op) == (node, op)
    assert why in blocker.why
    assert fix in blocker.fix


def test_statistics_of_a_batch_normalization():
    """Named with the node that measures them."""
    fix = "take them out of --trainable, or let --fix leave them out"
    says(only(checked(network(), "w3", "mean", "var")), "norm", "BatchNormalization", "'mean', 'var': statistics that", fix)


def test_a_weight_that_no_node_reads():
    """It belongs to no node."""
    says(only(checked(network(), "w3", "idle")), "", "", "'idle': no node uses it", "let --fix leave it out")


def test_a_weight_that_the_loss_does_not_depend_on():
    """A node reads it, on a branch that ends elsewhere."""
    made = network([NODE("Mul", ["p1", "aside"], ["nowhere"], name="dead_end")], shapes={**SHAPES, "aside": (6,)})
    says(only(checked(made, "w3", "aside")), "", "", "'aside': the loss on 'logits' does not depend on it", "take it out")


def test_a_weight_of_another_output():
    """Which may be scored instead."""
    made = network(
        [NODE("MatMul", ["p1", "aside"], ["other"])], [("logits", 1, ["N", 3]), ("other", 1, ["N", 2])], {**SHAPES, "aside": (6, 2)}
    )
    says(only(checked(made, "aside")), "", "", "'aside': the loss on 'logits'", "or score 'other' with --loss-input-names")
    assert checked(made, "aside", loss_input_names=["other"]).ready


CUTS = {
    "ArgMax": ([NODE("ArgMax", ["m"], ["at"], axis=1, keepdims=0, name="cut"), NODE("Gather", ["table", "at"], ["h"])], "int64"),
    "Cast": ([NODE("Cast", ["m"], ["at"], to=TensorProto.INT32, name="cut"), NODE("Cast", ["at"], ["h"], to=1)], "int32"),
    "Shape": ([NODE("Shape", ["m"], ["at"], name="cut"), NODE("Expand", ["x", "at"], ["h"])], "int64"),
    "Greater": ([NODE("Greater", ["m", "x"], ["at"], name="cut"), NODE("Where", ["at", "x", "m2"], ["h"])], "bool"),
}


@pytest.mark.parametrize("op", CUTS)
def test_a_weight_behind_an_op_that_lets_no_gradient_through(op):
    """The op that cuts it off is named, and what it makes."""
    nodes, makes = CUTS[op]
    weights = {**W, "table": (4, 4), "v": (4, 4), "m2": (1, 4)}
    made = model([NODE("MatMul", ["x", "v"], ["m"], name="body"), *nodes, HEAD], {"x": ["N", 4]}, LOGITS, weights)
    says(only(checked(made, "w", "v")), "cut", op, f"no gradient comes back to it: {op} makes {makes} numbers", "take it out")


def test_a_weight_at_an_input_without_gradient():
    """The node, and which input of it."""
    nodes = [NODE("Identity", ["like"], ["l"]), NODE("CastLike", ["x", "l"], ["h"], name="cast"), HEAD]
    made = model(nodes, {"x": ["N", 4]}, LOGITS, {**W, "like": (1,)})
    says(only(checked(made, "w", "like")), "cast", "CastLike", "no gradient comes back to it: input 1 of CastLike is", "take it out")


def test_a_weight_behind_an_op_that_moves_in_steps():
    """Its gradient is 0 where it has one, so nothing would ever be learnt."""
    nodes = [NODE("MatMul", ["x", "v"], ["m"]), NODE("Round", ["m"], ["h"], name="whole"), HEAD]
    made = model(nodes, {"x": ["N", 4]}, LOGITS, {**W, "v": (4, 4)})
    says(only(checked(made, "*")), "whole", "Round", "'v': no gradient comes back to it: Round moves in steps", "take it out")


def test_ops_without_a_gradient():
    """The weights before it, and what can be trained."""
    nodes = [
        NODE("Mul", ["x", "v"], ["m"]),
        NODE("MaxRoiPool", ["m", "rois"], ["p"], pooled_shape=[1, 1], name="pool"),
        NODE("Flatten", ["p"], ["h"]),
        HEAD,
    ]
    made = model(nodes, {"x": ["N", 4, 3, 3]}, LOGITS, {**W, "v": (1,), "rois": (2, 5)})
    why = "the trainer has no gradient for MaxRoiPool-1, which cuts off 'v'"
    says(only(checked(made, "v", "w")), "pool", "MaxRoiPool", why, "train only what comes after it, 'w'")
    says(only(checked(made, "v")), "pool", "MaxRoiPool", why, "write the model with other ops")


def test_many_nodes_of_one_op_are_one_entry(unsupported):
    """With their number, and every weight that is cut off."""
    unsupported("Tanh")
    nodes = [
        NODE("MatMul", ["x", "v"], ["m"], name="body"),
        NODE("Tanh", ["m"], ["h1"], name="curve"),
        NODE("Tanh", ["h1"], ["h"], name="again"),
        HEAD,
    ]
    blocker = only(checked(model(nodes, {"x": ["N", 4]}, LOGITS, {**W, "v": (4, 4)}), "*"))
    why = "neither kernel nor gradient for Tanh-13 (and 1 more such node), which cuts off 'v'"
    says(blocker, "curve", "Tanh", why, "train only what comes after it, 'w'")


def test_a_part_of_a_function_is_named_as_the_function():
    """People have the node in their model, not what it was expanded to."""
    nodes = [NODE("MatMul", ["x", "v"], ["m"]), NODE("Bernoulli", ["m"], ["h"], name="dice"), HEAD]
    made = model(nodes, {"x": ["N", 4]}, LOGITS, {**W, "v": (4, 4)})
    says(
        only(checked(made, "*")), "dice", "Bernoulli", "'v': no gradient comes back to it: Greater makes bool numbers of it", "take it out"
    )


def test_ops_that_onnx_does_not_know():
    """By domain and name."""
    made = model([NODE("Magic", ["x"], ["h"], name="spell", domain="my.ops"), HEAD], {"x": ["N", 4]}, LOGITS, W, domains=["my.ops"])
    says(only(checked(made, "w")), "spell", "Magic", "no kernel for my.ops.Magic, an op that ONNX does not know", "with standard ops")


def test_what_follows_from_an_unknown_op_points_to_it():
    """The weights before it are named, and scores of unknown rank are said to come of it."""
    nodes = [
        NODE("MatMul", ["x", "v"], ["m"]),
        NODE("Magic", ["m"], ["h"], name="spell", domain="my.ops"),
        NODE("Relu", ["h"], ["y"], name="last"),
    ]
    made = model(nodes, {"x": ["N", 4]}, [("y", 1, None)], {"v": (4, 3)}, domains=["my.ops"])
    scores, op = checked(made, "v").blockers
    says(scores, "last", "Relu", "as ONNX does not know the op Magic 'spell' before it", "see to that op first")
    says(
        op,
        "spell",
        "Magic",
        "neither kernel nor gradient for my.ops.Magic, an op that ONNX does not know, which cuts off 'v'",
        "standard ops",
    )


def test_ops_that_the_trainer_cannot_run(unsupported):
    """A standard op without a kernel, where no gradient is wanted."""
    unsupported("Tanh", gradient=False)
    made = model([NODE("Tanh", ["x"], ["h"], name="curve"), HEAD], {"x": ["N", 4]}, LOGITS, W)
    says(only(checked(made, "w")), "curve", "Tanh", "the trainer has no kernel for Tanh-13", "write the model with other ops")


def test_a_gradient_that_an_open_size_rules_out():
    """The rule's own reason."""
    nodes = [
        NODE("Mul", ["x", "v"], ["m"]),
        NODE("LRN", ["m"], ["n"], size=3, name="local"),
        NODE("GlobalAveragePool", ["n"], ["g"]),
        NODE("Flatten", ["g"], ["h"]),
        HEAD,
    ]
    made = model(nodes, {"x": ["N", "C", 2, 2]}, LOGITS, {**W, "v": (1,)})
    says(only(checked(made, "*")), "local", "LRN", "needs a fixed number of channels", "train only what comes after it, 'w'")


def test_a_recurrent_node_whose_states_have_no_known_size():
    """Neither hidden_size nor the shape of R says it; an open number of steps is no blocker."""
    nodes = [
        NODE("Relu", ["R"], ["r"]),
        NODE("RNN", ["x", "W", "r"], ["", "last"], hidden_size=4, name="known"),
        NODE("RNN", ["x", "W", "s"], ["", "end"], name="steps"),
        NODE("Add", ["last", "end"], ["both"]),
        NODE("Squeeze", ["both", "axes"], ["h"]),
        HEAD,
    ]
    made = model(nodes, {"x": ["T", "N", 2], "s": [1, "a", "b"]}, LOGITS, {**W, "W": (1, 4, 2), "R": (1, 4, 4), "axes": np.array([0])})
    fix = "give the node the attribute, or train only what comes after it, 'w'"
    says(only(checked(made, "W", "w")), "steps", "RNN", "cannot be trained without hidden_size", fix)


def test_an_old_opset():
    """Older than numpy's way of broadcasting."""
    made = model([NODE("Relu", ["x"], ["h"]), HEAD], {"x": ["N", 4]}, LOGITS, W, opset=6)
    says(checked(made, "w").blockers[0], "", "", "the model has opset 6, training needs 7 or newer", "newer opset")


def test_an_op_that_is_newer_than_the_model_s_opset():
    """Einsum came with opset 12."""
    made = model([NODE("Einsum", ["x", "w"], ["logits"], equation="nk,km->nm", name="sum")], {"x": ["N", 4]}, LOGITS, W, opset=11)
    says(
        checked(made, "w").blockers[-1], "sum", "Einsum", "opset 11, which the model says it is written in, has no op Einsum", "newer opset"
    )


@pytest.mark.parametrize(
    "shape,why",
    [(["N"], "but 'y' is (N), one number for each example"), (["N", 1], "but 'y' is (N, 1), a single class, whose loss is 0")],
)
def test_cross_entropy_of_one_number(shape, why):
    """With the losses that fit one number."""
    nodes = [NODE("MatMul", ["x", "w"], ["s"]), NODE("Reshape", ["s", "to"], ["y"], name="form")]
    made = model(nodes, {"x": ["N", 4]}, [("y", 1, shape)], {"w": (4, 1), "to": np.array([-1, 1][: len(shape)])})
    says(only(checked(made, "w")), "form", "Reshape", why, "take --loss BCEWithLogitsLoss for yes and no, or MSELoss")


def test_cross_entropy_of_a_single_number():
    """As of a model that ends in a mean."""
    made = model(
        [NODE("MatMul", ["x", "w"], ["s"]), NODE("ReduceMean", ["s"], ["y"], keepdims=0, name="mean")], {"x": ["N", 4]}, [("y", 1, [])], W
    )
    says(only(checked(made, "w")), "mean", "ReduceMean", "but 'y' is (), a single number", "or MSELoss for a quantity")


def test_cross_entropy_of_one_probability():
    """The fix names the value before the Sigmoid."""
    nodes = [NODE("MatMul", ["x", "w"], ["s"]), NODE("Sigmoid", ["s"], ["y"], name="squash")]
    made = model(nodes, {"x": ["N", 4]}, [("y", 1, ["N", 1])], {"w": (4, 1)})
    says(
        only(checked(made, "w")),
        "squash",
        "Sigmoid",
        "single class",
        "BCEWithLogitsLoss for yes and no, which goes on 's' before the Sigmoid",
    )


def test_a_loss_on_labels():
    """Integers are answers; scores behind them are proposed."""
    nodes = [NODE("MatMul", ["x", "w"], ["s"]), NODE("Abs", ["s"], ["f"]), NODE("Cast", ["f"], ["y"], to=7, name="whole")]
    made = model(nodes, {"x": ["N", 4]}, [("y", TensorProto.INT64, ["N", 3])], W)
    why = "'y', which MSELoss is to score, holds int64 numbers"
    says(only(checked(made, "w", loss=LossType.MSELoss)), "whole", "Cast", why, "--loss-input-names, such as 'f' or 's'")


def test_a_loss_on_a_value_that_is_not_there():
    """Near names are proposed."""
    says(only(checked(network(), "w3", loss_input_names=["logit"])), "", "", "no value 'logit'", "such as 'logits'")


def test_cross_entropy_of_unknown_rank():
    """ONNX cannot tell the rank that a Reshape by an input's values gives."""
    nodes = [NODE("MatMul", ["x", "w"], ["s"]), NODE("Cast", ["to"], ["t"], to=7), NODE("Reshape", ["s", "t"], ["y"], name="form")]
    made = model(nodes, {"x": ["N", 4], "to": ["rank"]}, [("y", 1, None)], W)
    says(only(checked(made, "w")), "form", "Reshape", "'y' is of unknown rank", "declare the shape of the model's output")


def test_labels_that_the_model_has_already():
    """A weight or inner value of that name would be taken for the labels."""
    made = model([NODE("Relu", ["x"], ["labels"], name="relu"), NODE("MatMul", ["labels", "w"], ["logits"])], {"x": ["N", 4]}, LOGITS, W)
    fix = "--loss-input-names logits,labels_of_loss"
    says(only(checked(made, "w")), "relu", "Relu", "the model has a value 'labels' of its own", fix)
    assert checked(made, "w", loss_input_names=["logits", "labels_of_loss"]).ready


def test_an_input_that_cannot_be_the_labels():
    """Of floats."""
    made = model([NODE("MatMul", ["labels", "w"], ["logits"])], {"labels": ["N", 4]}, LOGITS, W)
    says(only(checked(made, "w")), "", "", "the model's input 'labels' holds float numbers", "--loss-input-names")


@pytest.mark.parametrize(
    "kind,names", [("input", ("x_grad", "w", "y")), ("parameter", ("x", "w_grad", "y")), ("output", ("x", "w", "y_grad"))]
)
def test_names_that_end_like_gradients(kind, names):
    """Inputs, parameters and outputs."""
    x, w, y = names
    made = model([NODE("MatMul", [x, w], [y], name="head")], {x: ["N", 4]}, [(y, 1, ["N", 3])], {w: (4, 3)})
    node = ("head", "MatMul") if kind == "output" else ("", "")
    blocker = next(blocker for blocker in checked(made, w).blockers if blocker.why.startswith(f"the {kind}"))
    says(blocker, *node, "a name that the trainer keeps for gradients", "rename it")


@pytest.mark.parametrize("name", ["h_grad", "w_grad.accumulation.buffer", "w_grad.accumulation.out", "lazy_reset_grad"])
def test_values_inside_that_are_called_like_gradients(name):
    """Those of values on the path, and the trainer's own."""
    nodes = [NODE("MatMul", ["x", "v"], ["h"]), NODE("Relu", ["h"], [name], name="relu"), NODE("MatMul", [name, "w"], ["logits"])]
    made = model(nodes, {"x": ["N", 4]}, LOGITS, {**W, "v": (4, 4)})
    says(checked(made, "*").blockers[0], "relu", "Relu", f"to be called {name!r}, as a value of the model is already", "rename")


def test_everything_is_said_at_once(unsupported):
    """Statistics, an unused weight, one that the loss does not see, an op without kernel and gradient, a kept name."""
    aside = NODE("Mul", ["p1", "aside"], ["nowhere"], name="dead_end")
    made = network([aside], shapes={**SHAPES, "aside": (6,), "w3_grad": (2, 2)})
    made.graph.node[2].op_type, made.graph.node[2].name = "Tanh", "curve"
    unsupported("Tanh")
    report = checked(made, "*")
    assert [(blocker.op, blocker.node) for blocker in report.blockers] == [
        ("BatchNormalization", "norm"),
        ("", ""),
        ("", ""),
        ("Tanh", "curve"),
        ("", ""),
    ]
    for blocker, why in zip(
        report.blockers,
        ["'mean', 'var'", "'idle', 'w3_grad': no node uses", "'aside': the loss", "cuts off 'w1', 'b1'", "'w3_grad' has a name"],
        strict=True,
    ):
        assert why in blocker.why
        assert blocker.fix
