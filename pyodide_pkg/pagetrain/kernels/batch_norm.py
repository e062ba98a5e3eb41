"""BatchNormalization: by running statistics, and by those of the batch with its gradient."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..graph import MS_DOMAIN
from .registry import kernel

Result = tuple[np.ndarray, ...]
EPSILON, MOMENTUM = 9.999999747378752e-06, 0.8999999761581421  # 1e-5 and 0.9 as float32


@kernel("BatchNormalization", since=7)
def batch_normalization_7(
    X: np.ndarray,
    scale: np.ndarray,
    B: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    *,
    epsilon: float = EPSILON,
    momentum: float = MOMENTUM,
    spatial: int = 1,
) -> Result:
    """As BatchNormalization-9; with spatial=0 every position has statistics of its own: scale, B, mean, var: (C, d1..).

    Source: ONNX BatchNormalization-7.
    """
    if spatial:
        return batch_normalization_9(X, scale, B, mean, var, epsilon=epsilon)
    return (((X - mean) * (scale / np.sqrt(var + X.dtype.type(epsilon))) + B),)


@kernel("BatchNormalization", since=9)
def batch_normalization_9(
    X: np.ndarray,
    scale: np.ndarray,
    B: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    *,
    epsilon: float = EPSILON,
    momentum: float = MOMENTUM,
) -> Result:
    """Y = (X - mean) scale / sqrt(var + epsilon) + B per channel: the evaluation form, whatever outputs the node names.

    X: (N, C, d1..); others: (C,). Source: ONNX BatchNormalization-9.
    """
    return (_affine(X, mean, _inverse_deviation(var, epsilon), scale, B),)


@kernel("BatchNormalization", since=14, typed_by=(0, 3, 4))
def batch_normalization(
    X: np.ndarray,
    scale: np.ndarray,
    B: np.ndarray,
    input_mean: np.ndarray,
    input_var: np.ndarray,
    *,
    epsilon: float = EPSILON,
    momentum: float = MOMENTUM,
    training_mode: int = 0,
) -> Result:
    """As BatchNormalization-9; with training_mode by the batch's own statistics, and then (Y, running_mean, running_var).

    running = momentum input + (1 - momentum) batch, with the biased variance. Source: ONNX BatchNormalization-14, -15.
    """
    if not training_mode:
        return batch_normalization_9(X, scale, B, input_mean, input_var, epsilon=epsilon)
    mean, var = _statistics(X)
    running = [old * momentum + new * (1 - momentum) for old, new in ((input_mean, mean), (input_var, var))]
    return _affine(X, mean, _inverse_deviation(var, epsilon), scale, B), *(new.astype(input_mean.dtype, copy=False) for new in running)


@kernel("BatchNormInternal", domain=MS_DOMAIN, mutates=(3, 4))
def batch_norm_internal(
    X: np.ndarray,
    scale: np.ndarray,
    B: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    *,
    epsilon: float = EPSILON,
    momentum: float = MOMENTUM,
    training_mode: int = 0,
) -> Result:
    """(Y, running_mean, running_var, saved_mean, saved_inv_std) by the batch's statistics; the running ones are written over mean and var.

    saved_inv_std = 1 / sqrt(biased variance + epsilon). Without training_mode Y is by mean and var, which stay. Source: ORT 1.19.
    """
    if training_mode:
        batch_mean, batch_var = _statistics(X)
        for running, new in ((mean, batch_mean), (var, batch_var)):
            running *= momentum
            running += (1 - momentum) * new
    else:
        batch_mean, batch_var = mean, var
    inverse = _inverse_deviation(batch_var, epsilon)
    return _affine(X, batch_mean, inverse, scale, B), mean, var, batch_mean, inverse


@kernel("BatchNormalizationGrad", domain=MS_DOMAIN, told=("wanted",), workspace=1, typed_by=(0, 2, 2))
def batch_normalization_grad(
    dY: np.ndarray,
    X: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    wanted: Collection[int] = (0, 1, 2),
    epsilon: float = EPSILON,
) -> tuple[np.ndarray | None, ...]:
    """(dX, dscale, dB) of a normalization by the batch's statistics, None for what is not wanted. With xh = (X - mean) inv, n pixels:

    dB = sum dY; dscale = sum dY xh; dX = scale inv (dY - dB / n - xh dscale / n). mean: saved_mean; variance: saved_inv_std, inv above,
    in spite of its name. Source: com.microsoft BatchNormalizationGrad-1 (ORT training); Ioffe and Szegedy 2015.
    """
    axes = _all_but_channels(X)
    xh = (X - _per_channel(mean, X)) * _per_channel(variance, X)
    dB, dscale = np.add.reduce(dY, axis=axes), np.add.reduce(dY * xh, axis=axes)
    if 0 not in wanted:
        return None, dscale, dB
    share = X.dtype.type(1 / (X.size // X.shape[1]))
    xh *= _per_channel(dscale * share, X)
    dX = dY - _per_channel(dB * share, X)
    dX -= xh
    dX *= _per_channel(scale * variance, X)
    return dX, dscale, dB


def _statistics(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and biased variance of each channel."""
    axes = _all_but_channels(X)
    count = max(1, X.size // X.shape[1])
    mean = np.asarray(np.add.reduce(X, axis=axes) / X.dtype.type(count))
    centred = X - _per_channel(mean, X)
    centred *= centred
    return mean, np.asarray(np.add.reduce(centred, axis=axes) / X.dtype.type(count))


def _inverse_deviation(var: np.ndarray, epsilon: float) -> np.ndarray:
    return np.asarray(1 / np.sqrt(var + var.dtype.type(epsilon)))


def _affine(X: np.ndarray, mean: np.ndarray, inverse: np.ndarray, scale: np.ndarray, B: np.ndarray) -> np.ndarray:
    Y = X - _per_channel(mean, X)
    Y *= _per_channel(scale * inverse, X)
    Y += _per_channel(B, X)
    return np.asarray(Y, X.dtype)


def _all_but_channels(X: np.ndarray) -> tuple[int, ...]:
    return tuple(axis for axis in range(X.ndim) if axis != 1)


def _per_channel(values: np.ndarray, X: np.ndarray) -> np.ndarray:
    """(C,) as (C, 1..), to stand against X (N, C, d1..)."""
    return values.reshape(-1, *[1] * (X.ndim - 2))
