"""Scales and zero points: what they are for each element, and numbers rounded and cut to a quantised type."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import ELEMENT_TYPES, ElementType
from pagetrain.kernels.casting import converted

_RANGES = {ElementType.UINT4: (0, 15), ElementType.INT4: (-8, 7), ElementType.UINT2: (0, 3), ElementType.INT2: (-2, 1)}


def quantized(ratio: np.ndarray, zero_point: np.ndarray | None, dtype: np.dtype, saturate: bool = True) -> np.ndarray:
    """saturate(round(ratio) + zero_point), halves to the even number; floats of 8 and 4 bits are rounded by their own type."""
    limits = limits_of(dtype)
    if limits is None:
        return converted(ratio if zero_point is None else ratio.astype(np.float32) + zero_point.astype(np.float32), dtype, saturate)
    rounded = np.rint(ratio if ratio.dtype.itemsize > 2 else ratio.astype(np.float32))
    shifted = rounded if zero_point is None else rounded + zero_point.astype(np.float32)
    return np.asarray(np.clip(shifted, *limits)).astype(np.int32).astype(dtype)


def limits_of(dtype: np.dtype) -> tuple[int, int] | None:
    """(least, greatest) of an integer type, None for floats."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return _RANGES.get(ELEMENT_TYPES[dtype])


def spread(value: np.ndarray, shape: tuple[int, ...], axis: int, block_size: int = 0) -> np.ndarray:
    """A scale or zero point so that it broadcasts against an array of `shape`.

    value: a scalar, one number for each place along axis, or with block_size one for each run of so many of them.
    """
    if block_size:
        return np.broadcast_to(np.take(value, np.arange(shape[axis]) // block_size, axis), shape)
    if value.size == 1:
        return value.reshape(())
    return np.broadcast_to(value.reshape([-1 if place == axis % len(shape) else 1 for place in range(len(shape))]), shape)


def floats_of(X: np.ndarray, scale: np.ndarray, zero_point: np.ndarray | None) -> np.ndarray:
    """What small numbers with one scale and zero point stand for, float32."""
    wide = X.astype(np.float32)
    return np.asarray((wide if zero_point is None else wide - zero_point.reshape(()).astype(np.float32)) * scale.reshape(()))


def numbers_of(Y: np.ndarray, scale: np.ndarray, zero_point: np.ndarray | None, dtype: np.dtype) -> np.ndarray:
    """floats_of undone."""
    return quantized(np.divide(Y, scale.reshape(())), None if zero_point is None else zero_point.reshape(()), dtype)
