"""SoftmaxCrossEntropyLoss, its gradient, and NegativeLogLikelihoodLoss."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError
from ..graph import MS_DOMAIN
from .activation import log_softmax
from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("SoftmaxCrossEntropyLoss", since=12, workspace=1)
def softmax_cross_entropy_loss(
    scores: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Result:
    """output = -weights[label] log softmax(scores)[label], reduced over the batch; also returns log_prob.

    scores: (N, C, d1..) float; log_prob: as scores; others as in NegativeLogLikelihoodLoss.
    Source: ONNX SoftmaxCrossEntropyLoss-12, -13. Raises InvalidInputError for a label outside [0, C), ShapeMismatchError.
    """
    (log_prob,) = log_softmax(scores, axis=1)
    (output,) = negative_log_likelihood_loss(log_prob, labels, weights, ignore_index=ignore_index, reduction=reduction)
    return output, log_prob


@kernel("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood_loss(
    input: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Result:
    """loss = -weight[target] input[target], reduced over the batch.

    input: (N, C, d1..) logarithms of probabilities; target: (N, d1..) int in [0, C) or ignore_index; weight: (C,).
    loss: scalar in nats, or (N, d1..) for "none". The mean divides by the sum of the weights of the targets that count, not by N; when
    none counts it is 0, as in ORT. Source: ONNX NegativeLogLikelihoodLoss-12, -13, -22.
    Raises InvalidInputError for a target outside [0, C), ShapeMismatchError.
    """
    picked, factor = _labels_and_weights(input, target, weight, ignore_index)
    losses = -np.take_along_axis(input, picked, axis=1)[:, 0] * factor
    if reduction == "none":
        return (losses,)
    total = losses.sum()
    if reduction == "mean":
        total = total / _nonzero(factor.sum())
    return (np.asarray(total, input.dtype),)


@kernel("SoftmaxCrossEntropyLossGrad", domain=MS_DOMAIN)
def softmax_cross_entropy_loss_grad(
    dY: np.ndarray,
    log_prob: np.ndarray,
    label: np.ndarray,
    weight: np.ndarray | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Result:
    """d_logits = (exp(log_prob) - onehot(label)) weight[label] dY, divided by the sum of those weights for "mean"; 0 where ignored.

    dY: scalar, or (N, d1..) for "none"; others as in the forward op. Source: com.microsoft SoftmaxCrossEntropyLossGrad-1.
    """
    picked, factor = _labels_and_weights(log_prob, label, weight, ignore_index)
    if reduction == "mean":
        factor = factor / _nonzero(factor.sum())
    gradient = np.exp(log_prob)
    at_label = np.take_along_axis(gradient, picked, axis=1) - 1
    np.put_along_axis(gradient, picked, at_label, axis=1)
    gradient *= np.expand_dims(factor * dY, 1)
    return (gradient,)


@kernel("SoftmaxCrossEntropyLossInternal", domain=MS_DOMAIN, workspace=1)
def softmax_cross_entropy_loss_internal(
    scores: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None = None,
    ignore_index: np.ndarray | None = None,
    *,
    reduction: str = "mean",
    output_type: int | None = None,
) -> Result:
    """SoftmaxCrossEntropyLoss with ignore_index as a scalar input; for models older than opset 12.

    output_type: as the scores' type alone. Source: com.microsoft SoftmaxCrossEntropyLossInternal-1.
    """
    ignored = None if ignore_index is None else int(ignore_index.reshape(()))
    return softmax_cross_entropy_loss(scores, labels, weights, ignore_index=ignored, reduction=reduction)


@kernel("SoftmaxCrossEntropyLossInternalGrad", domain=MS_DOMAIN)
def softmax_cross_entropy_loss_internal_grad(
    dY: np.ndarray,
    log_prob: np.ndarray,
    label: np.ndarray,
    weight: np.ndarray | None = None,
    ignore_index: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    *,
    reduction: str = "mean",
    output_type: int | None = None,
) -> Result:
    """SoftmaxCrossEntropyLossGrad with ignore_index as a scalar input, plus bias. Source: com.microsoft op of this name, version 1."""
    ignored = None if ignore_index is None else int(ignore_index.reshape(()))
    (gradient,) = softmax_cross_entropy_loss_grad(dY, log_prob, label, weight, ignore_index=ignored, reduction=reduction)
    return (gradient if bias is None else gradient + bias,)


def _labels_and_weights(
    log_prob: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, ignore_index: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """(labels with a class axis of size 1, ignored ones set to 0; the weight of each label, ignored ones 0)."""
    if labels.shape != (log_prob.shape[0], *log_prob.shape[2:]):
        raise ShapeMismatchError(f"labels must have the shape of scores without the class axis 1: got {labels.shape} for {log_prob.shape}.")
    classes = log_prob.shape[1]
    if weights is not None and weights.shape != (classes,):
        raise ShapeMismatchError(f"weights must have shape ({classes},), one per class, got {weights.shape}.")
    ignored = np.zeros(labels.shape, bool) if ignore_index is None else labels == ignore_index
    bad = ~ignored & ((labels < 0) | (labels >= classes))
    if bad.any():
        raise InvalidInputError(f"The label {labels[bad][0]} is none of the {classes} classes 0 to {classes - 1}.")
    safe = np.where(ignored, 0, labels).astype(np.intp)
    weight = np.ones(labels.shape, log_prob.dtype) if weights is None else weights[safe]
    return np.expand_dims(safe, 1), np.where(ignored, log_prob.dtype.type(0), weight)


def _nonzero(total: np.ndarray) -> np.ndarray:
    return np.where(total == 0, 1, total).astype(total.dtype)
