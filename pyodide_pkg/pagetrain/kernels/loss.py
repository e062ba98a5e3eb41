"""SoftmaxCrossEntropyLoss, its gradient, and NegativeLogLikelihoodLoss."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError
from ..graph import MS_DOMAIN
from .activation import log_softmax
from .registry import kernel, per_element
from .window import Index

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


@kernel("NegativeLogLikelihoodLoss", since=12, workspace=per_element({1: 15}))
def negative_log_likelihood_loss(
    input: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Result:
    """loss = -weight[target] input[target], reduced over the batch.

    input: (N, C, d1..) logarithms of probabilities; target: (N, d1..) int in [0, C) or ignore_index; weight: (C,).
    loss: scalar in nats, or (N, d1..) for "none". The mean divides by the sum of the weights of the targets that count, not by N; when
    none counts it is 0, as in ORT. Source: ONNX NegativeLogLikelihoodLoss-12, -13, -22.
    Raises InvalidInputError for a target outside [0, C), ShapeMismatchError.
    """
    picked, factor, total = _labels_and_weights(input, target, weight, ignore_index)
    losses = -input[picked]
    if factor is not None:
        losses *= factor
    if reduction == "none":
        return (losses,)
    return (np.asarray(losses.sum() / (total or 1) if reduction == "mean" else losses.sum(), input.dtype),)


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
    picked, factor, total = _labels_and_weights(log_prob, label, weight, ignore_index)
    share = dY / (total or 1) if reduction == "mean" else dY
    gradient = np.exp(log_prob)
    gradient[picked] -= 1
    factor = share if factor is None else factor * share
    gradient *= np.expand_dims(factor, 1) if np.ndim(factor) else factor
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
) -> tuple[Index, np.ndarray | None, Any]:
    """(where log_prob of each label stands, that of ignored ones at class 0; the weight of each, ignored ones 0; the sum of the weights).

    No weights where all are 1.
    """
    if labels.shape != (log_prob.shape[0], *log_prob.shape[2:]):
        raise ShapeMismatchError(f"labels must have the shape of scores without the class axis 1: got {labels.shape} for {log_prob.shape}.")
    classes = log_prob.shape[1]
    if weights is not None and weights.shape != (classes,):
        raise ShapeMismatchError(f"weights must have shape ({classes},), one per class, got {weights.shape}.")
    ignored = None if ignore_index is None else labels == ignore_index
    safe = (labels if ignored is None else np.where(ignored, 0, labels)).astype(np.int64)
    if safe.view(np.uint64).max(initial=0) >= classes:  # a negative label is a large one
        bad = safe[(safe < 0) | (safe >= classes)]
        raise InvalidInputError(f"The label {bad[0]} is none of the {classes} classes 0 to {classes - 1}.")
    batch, *places = _places(labels.shape)
    index = (batch, safe, *places)
    if weights is None and ignored is None:
        return index, None, log_prob.dtype.type(labels.size)
    weight = np.ones(labels.shape, log_prob.dtype) if weights is None else weights[safe]
    if ignored is not None:
        weight = np.where(ignored, log_prob.dtype.type(0), weight)
    return index, weight, weight.sum()


@lru_cache(64)
def _places(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The index of every element along each axis, stretched over the others by broadcasting; the same in every step."""
    return np.indices(shape, np.intp, sparse=True)
