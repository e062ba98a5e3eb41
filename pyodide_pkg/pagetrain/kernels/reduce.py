"""ReduceSum and ReduceMean: axes as an attribute in older versions, as an input in newer ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("ReduceSum", since=1)
def reduce_sum_1(data: np.ndarray, *, axes: Sequence[int] | None = None, keepdims: int = 1) -> Result:
    """reduced = sum of data over axes (default: all). Source: ONNX ReduceSum-1, -11."""
    return _reduced(np.sum, data, axes, keepdims, noop=0)


@kernel("ReduceSum", since=13)
def reduce_sum(data: np.ndarray, axes: np.ndarray | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Result:
    """reduced = sum of data over axes; without axes over all, or over none with noop_with_empty_axes. Source: ONNX ReduceSum-13."""
    return _reduced(np.sum, data, axes, keepdims, noop_with_empty_axes)


@kernel("ReduceMean", since=1)
def reduce_mean_1(data: np.ndarray, *, axes: Sequence[int] | None = None, keepdims: int = 1) -> Result:
    """reduced = mean of data over axes (default: all). Source: ONNX ReduceMean-1, -11, -13."""
    return _reduced(np.mean, data, axes, keepdims, noop=0)


@kernel("ReduceMean", since=18)
def reduce_mean(data: np.ndarray, axes: np.ndarray | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Result:
    """reduced = mean of data over axes; without axes over all, or over none with noop_with_empty_axes. Source: ONNX ReduceMean-18."""
    return _reduced(np.mean, data, axes, keepdims, noop_with_empty_axes)


def _reduced(reduction: Callable[..., Any], data: np.ndarray, axes: Sequence[int] | np.ndarray | None, keepdims: int, noop: int) -> Result:
    """The element type stays that of data, also for integers. numpy has an empty tuple mean no axis, ONNX an empty list every axis."""
    chosen = None if axes is None or len(axes) == 0 else tuple(int(axis) for axis in axes)
    if chosen is None and noop:
        return (data,)
    return (np.asarray(reduction(data, axis=chosen, keepdims=bool(keepdims))).astype(data.dtype, copy=False),)
