"""Whether an array holds numbers alone, told by one pass over it."""

from __future__ import annotations

import numpy as np


def is_finite(array: np.ndarray) -> bool:
    """False where NaN or infinity is among the elements, which are floats.

    Either of them makes the sum one; only if it is one are the elements looked at: large numbers may have overflowed it. WebAssembly takes
    half the time of `np.isfinite(array).all()`: 0.45 instead of 0.87 ms for a million (Pyodide 0.27.7 under node, best of 15).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = array.sum()
    return bool(np.isfinite(total)) or bool(np.isfinite(array).all())
