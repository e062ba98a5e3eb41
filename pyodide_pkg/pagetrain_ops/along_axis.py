"""Along one axis: the place of the largest and smallest, running sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.activation import flat_from
from pagetrain.kernels.registry import Specs, kernel

Result = tuple[np.ndarray, ...]


def _of_place(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of what finding a place takes: X with the axis at its end, where it is not there."""
    X, axis = inputs[0], attributes.get("axis", 0)
    if X and attributes.get("select_last_index"):
        return X.nbytes + sum(spec.nbytes for spec in outputs if spec)
    return 0 if X is None or axis % len(X.shape) == len(X.shape) - 1 else X.nbytes


def _of_hardmax(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the same, and of the places themselves while they are written to."""
    X, axis = inputs[0], attributes.get("axis", -1)
    return 0 if X is None else _of_place(inputs, outputs, {"axis": axis}) + prod(X.shape) // max(1, X.shape[axis]) * 8


def _of_running(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of CumSum's workspace: the sums, before they are moved on by one place."""
    return inputs[0].nbytes if inputs[0] and attributes.get("exclusive") else 0


@kernel("ArgMax", since=1, workspace=_of_place)
def arg_max_1(data: np.ndarray, *, axis: int = 0, keepdims: int = 1) -> Result:
    """reduced = the place along axis of the first largest element, int64. Source: ONNX ArgMax-1, -11."""
    return (_place(np.argmax, data, axis, keepdims),)


@kernel("ArgMax", since=12, workspace=_of_place)
def arg_max(data: np.ndarray, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Result:
    """As before; with select_last_index of the last of equal ones. Source: ONNX ArgMax-12, -13."""
    if not select_last_index:
        return (_place(np.argmax, data, axis, keepdims),)
    return (data.shape[axis] - 1 - _place(np.argmax, np.flip(data, axis), axis, keepdims),)


@kernel("ArgMin", since=1, workspace=_of_place)
def arg_min_1(data: np.ndarray, *, axis: int = 0, keepdims: int = 1) -> Result:
    """reduced = the place along axis of the first smallest element, int64. Source: ONNX ArgMin-1, -11."""
    return (_place(np.argmin, data, axis, keepdims),)


@kernel("ArgMin", since=12, workspace=_of_place)
def arg_min(data: np.ndarray, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Result:
    """As before; with select_last_index of the last of equal ones. Source: ONNX ArgMin-12, -13."""
    if not select_last_index:
        return (_place(np.argmin, data, axis, keepdims),)
    return (data.shape[axis] - 1 - _place(np.argmin, np.flip(data, axis), axis, keepdims),)


def _place(function: Callable[..., Any], data: np.ndarray, axis: int, keepdims: int) -> np.ndarray:
    return np.asarray(function(data, axis=axis, keepdims=bool(keepdims)), np.int64)


@kernel("Hardmax", since=13, workspace=_of_hardmax)
def hardmax(input: np.ndarray, *, axis: int = -1) -> Result:
    """output = 1 at the first largest element along axis, else 0. Source: ONNX Hardmax-13."""
    output = np.zeros_like(input)
    np.put_along_axis(output, input.argmax(axis=axis, keepdims=True), 1, axis=axis)
    return (output,)


@kernel("Hardmax", since=1)
def hardmax_1(input: np.ndarray, *, axis: int = 1) -> Result:
    """Hardmax over all axes from `axis` on, flattened into one. Source: ONNX Hardmax-1, -11."""
    return (hardmax(flat_from(input, axis))[0].reshape(input.shape),)


@kernel("CumSum", since=11, workspace=_of_running)
def cum_sum(x: np.ndarray, axis: np.ndarray, *, exclusive: int = 0, reverse: int = 0) -> Result:
    """y = sum of x up to each place along axis; exclusive: without it, reverse: from the end. Source: ONNX CumSum-11, -14."""
    return (_running(np.cumsum, 0, x, int(axis.reshape(())), exclusive, reverse),)


@kernel("CumProd", since=26, workspace=_of_running)
def cum_prod(x: np.ndarray, axis: np.ndarray, *, exclusive: int = 0, reverse: int = 0) -> Result:
    """y = product of x up to each place along axis; exclusive: without it, reverse: from the end. Source: ONNX CumProd-26."""
    return (_running(np.cumprod, 1, x, int(axis.reshape(())), exclusive, reverse),)


def _running(function: Callable[..., Any], empty: int, x: np.ndarray, axis: int, exclusive: int, reverse: int) -> np.ndarray:
    ahead = np.flip(x, axis) if reverse else x
    y = np.asarray(function(ahead, axis=axis, dtype=x.dtype))
    if exclusive:
        y = np.roll(y, 1, axis=axis)
        np.moveaxis(y, axis, 0)[:1] = empty
    return np.flip(y, axis) if reverse else y
