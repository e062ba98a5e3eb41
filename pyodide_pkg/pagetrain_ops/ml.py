"""Ops of ai.onnx.ml that stand around a network: scikit-learn's preprocessing, and the choice of a label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.graph import ML_DOMAIN
from pagetrain.kernels.registry import kernel, per_element

Result = tuple[np.ndarray, ...]


@kernel("ArrayFeatureExtractor", domain=ML_DOMAIN)
def array_feature_extractor(X: np.ndarray, Y: np.ndarray) -> Result:
    """Z = X[..., Y]: elements of the last axis. X: (..., features) of any type; Y: int64 indices; Z: (..., indices), two axes at least.

    Source: ai.onnx.ml ArrayFeatureExtractor-1.
    """
    return (np.take(np.atleast_2d(X), Y.reshape(-1).astype(np.intp), axis=-1),)


@kernel("Scaler", domain=ML_DOMAIN, workspace=per_element({}, {0: 4}))
def scaler(X: np.ndarray, *, offset: Sequence[float] = (), scale: Sequence[float] = ()) -> Result:
    """Y = (X - offset) * scale, float32. X: (N, features) numbers; offset, scale: one per feature, or one for all.

    Source: ai.onnx.ml Scaler-1.
    """
    offsets, factors = (np.array(values, np.float32) for values in (offset or (0,), scale or (1,)))
    return ((X.astype(np.float32) - offsets) * factors,)
