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
    packed = panels_for(inner, columns)
    library.call("pack_rows" if turned else "pack_columns", B, packed, inner, columns)
    return packed


def panels_for(inner: int, columns: int) -> np.ndarray:
    """Room for the panels of B (inner, columns)."""
    return np.empty((-(-columns // WIDE), inner, WIDE), FLOAT)


def laid(X: np.ndarray) -> np.ndarray | None:
    """The memory of X as a C-contiguous view, whatever the order of its axes; None where it has gaps, or an order that no kernel makes."""
    if X.flags.c_contiguous:
        return X
    view = np.moveaxis(X, 1, -1) if X.ndim > 2 else X.T
    return view if view.flags.c_contiguous else None


def alike(library: Library, name: str, *inputs: np.ndarray, numbers: tuple[float, ...] = ()) -> np.ndarray | None:
    """What the C function makes of inputs of one shape, element by element, in their memory order; None if they differ in that."""
    first = inputs[0]
    if not are_floats(*inputs) or any(value.shape != first.shape or (value.strides != first.strides and value.size) for value in inputs):
        return None
    memory = [laid(value) for value in inputs]
    if any(view is None for view in memory):
        return None
    result = np.empty_like(first)
    library.call(name, *memory, laid(result), first.size, *numbers)
    return result
