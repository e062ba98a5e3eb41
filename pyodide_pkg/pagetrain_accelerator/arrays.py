"""Arrays as the side module reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .library import Library

FLOAT = np.dtype(np.float32)
WIDE = 8  # columns of a panel, as in tile.h
NO_SPARES = ()  # a runner's `spares`: the pointers of the C functions are `restrict`, so no result is written over an input


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


def alike(library: Library, name: str, *inputs: np.ndarray, numbers: tuple[float, ...] = ()) -> np.ndarray | None:
    """What the C function makes of inputs of one shape, element by element; None unless all lie in C order, or all channels last.

    The result lies as they do.
    """
    shape = inputs[0].shape
    if not are_floats(*inputs) or any(value.shape != shape for value in inputs):
        return None
    in_c_order = all(value.flags.c_contiguous for value in inputs)
    memory = inputs if in_c_order or len(shape) < 3 else tuple(np.moveaxis(value, 1, -1) for value in inputs)
    if not all(value.flags.c_contiguous for value in memory):
        return None
    result = np.empty(memory[0].shape, FLOAT)
    library.call(name, *memory, result, result.size, *numbers)
    return result if in_c_order else np.moveaxis(result, -1, 1)
