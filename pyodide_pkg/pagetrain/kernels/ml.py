"""Ops of ai.onnx.ml that stand before a network: scikit-learn's preprocessing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .registry import kernel

ML_DOMAIN = "ai.onnx.ml"
Result = tuple[np.ndarray, ...]


@kernel("Scaler", domain=ML_DOMAIN)
def scaler(X: np.ndarray, *, offset: Sequence[float] = (), scale: Sequence[float] = ()) -> Result:
    """Y = (X - offset) * scale, float32. X: (N, features) numbers; offset, scale: one per feature, or one for all.

    Source: ai.onnx.ml Scaler-1.
    """
    offsets, factors = (np.array(values, np.float32) for values in (offset or (0,), scale or (1,)))
    return ((X.astype(np.float32) - offsets) * factors,)
