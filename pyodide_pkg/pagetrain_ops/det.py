"""Det."""

from __future__ import annotations

import numpy as np

from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Det", since=11, workspace=2)
def det(X: np.ndarray) -> Result:
    """Y = the determinant of each matrix of the last two axes. Source: ONNX Det-11, -22."""
    return (np.asarray(np.linalg.det(X), X.dtype),)
