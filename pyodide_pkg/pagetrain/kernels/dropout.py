"""Dropout."""

from __future__ import annotations

import numpy as np

from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Dropout", since=7)
def dropout_7(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """output = data, not copied: an op of evaluation alone. mask: all ones, of data's type. Source: ONNX Dropout-7."""
    return data, np.ones_like(data)


@kernel("Dropout", since=10)
def dropout_10(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """As Dropout-7; the mask is bool. Source: ONNX Dropout-10."""
    return data, np.ones(data.shape, bool)


@kernel("Dropout", since=12)
def dropout_12(
    data: np.ndarray, ratio: np.ndarray | None = None, training_mode: np.ndarray | None = None, *, seed: int | None = None
) -> Result:
    """output = data, mask all true; with training_mode data * mask / (1 - ratio), each element kept with probability 1 - ratio.

    ratio: scalar in [0, 1), 0.5 if left out. seed: the same mask at every call; without it a new one. Source: ONNX Dropout-12, -13, -22.
    """
    if training_mode is None or not training_mode.all():
        return data, np.ones(data.shape, bool)
    share = 0.5 if ratio is None else float(ratio.reshape(()))
    mask = np.random.default_rng(seed).random(data.shape) >= share
    return np.where(mask, data / data.dtype.type(1 - share), data.dtype.type(0)), mask
