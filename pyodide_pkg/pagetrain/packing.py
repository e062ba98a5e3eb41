"""Elements of less than a byte, as files hold them: two or four to a byte, the first in the lowest bits; in memory each has a byte.

Source: onnx.proto's raw_data (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

import math
import sys

import numpy as np

from .graph import ELEMENT_TYPES, ElementType

_BITS = {ElementType.UINT4: 4, ElementType.INT4: 4, ElementType.FLOAT4E2M1: 4, ElementType.UINT2: 2, ElementType.INT2: 2}


def packed_size(dtype: np.dtype, count: int) -> int:
    """The bytes that `count` elements take in a file."""
    return -(-count * _bits(dtype) // 8)


def packed(array: np.ndarray) -> bytes:
    """The elements in row-major order, as a file holds them."""
    bits = _bits(array.dtype)
    if bits >= 8:
        return array.tobytes()
    each = 8 // bits
    single = np.frombuffer(array.tobytes(), np.uint8) & np.uint8(2**bits - 1)
    rows = np.zeros((-(-single.size // each), each), np.uint8)
    rows.ravel()[: single.size] = single
    whole: np.ndarray = np.bitwise_or.reduce(rows << (np.arange(each, dtype=np.uint8) * np.uint8(bits)), axis=1)
    return whole.tobytes()


def stored(array: np.ndarray) -> memoryview:
    """The same as packed gives; the array's own memory, not a copy, where a file holds it just so."""
    if is_packed(array.dtype) or sys.byteorder != "little":
        return memoryview(packed(array if sys.byteorder == "little" else array.byteswap()))
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def restored(raw: bytes | memoryview, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """packed read backwards, read-only: the bytes' own memory where elements are aligned there. raw: packed_size of them."""
    if is_packed(dtype):
        array = unpacked(raw, dtype, math.prod(shape))
    elif dtype.kind == "b":
        array = np.frombuffer(raw, np.uint8) != 0  # a bool of any other byte is undefined in numpy
    else:
        array = np.require(np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype, copy=False), requirements="A")
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


def unpacked(raw: bytes | memoryview, dtype: np.dtype, count: int) -> np.ndarray:
    """`count` elements of a type of less than a byte, from packed_size(dtype, count) bytes."""
    bits = _bits(dtype)
    shifts = np.arange(8 // bits, dtype=np.uint8) * np.uint8(bits)
    single = ((np.frombuffer(raw, np.uint8)[:, None] >> shifts) & np.uint8(2**bits - 1)).ravel()[:count]
    return single.view(dtype)  # ml_dtypes reads the sign from the lowest bits, and leaves the others 0


def is_packed(dtype: np.dtype) -> bool:
    """Whether several elements share a byte in a file."""
    return _bits(dtype) < 8


def _bits(dtype: np.dtype) -> int:
    return _BITS.get(ELEMENT_TYPES[dtype], 8 * dtype.itemsize)
