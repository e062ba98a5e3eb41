"""Einsum."""

from __future__ import annotations

import numpy as np

from pagetrain.kernels.product import HAS_BLAS
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Einsum", since=12)
def einsum(*Inputs: np.ndarray, equation: str) -> Result:
    """Output = the sum of products that the equation says, as numpy.einsum. Source: ONNX Einsum-12.

    Two operands go by way of the matrix product only where that is fast, more of them pair by pair.
    """
    return (np.asarray(np.einsum(equation, *Inputs, optimize=HAS_BLAS or len(Inputs) > 2)),)
