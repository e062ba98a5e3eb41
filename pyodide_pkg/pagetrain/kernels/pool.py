"""GlobalAveragePool, and the scaling its gradient uses."""

from __future__ import annotations

from math import prod

import numpy as np

from ..graph import MS_DOMAIN
from .registry import kernel
from .spare import Spare, room_for_floats

Result = tuple[np.ndarray, ...]


@kernel("GlobalAveragePool", since=1)
def global_average_pool(X: np.ndarray) -> Result:
    """Y = mean over all spatial positions. X: (N, C, d1..); Y: (N, C, 1..). Source: ONNX GlobalAveragePool-1, -22."""
    total = np.add.reduce(X, axis=tuple(range(2, X.ndim)), keepdims=True)
    total /= X.dtype.type(prod(X.shape[2:]))
    return (total,)


@kernel("Scale", domain=MS_DOMAIN, spares=(0,))
def scale(input: np.ndarray, scale: np.ndarray, *, scale_down: int = 0, spare: Spare = ()) -> Result:
    """output = input * scale, or input / scale with scale_down. scale: one element of any type. Source: com.microsoft Scale-1."""
    factor = input.dtype.type(scale.reshape(()))
    return ((np.divide if scale_down else np.multiply)(input, factor, out=room_for_floats(spare, input) if spare else None),)
