"""Class weights and label smoothing put into training graphs, against their formula and against differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from pagetrain import CheckpointState, Module, executor, with_loss_options
from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.graph import ElementType, Model
from pagetrain.plan import bind
from tests.api.golden import Golden
from tests.cases.case import floats
from tests.cases.loss import ALL_IGNORED, LOSSES
from tests.graphs import graph, model, node, value
from tests.kernels.projection import check_gradient

MLP = Golden("mlp_ce_adamw_frozen")
MS = "com.microsoft"
SMOOTHABLE = [name for name, (*_, attributes) in LOSSES.items() if attributes.get("reduction") != "none"]


def loss_model(attributes: dict[str, Any], weighted: bool, shape: tuple[Any, ...], op_type: str = "SoftmaxCrossEntropyLoss") -> Model:
    """scores, labels[, w] -> loss and the gradient of 3 times the loss, in float64."""
    domain, since, w = (MS, 1, " _ _") if op_type.endswith("Internal") else ("", 13, " w" if weighted else "")
    nodes = [
        node(op_type, f"scores labels{w}", "loss log_prob", since, domain, **attributes),
        node(f"{op_type}Grad", f"dY log_prob labels{w}", "scores_grad", 1, MS, **attributes),
    ]
    inputs = [value("scores", *shape, element=ElementType.DOUBLE), value("labels", element=ElementType.INT64)]
    inputs += [value("w", element=ElementType.DOUBLE)] if weighted else []
    known = [value("log_prob", *shape, element=ElementType.DOUBLE)]
    return model(graph(nodes, inputs, ["loss", "scores_grad"], {"dY": np.float64(3)}, known))


def run(of: Model, scores: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> tuple[float, np.ndarray]:
    feeds = {"scores": scores, "labels": labels, "w": weights}
    results = executor.run(bind(of.graph), feeds)
    assert results["loss"].shape == ()
    return float(results["loss"]), results["scores_grad"]


def formula(
    scores: np.ndarray, labels: np.ndarray, weights: np.ndarray, e: float, ignore_index: int | None = None, reduction: str = "mean"
) -> float:
    """torch.nn.CrossEntropyLoss as its page writes it, one label after another: target (1 - e) at the label and e / C everywhere."""
    loss = total = 0.0
    rows, classes = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1]), scores.shape[1]
    for row, label in zip(rows.tolist(), labels.ravel().tolist(), strict=True):
        if label == ignore_index:
            continue
        largest = max(row)
        log_sum = largest + math.log(sum(math.exp(score - largest) for score in row))
        for c in range(classes):
            target = (1 - e) * (c == label) + e / classes
            loss -= weights[c] * target * (row[c] - log_sum)
        total += weights[label]
    return loss / total if reduction == "mean" else loss


@pytest.mark.parametrize("e", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("how", ["weights put in", "weights of the graph", "no weights"])
@pytest.mark.parametrize("name", SMOOTHABLE)
def test_loss_and_gradient_are_those_of_the_formula(name: str, how: str, e: float) -> None:
    """With ignored labels, spatial axes and sums; the gradient is the slope of the loss times what comes in."""
    X, labels, _, attributes = LOSSES[name]
    scores, classes = X.astype(np.float64), X.shape[1]
    weights = np.ones(classes) if how == "no weights" else np.linspace(0.3, 2.0, classes)
    own = weights if how == "weights of the graph" else None
    options = {"class_weights": weights} if how == "weights put in" else {}
    of = with_loss_options(loss_model(attributes, own is not None, scores.shape), label_smoothing=e, **options)
    loss, gradient = run(of, scores, labels, own)
    assert loss == pytest.approx(formula(scores, labels, weights, e, **attributes), rel=1e-12)  # all in float64
    check_gradient(lambda x: 3 * run(of, x, labels, own)[0], scores, gradient)


def test_weights_put_in_replace_those_of_the_graph() -> None:
    """The graph's own are not read any more."""
    X, labels, _, attributes = next(iter(LOSSES.values()))
    weights = np.linspace(1, 2, X.shape[1])
    of = with_loss_options(loss_model(attributes, True, X.shape), class_weights=weights)
    expected = formula(X.astype(np.float64), labels, weights, 0, **attributes)
    assert run(of, X.astype(np.float64), labels, 7 * weights**2)[0] == pytest.approx(expected, rel=1e-12)


def test_nothing_to_learn_from_is_zero() -> None:
    """Where every label is ignored, loss and gradient are 0, not NaN."""
    X, labels, _, attributes = ALL_IGNORED
    of = with_loss_options(loss_model(attributes, False, X.shape), class_weights=np.ones(X.shape[1]), label_smoothing=0.2)
    loss, gradient = run(of, X.astype(np.float64), labels)
    assert loss == 0
    assert not gradient.any()


def test_the_loss_of_older_opsets_takes_the_options_too() -> None:
    """com.microsoft SoftmaxCrossEntropyLossInternal, which stands in artifacts of opsets below 12."""
    scores, labels, weights = floats(4, 3).astype(np.float64), np.array([0, 2, 1, 0]), np.array([1.0, 2.0, 0.5])
    plain = loss_model({}, False, scores.shape, "SoftmaxCrossEntropyLossInternal")
    of = with_loss_options(plain, class_weights=weights, label_smoothing=0.1)
    assert run(of, scores, labels)[0] == pytest.approx(formula(scores, labels, weights, 0.1), rel=1e-12)


def test_module_trains_with_them() -> None:
    """ORT's own artifacts: loss and the last bias's gradient are those of the formula for the logits that the graph makes."""
    weights, e = np.array([0.5, 1.0, 3.0]), 0.1
    module = Module(
        with_loss_options(MLP.path("training_model.ort"), class_weights=weights, label_smoothing=e),
        CheckpointState.load_checkpoint(MLP.path("checkpoint")),
        MLP.path("eval_model.ort"),
    )
    feeds = MLP.feeds(0)
    logits = module.eval_step(feeds, ["logits"])["logits"].astype(np.float64)
    loss = next(iter(module.train_step(feeds).values()))
    assert loss.shape == ()
    assert float(loss) == pytest.approx(formula(logits, feeds["labels"], weights, e), rel=1e-5)  # float32 against float64
    gradient = module.state.parameters["fc2.bias"].grad
    slopes = [slope(lambda moved: formula(logits + moved, feeds["labels"], weights, e), axis) for axis in range(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-6)  # as above


def slope(of: Any, axis: int) -> float:
    """A central difference along one of three axes; its error is of the order of 1e-9."""
    step = 1e-5 * np.eye(3)[axis]
    return float((of(step) - of(-step)) / 2e-5)


def test_without_options_the_graph_stays() -> None:
    """Node by node."""
    plain = loss_model({}, False, (2, 3))
    assert with_loss_options(plain) == plain


@pytest.mark.parametrize("name", ["mlp_mse_sgd", "mlp_bce_adamw_sched"])
@pytest.mark.parametrize("options", [{"label_smoothing": 0.1}, {"class_weights": np.ones(3)}])
def test_other_losses_are_refused(name: str, options: dict[str, Any]) -> None:
    """With what would help."""
    with pytest.raises(InvalidInputError, match="make the artifacts with CrossEntropyLoss"):
        with_loss_options(Golden(name).path("training_model.ort"), **options)


def test_a_loss_for_each_label_cannot_be_smoothed() -> None:
    """reduction "none" is refused by name."""
    with pytest.raises(InvalidInputError, match=r"reduction 'mean' or 'sum'.*'none'"):
        with_loss_options(loss_model({"reduction": "none"}, False, (2, 3)), label_smoothing=0.1)


@pytest.mark.parametrize("e", [-0.1, 1, float("nan"), "0.1", None])
def test_senseless_smoothing_is_refused(e: Any) -> None:
    """All of it, or less than none."""
    with pytest.raises(InvalidInputError, match="label_smoothing"):
        with_loss_options(loss_model({}, False, (2, 3)), label_smoothing=e)


@pytest.mark.parametrize("weights", [[1, 0, 1], [1, -1, 1], [1, np.nan, 1], [1, np.inf, 1]])
def test_senseless_weights_are_refused(weights: list[float]) -> None:
    """Of 0 and below, and no numbers."""
    with pytest.raises(InvalidInputError, match="above 0"):
        with_loss_options(loss_model({}, False, ("N", 3)), class_weights=np.array(weights))


@pytest.mark.parametrize("weights", ["balanced", {"cat": 1.0}, [[1], [1, 2]]])
def test_weights_that_are_no_numbers_are_refused(weights: Any) -> None:
    """Also in the words that fit takes: only fit knows the pictures."""
    with pytest.raises(InvalidInputError, match="one number for each class"):
        with_loss_options(loss_model({}, False, ("N", 3)), class_weights=weights)


@pytest.mark.parametrize("shape", [(2,), (3, 1), ()])
def test_weights_for_other_classes_are_refused(shape: tuple[int, ...]) -> None:
    """Before anything runs where the graph says how many there are, else by the first step."""
    with pytest.raises(ShapeMismatchError, match=r"must have shape \(3,\)"):
        with_loss_options(loss_model({}, False, ("N", 3)), class_weights=np.ones(shape))
    if shape == (2,):
        of = with_loss_options(loss_model({}, False, ("N", "C")), class_weights=np.ones(shape))
        with pytest.raises(ShapeMismatchError, match=r"must have shape \(3,\)"):
            run(of, np.zeros((1, 3)), np.array([0]))
