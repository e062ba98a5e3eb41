"""EyeLike."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import NUMPY_DTYPES, ElementType
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("EyeLike", since=9, any_type=True)
def eye_like(input: np.ndarray, *, dtype: int | None = None, k: int = 0) -> Result:
    """output = 1 on the k-th diagonal, else 0, in the shape of input. Source: ONNX EyeLike-9."""
    rows, columns = input.shape
    return (np.eye(rows, columns, k, input.dtype if dtype is None else NUMPY_DTYPES[ElementType(dtype)]),)
