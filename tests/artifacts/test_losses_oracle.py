"""Losses of onnxblock, built and trained on: value and gradient against their formulas in float64."""

import numpy as np
import onnx
import pytest
from onnx import helper

from artifacts_tool.generate import build
from artifacts_tool.onnxblock.loss import BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss
from artifacts_tool.proto_reader import model_of
from artifacts_tool.proto_writer import proto_of
from pagetrain import CheckpointState, Module
from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.ortformat.model import load

pytestmark = pytest.mark.oracle

RNG = np.random.default_rng(5)
X, W = RNG.normal(size=(4, 2)).astype(np.float32), RNG.normal(size=(2, 3)).astype(np.float32)
TARGET, CHANCE = RNG.normal(size=(4, 3)).astype(np.float32), RNG.random((4, 3)).astype(np.float32)
LABELS = np.array([2, 0, 1, 1])
WEIGHTS, ROWS = np.float32([0.5, 2.0, 1.5]), np.float32([[1.0], [0.5], [2.0], [0.0]])
REDUCE = {"mean": np.mean, "sum": np.sum, "none": np.asarray}
CROSS_ENTROPY_OPSETS = (7, 9, 11, 12, 13, 17)  # before 12 another op


def model(opset=17):
    """y = x w, (N, 3)."""
    values = [helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 2]), ("y", ["N", 3]))]
    weight = onnx.numpy_helper.from_array(W, "w")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", values[:1], values[1:], [weight])
    return model_of(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8))


def trained(loss, target, opset=17, x=X):
    """(loss, gradient by w, eval loss) of one step on our artifacts; the graphs are valid."""
    artifacts = build(model(opset), ["w"], [], loss, None)
    for made in artifacts.models().values():
        onnx.checker.check_model(proto_of(made), full_check=True)
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    module = Module(artifacts.training_model, state, artifacts.eval_model)
    value = module(x, target)
    gradient = state.parameters["w"].grad.copy()
    return value, gradient, module.eval()(x, target)


def check(loss, target, formula, opset=17):
    """The step agrees with the formula; the gradient with its central difference, of the sum if there are several losses."""
    value, gradient, evaluated = trained(loss, target, opset)

    def of(weights):
        return formula(X.astype(np.float64) @ weights)

    expected = of(W.astype(np.float64))
    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)  # float32 against float64
    np.testing.assert_array_equal(value, evaluated)
    step = 1e-5 * np.eye(W.size).reshape(W.size, *W.shape)
    slopes = [(np.sum(of(W + one)) - np.sum(of(W - one))) / 2e-5 for one in step]
    np.testing.assert_allclose(gradient.ravel(), slopes, rtol=1e-4, atol=1e-5)  # float32; the difference is good to 1e-9


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("opset", [7, 8, 13, 17])
def test_squared_and_absolute_error(reduction, opset):
    """(y - t) ** 2 and |y - t|."""
    check(MSELoss(reduction), TARGET, lambda y: REDUCE[reduction]((y - TARGET) ** 2), opset)
    if opset >= 9:  # the gradient of Abs is a Sign, which is younger than opset 8
        check(L1Loss(reduction), TARGET, lambda y: REDUCE[reduction](np.abs(y - TARGET)), opset)


def bce(y, reduction="mean", weight=1.0, pos_weight=1.0):
    p = 1 / (1 + np.exp(-y))
    return REDUCE[reduction](-(pos_weight * CHANCE * np.log(p) + (1 - CHANCE) * np.log(1 - p)) * weight)


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("arrays", [{}, {"weight": ROWS}, {"pos_weight": WEIGHTS}, {"weight": ROWS, "pos_weight": WEIGHTS}], ids=str)
def test_binary_cross_entropy(reduction, arrays):
    """With weights of rows and of positive answers, each broadcast."""
    check(BCEWithLogitsLoss(reduction=reduction, **arrays), CHANCE, lambda y: bce(y, reduction, **arrays))


def test_binary_cross_entropy_of_large_logits_is_finite():
    """At logits of +-1000 the loss is |logit| where the answer is wrong, and the gradient the error."""
    x = np.array([[1000, 0], [-1000, 0]], np.float32) / W[0, 0]
    target = np.full((2, 3), 0.0, np.float32)
    value, gradient, _ = trained(BCEWithLogitsLoss(reduction="sum"), target, x=x)
    logits = x.astype(np.float64) @ W
    np.testing.assert_allclose(value, logits[logits > 0].sum(), rtol=1e-5)
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(gradient, x.T @ (logits > 0), rtol=1e-5)


def cross_entropy(y, reduction="mean", weight=None, ignore_index=None):
    losses = -(y - np.log(np.exp(y).sum(1, keepdims=True)))[np.arange(4), LABELS]
    weights = np.ones(4) if weight is None else np.asarray(weight, np.float64)[LABELS]
    weights = weights * (ignore_index != LABELS)
    return (losses * weights).sum() / weights.sum() if reduction == "mean" else REDUCE[reduction](losses * weights)


@pytest.mark.parametrize("opset", CROSS_ENTROPY_OPSETS)
@pytest.mark.parametrize("arguments", [{}, {"weight": WEIGHTS}, {"ignore_index": 1}, {"weight": WEIGHTS, "ignore_index": 0}], ids=str)
def test_cross_entropy(opset, arguments):
    """With weights per class, and labels that do not count, at every opset; what ORT's block refuses works."""
    for reduction in REDUCE:
        check(CrossEntropyLoss(reduction=reduction, **arguments), LABELS, lambda y, r=reduction: cross_entropy(y, r, **arguments), opset)


def test_old_cross_entropy_is_written_as_ort_format():
    """The op of com.microsoft and its types go through the file."""
    from artifacts_tool.ort_writer import to_ort

    made = build(model(9), ["w"], [], CrossEntropyLoss(ignore_index=1), None).training_model
    assert [n.op_type for n in load(to_ort(made)).graph.nodes] == [n.op_type for n in made.graph.nodes]


@pytest.mark.parametrize(
    "name, loss, fits",
    [
        ("target", MSELoss, False),
        ("target", BCEWithLogitsLoss, False),
        ("labels", CrossEntropyLoss, False),
        ("labels", MSELoss, True),
        ("target", CrossEntropyLoss, True),
    ],
)
def test_a_value_that_only_has_the_name_of_the_labels_is_not_taken_for_them(name, loss, fits):
    """The model's picture is called so, (N, 2) where the loss wants (N, 3) or classes; the error names it and says what to do."""
    x, y = (helper.make_tensor_value_info(value, 1, shape) for value, shape in ((name, ["N", 2]), ("y", ["N", 3])))
    weight = onnx.numpy_helper.from_array(W, "w")
    graph = helper.make_graph([helper.make_node("MatMul", [name, "w"], ["y"])], "g", [x], [y], [weight])
    named = model_of(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    if fits:
        build(named, ["w"], [], loss(), None)
        return
    with pytest.raises(InvalidInputError, match=f"'{name}' of its own, float .N, 2.*second of loss_input_names"):
        build(named, ["w"], [], loss(), None)


def test_a_value_of_the_model_can_be_the_target():
    """As in ORT: a constant that broadcasts against the prediction, here the bias."""
    source = proto_of(model())
    source.graph.initializer.append(onnx.numpy_helper.from_array(np.float32([0.5]), "aim"))
    source.graph.node[0].output[0] = "product"
    source.graph.node.append(helper.make_node("Add", ["product", "aim"], ["y"]))
    made = build(model_of(source), ["w"], [], MSELoss(), None, loss_input_names=["y", "aim"])
    state = CheckpointState.load_checkpoint(made.checkpoint())
    np.testing.assert_allclose(Module(made.training_model, state)(X), np.mean((X @ W) ** 2), rtol=1e-5)  # float32 against float32


def test_cross_entropy_of_one_class_is_refused():
    """It is 0 whatever the model answers, so nothing would be learnt."""
    source = proto_of(model())
    source.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(W[:, :1].copy(), "w"))
    source.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", 1, ["N", 1]))
    with pytest.raises(ShapeMismatchError, match="single class"):
        build(model_of(source), ["w"], [], CrossEntropyLoss(), None)
