"""LayerNormalization, its relatives and gradient: statistics over the last axes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from ..graph import MS_DOMAIN
from .batch_norm import EPSILON
from .registry import Specs, kernel

Result = tuple[np.ndarray, ...]


def _of_layer_norm(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of what is squared, of half precision as float32, and of three statistics."""
    X = inputs[0]
    if X is None:
        return 0
    share = max(1, prod(X.shape[attributes.get("axis", -1) :]))
    return int(X.nbytes * ((1 if X.itemsize > 2 else 5) + 3 / share))


def _of_skip(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the same, and of the sum where it is no result."""
    wanted = len(outputs) > 3 and outputs[3]
    return _of_layer_norm(inputs, outputs, attributes) * (1 if wanted else 2)


@kernel("LayerNormalization", since=1, any_type=True, workspace=_of_layer_norm)
def layer_normalization(
    X: np.ndarray, Scale: np.ndarray, B: np.ndarray | None = None, *, axis: int = -1, epsilon: float = EPSILON, stash_type: int = 1
) -> Result:
    """(Y, Mean, InvStdDev): Y = (X - Mean) InvStdDev Scale + B, statistics over the axes from `axis` on.

    Mean, InvStdDev = 1 / sqrt(biased variance + epsilon): as X with those axes of size 1, float32 at least whatever stash_type says.
    Source: ONNX LayerNormalization-17; ORT's LayerNormalization-1 in the default domain is the same.
    """
    axes = _axes_from(X, axis)
    x = _wide(X)
    mean = x.mean(axis=axes, keepdims=True)
    centred = x - mean
    inverse = _inverse_root(centred, axes, epsilon)
    centred *= inverse
    Y = centred.astype(X.dtype, copy=False) * Scale
    if B is not None:
        Y = np.add(Y, B, out=Y if np.result_type(Y, B) == Y.dtype else None)
    return Y, mean, inverse


@kernel("LayerNormalizationGrad", domain=MS_DOMAIN, workspace=4)
def layer_normalization_grad(
    Y_grad: np.ndarray,
    X: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    inv_std_dev: np.ndarray,
    *,
    axis: int = -1,
    epsilon: float = EPSILON,
    stash_type: int = 1,
) -> Result:
    """(X_grad, scale_grad, bias_grad). With xh = (X - mean) inv and g = dY scale, means over the axes from `axis` on:

    dX = inv (g - mean(g) - xh mean(g xh)); dscale = sum dY xh; dbias = sum dY over the other axes.
    Source: com.microsoft LayerNormalizationGrad-1; Ba, Kiros and Hinton 2016.
    """
    axes = _axes_from(X, axis)
    xh = (X - mean) * inv_std_dev
    g = Y_grad * scale
    dX = g - g.mean(axis=axes, keepdims=True) - xh * (g * xh).mean(axis=axes, keepdims=True)
    dX *= inv_std_dev
    dscale, dbias = (_summed_to(value, scale, axes[0]) for value in (Y_grad * xh, Y_grad))
    return dX.astype(X.dtype, copy=False), dscale, dbias


@kernel("RMSNormalization", since=23, workspace=1, typed_by=(1,))
def rms_normalization(X: np.ndarray, scale: np.ndarray, *, axis: int = -1, epsilon: float = EPSILON, stash_type: int = 1) -> Result:
    """Y = X / sqrt(mean(X^2) + epsilon) scale, the mean over the axes from `axis` on. Source: ONNX RMSNormalization-23."""
    return simplified_layer_normalization(X, scale, axis=axis, epsilon=epsilon)[:1]


@kernel("SimplifiedLayerNormalization", since=1, any_type=True, workspace=_of_layer_norm)
def simplified_layer_normalization(
    X: np.ndarray, scale: np.ndarray, *, axis: int = -1, epsilon: float = EPSILON, stash_type: int = 1
) -> Result:
    """(Y, inv_std_var): as RMSNormalization; inv_std_var = 1 / sqrt(mean(X^2) + epsilon). Source: ORT's op in the default domain."""
    x = _wide(X)
    inverse = _inverse_root(x, _axes_from(X, axis), epsilon)
    return (x * inverse).astype(X.dtype, copy=False) * scale, inverse


@kernel("SkipLayerNormalization", domain=MS_DOMAIN, workspace=_of_skip)
def skip_layer_normalization(
    input: np.ndarray,
    skip: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    *,
    epsilon: float = 1e-12,
) -> Result:
    """(output, mean, inv_std_var, total): total = input + skip + bias, output = LayerNormalization(total, gamma, beta), last axis.

    skip may lack the batch. Source: com.microsoft SkipLayerNormalization-1.
    """
    total = input + skip
    if bias is not None:
        total += bias
    return *layer_normalization(total, gamma, beta, epsilon=epsilon), total


def _axes_from(X: np.ndarray, axis: int) -> tuple[int, ...]:
    return tuple(range(axis % X.ndim, X.ndim))


def _wide(X: np.ndarray) -> np.ndarray:
    """float16 and bfloat16 as float32: sums of its squares overflow."""
    return X.astype(np.float32) if X.dtype.itemsize == 2 else X


def _inverse_root(x: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    return np.asarray(1 / np.sqrt((x * x).mean(axis=axes, keepdims=True) + x.dtype.type(epsilon)))


def _summed_to(value: np.ndarray, scale: np.ndarray, first: int) -> np.ndarray:
    """The sum over the axes before `first`, in the shape of scale (which may be broadcast)."""
    total = value.sum(axis=tuple(range(first)))
    stretched = tuple(axis for axis, size in enumerate(scale.shape, total.ndim - scale.ndim) if size == 1 and total.shape[axis] != 1)
    lead = tuple(range(total.ndim - scale.ndim))
    return np.asarray(total.sum(axis=(*lead, *stretched)).reshape(scale.shape)).astype(scale.dtype, copy=False)
