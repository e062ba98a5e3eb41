"""What undoes a broadcast in a backward pass."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from ..graph import MS_DOMAIN
from .reduce import reduce_sum
from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("DivGrad", domain=MS_DOMAIN, workspace=2)
def div_grad(dY: np.ndarray, A: np.ndarray, B: np.ndarray) -> Result:
    """dA = dY / B, dB = -dY A / B^2, each summed to its operand's shape. Source: com.microsoft DivGrad-1."""
    quotient = dY / B
    return _sum_to(quotient, A.shape), _sum_to(-quotient * A / B, B.shape)


@kernel("BroadcastGradientArgs", domain=MS_DOMAIN)
def broadcast_gradient_args(a_shape: np.ndarray, b_shape: np.ndarray) -> Result:
    """For each of two shapes the axes of their common shape along which it is stretched, int64, descending.

    Source: com.microsoft BroadcastGradientArgs-1.
    """
    pairs = list(zip_longest(a_shape[::-1].tolist(), b_shape[::-1].tolist()))
    last = len(pairs) - 1
    a_axes = [last - back for back, (a, b) in enumerate(pairs) if a is None or (a == 1 and b not in (1, None))]
    b_axes = [last - back for back, (a, b) in enumerate(pairs) if b is None or (b == 1 and a not in (1, None))]
    return np.array(a_axes, np.int64), np.array(b_axes, np.int64)


@kernel("ReduceSumTraining", domain=MS_DOMAIN)
def reduce_sum_training(data: np.ndarray, axes: np.ndarray, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Result:
    """As ReduceSum-13, for models whose opset has it not. Source: com.microsoft ReduceSumTraining-1."""
    return reduce_sum(data, axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)


def _sum_to(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    lead = gradient.ndim - len(shape)
    stretched = [lead + axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[lead + axis] != 1]
    axes = (*range(lead), *stretched)
    return np.asarray(gradient.sum(axis=axes) if axes else gradient).reshape(shape)
