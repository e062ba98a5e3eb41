"""Matrices of float32 as .npy files, version 1.0, which numpy reads everywhere. Source: NEP 1.

Read by one pattern: numpy's reader takes the header for Python, and fails in many ways on what is none.
"""

from __future__ import annotations

import io
import re

import numpy as np

_START = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9]{1,9}), ([0-9]{1,9})\), ?\} *\n", re.DOTALL
)
_BEFORE = 10  # bytes, of which the last two tell how many follow in the header


def npy_of(values: np.ndarray) -> bytes:
    """The file."""
    stream = io.BytesIO()
    np.save(stream, values.astype("<f4"), allow_pickle=False)
    return stream.getvalue()


def matrix_in(data: bytes) -> np.ndarray:
    """(rows, width), a view of `data`. Raises ValueError for another kind of array, or bytes that do not fill it exactly."""
    start = _START.match(data)
    if start is None or start.end() != _BEFORE + int.from_bytes(data[_BEFORE - 2 : _BEFORE], "little"):
        raise ValueError("no rows of float32")
    rows, width = int(start[1]), int(start[2])
    if rows * width * 4 != len(data) - start.end():
        raise ValueError(f"{len(data) - start.end()} bytes, but {rows} x {width} take {rows * width * 4}")
    return np.frombuffer(data, "<f4", offset=start.end()).reshape(rows, width)
