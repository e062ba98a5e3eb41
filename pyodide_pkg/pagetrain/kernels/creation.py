"""Tensors from sizes and numbers: Constant, ConstantOfShape, Range, OneHot; places of what is not zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .registry import kernel, per_element

Result = tuple[np.ndarray, ...]


@kernel("Constant", since=1)
def constant_1(*, value: np.ndarray) -> Result:
    """output = value. Source: ONNX Constant-1 to -11, without sparse_value."""
    return (value,)


@kernel("Constant", since=12)
def constant(
    *,
    value: np.ndarray | None = None,
    value_float: float | None = None,
    value_floats: Sequence[float] | None = None,
    value_int: int | None = None,
    value_ints: Sequence[int] | None = None,
    value_string: str | None = None,
    value_strings: Sequence[str] | None = None,
) -> Result:
    """output = the one value given: a tensor, float32, int64 or text, alone or as a list.

    Source: ONNX Constant-12 to -21, without sparse_value.
    """
    if value is not None:
        return (value,)
    for given, dtype in ((value_float, np.float32), (value_floats, np.float32), (value_int, np.int64), (value_ints, np.int64)):
        if given is not None:
            return (np.array(given, dtype),)
    return (np.array(value_string if value_string is not None else value_strings, np.object_),)


@kernel("ConstantOfShape", since=9)
def constant_of_shape(input: np.ndarray, *, value: np.ndarray | None = None) -> Result:
    """output = the one element of value (default: float32 0) in the shape `input`. Source: ONNX ConstantOfShape-9 to -21."""
    shape = tuple(int(size) for size in input)
    if value is None:
        return (np.zeros(shape, np.float32),)
    return (np.full(shape, value.item(), value.dtype),)


@kernel("Range", since=11)
def range_(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> Result:
    """output[i] = start + i delta, as many as lie before limit. Source: ONNX Range-11."""
    return range_27(start, limit, delta)


@kernel("Range", since=27)
def range_27(start: np.ndarray, limit: np.ndarray, delta: np.ndarray, *, stash_type: int = 1) -> Result:
    """As Range-11; `stash_type` speaks of half floats alone, which are counted in double. Source: ONNX Range-27."""
    first, step = start.item(), delta.item()
    count = max(0, int(np.ceil((limit.item() - first) / step)))
    return ((first + np.arange(count, dtype=np.float64 if start.dtype.kind == "f" else np.int64) * step).astype(start.dtype),)


@kernel("OneHot", since=9, workspace=per_element({0: 8}, {0: 1}), typed_by=(2,))
def one_hot(indices: np.ndarray, depth: np.ndarray, values: np.ndarray, *, axis: int = -1) -> Result:
    """output = values[1] at the class that the index says, else values[0]; classes lie on a new axis. Source: ONNX OneHot-9, -11.

    depth: the number of classes. Negative indices count from the end, those beyond give values[0] throughout.
    """
    classes = int(depth.item())
    place = axis % (indices.ndim + 1)
    numbers = np.arange(classes).reshape(-1, *[1] * (indices.ndim - place))
    wrapped = np.where(indices < 0, indices + classes, indices)
    return (np.where(np.expand_dims(wrapped, place) == numbers, values[1], values[0]),)


@kernel("NonZero", since=9)
def non_zero(X: np.ndarray) -> Result:
    """Y = the places of elements other than 0, one column each, int64. Source: ONNX NonZero-9, -13."""
    return (np.array(np.nonzero(np.atleast_1d(X)), np.int64),)
