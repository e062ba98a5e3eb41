"""Arrays as the side module reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .library import Library

FLOAT = np.dtype(np.float32)
WIDE = 8  # columns of a panel, as in gemm.c


def are_floats(*values: Any) -> bool:
    """Whether every one is an array of float32, or left out."""
    return all(value is None or (type(value) is np.ndarray and value.dtype == FLOAT) for value in values)


def channels_last(library: Library, X: np.ndarray) -> np.ndarray:
    """(N, H, W, C), C-contiguous: no copy if X (N, C, H, W) is what a convolution returned."""
    view = X.transpose(0, 2, 3, 1)
    if view.flags.c_contiguous:
        return view
    if not X.flags.c_contiguous:
        return np.ascontiguousarray(view)
    turned = np.empty(view.shape, FLOAT)
    library.call("transpose", X, turned, X.shape[0], X.shape[1], X.shape[2] * X.shape[3])
    return turned


def channels_first(x: np.ndarray) -> np.ndarray:
    """(N, C, H, W), a view."""
    return x.transpose(0, 3, 1, 2)


def panels(library: Library, B: np.ndarray, turned: bool = False) -> np.ndarray:
    """B (K, N) packed for gemm; with `turned`, the transpose of B (N, K)."""
    B = np.ascontiguousarray(B)
    inner, columns = B.shape[::-1] if turned else B.shape
    packed = np.empty((-(-columns // WIDE), inner, WIDE), FLOAT)
    library.call("pack_rows" if turned else "pack_columns", B, packed, inner, columns)
    return packed
