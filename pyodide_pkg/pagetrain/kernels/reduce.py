"""ReduceSum, ReduceMean and their kin: axes as an attribute in older versions, as an input in newer ones."""

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


def _abs_sum(data: np.ndarray, **over: Any) -> np.ndarray:
    return np.asarray(np.abs(data).sum(**over))


def _square_sum(data: np.ndarray, **over: Any) -> np.ndarray:
    return np.asarray(np.square(data).sum(**over))


def _norm(data: np.ndarray, **over: Any) -> np.ndarray:
    return np.asarray(np.sqrt(_square_sum(data, **over)))


def _log_sum(data: np.ndarray, **over: Any) -> np.ndarray:
    total = np.asarray(data.sum(**over))
    return np.asarray(np.log(total, out=total if total.dtype.kind == "f" else None))


def _mean(data: np.ndarray, **over: Any) -> np.ndarray:
    """NaN of nothing, for which numpy has a warning."""
    return np.asarray(np.mean(data, **over) if data.size else np.sum(data, **over) / np.float32(0))


def _max(data: np.ndarray, **over: Any) -> np.ndarray:
    return np.asarray(np.max(data, initial=_least(data.dtype), **over))


def _min(data: np.ndarray, **over: Any) -> np.ndarray:
    return np.asarray(np.min(data, initial=_greatest(data.dtype), **over))


def _least(dtype: np.dtype) -> Any:
    """The maximum of nothing."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.kind == "f" and -np.inf


def _greatest(dtype: np.dtype) -> Any:
    """The minimum of nothing."""
    return np.iinfo(dtype).max if dtype.kind in "iu" else dtype.kind == "b" or np.inf


def _log_sum_exp(data: np.ndarray, axis: Any, keepdims: bool) -> np.ndarray:
    """The maximum is taken out first; an infinite one is left in."""
    largest = _max(data, axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0).astype(data.dtype)
    powers = np.asarray(data - largest)
    total = np.log(np.exp(powers, out=powers).sum(axis=axis, keepdims=True)) + largest
    return np.asarray(total if keepdims else total.squeeze(axis))


_BY_ELEMENT = ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp")  # what is summed is an array of its own

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceMean": _mean,
    "ReduceMax": _max,
    "ReduceMin": _min,
    "ReduceProd": np.prod,
    "ReduceL1": _abs_sum,
    "ReduceL2": _norm,
    "ReduceSumSquare": _square_sum,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
}


def _declare(op_type: str, reduction: Callable[..., Any]) -> None:
    """The ops of this table have the same two forms."""
    workspace = int(op_type in _BY_ELEMENT)

    @kernel(op_type, since=1, workspace=workspace)
    def with_attribute(data: np.ndarray, *, axes: Sequence[int] | None = None, keepdims: int = 1) -> Result:
        """reduced = data reduced over axes (default: all). Source: ONNX Reduce*-1, -11, -12, -13."""
        return _reduced(reduction, data, axes, keepdims, noop=0)

    @kernel(op_type, since=18, workspace=workspace)
    def with_input(data: np.ndarray, axes: np.ndarray | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Result:
        """As before; with noop_with_empty_axes over none without axes, squares and logarithms still taken. Source: ONNX Reduce*-18, -20."""
        return _reduced(reduction, data, axes, keepdims, noop_with_empty_axes)


for _op_type, _reduction in _REDUCTIONS.items():
    _declare(_op_type, _reduction)


def _reduced(reduction: Callable[..., Any], data: np.ndarray, axes: Sequence[int] | np.ndarray | None, keepdims: int, noop: int) -> Result:
    """The element type stays that of data, also for integers. numpy has an empty tuple mean no axis, ONNX an empty list every axis."""
    chosen = None if axes is None or len(axes) == 0 else tuple(int(axis) for axis in axes)
    if chosen is None and noop:
        chosen = ()
    return (np.asarray(reduction(data, axis=chosen, keepdims=bool(keepdims))).astype(data.dtype, copy=False),)
