"""X where a mask is true, else 0."""

from __future__ import annotations

import numpy as np


def masked(X: np.ndarray, mask: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Y = X where mask, else 0, also where X is not finite. X: any numbers; mask: bool of the same shape, whose memory order Y has.

    out: where to put Y, which may be X, of its type.

    Bits times 0 or 1: vectorised, and without the NaN of infinity times 0. numpy.where takes 1.6 ms for 450,000 floats in CPython and 1.5
    in Pyodide with the comparisons for Clip's gradient, this 0.14 and 1.5; floats times bools 0.16 and 3.0.
    """
    bits = np.dtype(f"i{X.dtype.itemsize}")
    if out is not None:
        np.multiply(X.view(bits), mask, out=out.view(bits))
        return out
    kept = mask.astype(bits)
    kept *= X.view(bits)
    return kept.view(X.dtype)
