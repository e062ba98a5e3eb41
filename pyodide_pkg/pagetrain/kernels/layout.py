"""Shapes and the order of elements: Shape, Size, Reshape, Expand, Transpose, ... Results are views where they can be."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .registry import Memory, kernel

Result = tuple[np.ndarray, ...]


@kernel("Shape", since=1, any_type=True)
def shape_1(data: np.ndarray) -> Result:
    """shape = the sizes of data, int64. Source: ONNX Shape-1, -13."""
    return (np.array(data.shape, np.int64),)


@kernel("Shape", since=15, any_type=True)
def shape(data: np.ndarray, *, start: int = 0, end: int | None = None) -> Result:
    """shape = the sizes of data[start:end], axes counted as in a slice. Source: ONNX Shape-15 to -21."""
    return (np.array(data.shape[start:end], np.int64),)


@kernel("Size", since=1, any_type=True)
def size(data: np.ndarray) -> Result:
    """size = number of elements, int64 scalar. Source: ONNX Size-1 to -21."""
    return (np.array(data.size, np.int64),)


@kernel("Expand", since=8, any_type=True, memory=Memory.VIEW)
def expand(input: np.ndarray, shape: np.ndarray) -> Result:
    """output = input broadcast against `shape` (both ways, so a 1 in shape keeps the input's size); a view. Source: ONNX Expand-8, -13."""
    target = tuple(shape.tolist())
    if input.shape != target:
        target = np.broadcast_shapes(input.shape, target)
    return (np.broadcast_to(input, target),)


@kernel("Reshape", since=5, any_type=True, memory=Memory.RESHAPED)
def reshape_5(data: np.ndarray, shape: np.ndarray) -> Result:
    """reshaped = data in `shape`; one -1 is worked out, 0 keeps the size of data at that place. Source: ONNX Reshape-5, -13."""
    return reshape(data, shape)


@kernel("Reshape", since=14, any_type=True, memory=Memory.RESHAPED)
def reshape(data: np.ndarray, shape: np.ndarray, *, allowzero: int = 0) -> Result:
    """As Reshape-5; with allowzero a 0 is an empty axis. Source: ONNX Reshape-14 to -21."""
    target = shape.tolist()
    if not allowzero:
        target = [data.shape[axis] if size == 0 else size for axis, size in enumerate(target)]
    return (data.reshape(target),)


@kernel("Flatten", since=1, any_type=True, memory=Memory.RESHAPED)
def flatten(input: np.ndarray, *, axis: int = 1) -> Result:
    """output = (product of the sizes before axis, product of the others). Source: ONNX Flatten-1 to -21."""
    split = axis if axis >= 0 else axis + input.ndim
    return (input.reshape(prod(input.shape[:split]), prod(input.shape[split:])),)


@kernel("Transpose", since=1, any_type=True, memory=Memory.TRANSPOSED)
def transpose(data: np.ndarray, *, perm: Sequence[int] | None = None) -> Result:
    """transposed axis i = data's axis perm[i]; default: reversed. A view. Source: ONNX Transpose-1 to -21."""
    return (np.transpose(data, perm),)


@kernel("Unsqueeze", since=1, any_type=True, memory=Memory.VIEW)
def unsqueeze_1(data: np.ndarray, *, axes: Sequence[int]) -> Result:
    """expanded = data with axes of size 1 put in, at these positions of the result. Source: ONNX Unsqueeze-1, -11."""
    return (np.expand_dims(data, tuple(int(axis) for axis in axes)),)


@kernel("Unsqueeze", since=13, any_type=True, memory=Memory.VIEW)
def unsqueeze(data: np.ndarray, axes: np.ndarray) -> Result:
    """As Unsqueeze-1; axes may be a scalar, as in the body of ONNX's AffineGrid. Source: ONNX Unsqueeze-13 to -21."""
    return unsqueeze_1(data, axes=axes.reshape(-1))


@kernel("Squeeze", since=1, any_type=True, memory=Memory.VIEW)
def squeeze_1(data: np.ndarray, *, axes: Sequence[int] | None = None) -> Result:
    """squeezed = data without these axes, or without all axes of size 1. Source: ONNX Squeeze-1, -11."""
    return (np.squeeze(data, None if axes is None else tuple(int(axis) for axis in axes)),)


@kernel("Squeeze", since=13, any_type=True, memory=Memory.VIEW)
def squeeze(data: np.ndarray, axes: np.ndarray | None = None) -> Result:
    """As Squeeze-1. Source: ONNX Squeeze-13 to -21."""
    return squeeze_1(data, axes=axes)
