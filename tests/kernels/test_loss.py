"""The gradient of the cross-entropy loss against differences; labels that are refused."""

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.kernels.loss import (
    softmax_cross_entropy_loss,
    softmax_cross_entropy_loss_grad,
    softmax_cross_entropy_loss_internal,
    softmax_cross_entropy_loss_internal_grad,
)
from tests.cases.case import floats
from tests.cases.loss import ALL_IGNORED, LOSSES
from tests.kernels.projection import check_gradient


@pytest.mark.parametrize("name", LOSSES)
def test_gradient_is_the_slope_of_the_loss(name: str) -> None:
    """For every reduction, with weights, ignored labels and spatial axes; scaled by the gradient that comes in."""
    scores, labels, weights, attributes = LOSSES[name]
    X, weights = scores.astype(np.float64), None if weights is None else weights.astype(np.float64)
    loss, log_prob = softmax_cross_entropy_loss(X, labels, weights, **attributes)
    dY = floats(*loss.shape, seed=9).astype(np.float64)
    (gradient,) = softmax_cross_entropy_loss_grad(dY, log_prob, labels, weights, **attributes)
    check_gradient(lambda x: float((softmax_cross_entropy_loss(x, labels, weights, **attributes)[0] * dY).sum()), X, gradient)


def test_nothing_to_learn_from_is_zero() -> None:
    """When every label is ignored, loss and gradient are 0, not NaN."""
    scores, labels, weights, attributes = ALL_IGNORED
    loss, log_prob = softmax_cross_entropy_loss(scores, labels, weights, **attributes)
    (gradient,) = softmax_cross_entropy_loss_grad(np.float32(1), log_prob, labels, weights, **attributes)
    assert loss == 0
    assert not gradient.any()


@pytest.mark.parametrize("label", [-1, 4])
def test_label_outside_the_classes_is_refused(label: int) -> None:
    """By name, also where numpy's indexing would take it (-1)."""
    labels = np.array([0, label, 1])
    with pytest.raises(InvalidInputError, match=f"label {label} is none of the 4 classes"):
        softmax_cross_entropy_loss(floats(3, 4), labels)
    with pytest.raises(InvalidInputError, match=f"label {label} is none of the 4 classes"):
        softmax_cross_entropy_loss_grad(np.float32(1), floats(3, 4), labels)


def test_labels_of_another_shape_are_refused() -> None:
    """One label per row."""
    with pytest.raises(ShapeMismatchError, match=r"got \(2,\) for \(3, 4\)"):
        softmax_cross_entropy_loss(floats(3, 4), np.array([0, 1]))


@pytest.mark.parametrize("name", LOSSES)
def test_the_internal_form_is_the_same_op(name: str) -> None:
    """ignore_index as an input instead of an attribute; and a bias that is added to the gradient."""
    scores, labels, weights, attributes = LOSSES[name]
    ignored = np.array(attributes["ignore_index"]) if "ignore_index" in attributes else None
    reduction = {"reduction": attributes.get("reduction", "mean")}
    expected = softmax_cross_entropy_loss(scores, labels, weights, **attributes)
    found = softmax_cross_entropy_loss_internal(scores, labels, weights, ignored, **reduction)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    dY, log_prob = np.float32(2), expected[1]
    (gradient,) = softmax_cross_entropy_loss_grad(dY, log_prob, labels, weights, **attributes)
    bias = floats(*scores.shape, seed=5)
    (biased,) = softmax_cross_entropy_loss_internal_grad(dY, log_prob, labels, weights, ignored, bias, **reduction)
    np.testing.assert_array_equal(biased, gradient + bias)
