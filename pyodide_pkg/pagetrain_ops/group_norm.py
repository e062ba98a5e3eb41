"""InstanceNormalization, GroupNormalization, MeanVarianceNormalization, LpNormalization, LRN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.kernels.batch_norm import EPSILON
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("InstanceNormalization", since=6, workspace=2)
def instance_normalization(input: np.ndarray, scale: np.ndarray, B: np.ndarray, *, epsilon: float = EPSILON) -> Result:
    """output = (input - mean) scale / sqrt(var + epsilon) + B, statistics over the pixels of each channel of each picture.

    input: (N, C, d1..); scale, B: (C,). Source: ONNX InstanceNormalization-6, -22.
    """
    normal = _normalized(input, tuple(range(2, input.ndim)), epsilon)
    return (normal * _per_channel(scale, input) + _per_channel(B, input),)


@kernel("GroupNormalization", since=18, workspace=2)
def group_normalization_18(X: np.ndarray, scale: np.ndarray, bias: np.ndarray, *, epsilon: float = EPSILON, num_groups: int) -> Result:
    """As GroupNormalization-21 with one scale and bias per group: (num_groups,). Source: ONNX GroupNormalization-18."""
    size = X.shape[1] // num_groups
    return group_normalization(X, np.repeat(scale, size), np.repeat(bias, size), epsilon=epsilon, num_groups=num_groups)


@kernel("GroupNormalization", since=21, workspace=2)
def group_normalization(
    X: np.ndarray, scale: np.ndarray, bias: np.ndarray, *, epsilon: float = EPSILON, num_groups: int, stash_type: int = 1
) -> Result:
    """Y = (X - mean) scale / sqrt(var + epsilon) + bias, statistics over the channels and pixels of each group of each picture.

    X: (N, C, d1..), C a multiple of num_groups; scale, bias: (C,). Source: ONNX GroupNormalization-21; Wu and He 2018.
    """
    normal = _normalized(X.reshape(X.shape[0], num_groups, -1), (2,), epsilon).reshape(X.shape)
    return (normal * _per_channel(scale, X) + _per_channel(bias, X),)


@kernel("MeanVarianceNormalization", since=9, workspace=1)
def mean_variance_normalization(X: np.ndarray, *, axes: Sequence[int] = (0, 2, 3)) -> Result:
    """Y = (X - mean) / (sqrt(var) + 1e-9), statistics over axes. Source: ONNX MeanVarianceNormalization-9, -13."""
    along = tuple(axes)
    centred = X - X.mean(axis=along, keepdims=True)
    return (centred / (np.sqrt((centred * centred).mean(axis=along, keepdims=True)) + X.dtype.type(1e-9)),)


@kernel("LpNormalization", since=1, workspace=1.25)
def lp_normalization(input: np.ndarray, *, axis: int = -1, p: int = 2) -> Result:
    """output = input / norm along axis, p = 1: sum |x|, 2: sqrt(sum x^2); 0 where the norm is 0. Source: ONNX LpNormalization-1, -22."""
    norm = np.abs(input).sum(axis=axis, keepdims=True) if p == 1 else np.sqrt((input * input).sum(axis=axis, keepdims=True))
    return (np.where(norm == 0, input.dtype.type(0), input / np.where(norm == 0, input.dtype.type(1), norm)),)


@kernel("LRN", since=1, workspace=3)
def lrn(X: np.ndarray, *, alpha: float = 9.999999747378752e-05, beta: float = 0.75, bias: float = 1.0, size: int) -> Result:
    """Y = X / (bias + alpha / size * sum of X^2 over the `size` channels around)^beta. X: (N, C, d1..).

    The window begins (size - 1) // 2 channels before. Source: ONNX LRN-1, -13.
    """
    before = (size - 1) // 2
    padded = np.pad(X * X, [(0, 0), (before, size - 1 - before), *[(0, 0)] * (X.ndim - 2)])
    total = sum(padded[:, start : start + X.shape[1]] for start in range(size))
    return ((X / (bias + alpha / size * total) ** beta).astype(X.dtype, copy=False),)


def _normalized(X: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    centred = X - X.mean(axis=axes, keepdims=True)
    centred /= np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + X.dtype.type(epsilon))
    return np.asarray(centred)


def _per_channel(values: np.ndarray, X: np.ndarray) -> np.ndarray:
    return values.reshape(-1, *[1] * (X.ndim - 2))
