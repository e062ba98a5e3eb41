"""LpPool and GlobalLpPool. Arrays are (N, C, d1..) to the outside, channels last inside, as in average_pool.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.kernels.average_pool import window_sum
from pagetrain.kernels.registry import kernel
from pagetrain.kernels.window import channels_first, channels_last, place

Result = tuple[np.ndarray, ...]


@kernel("LpPool", since=2, workspace=2)
def lp_pool_2(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    p: int = 2,
    auto_pad: str = "NOTSET",
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """As LpPool-18 without ceil_mode and dilations. Source: ONNX LpPool-2, -11."""
    return lp_pool(X, kernel_shape=kernel_shape, p=p, auto_pad=auto_pad, pads=pads, strides=strides)


@kernel("LpPool", since=18, workspace=2)
def lp_pool(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    p: int = 2,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = (sum over each window of |X|^p)^(1/p). X: (N, C, d1..); Y: (N, C, o1..). Source: ONNX LpPool-18, -22."""
    window = place(X.shape[2:], tuple(kernel_shape), auto_pad, dilations, pads, strides, ceil_mode)
    powers = np.asarray(np.abs(channels_last(X)))
    powers **= p
    return (channels_first(window_sum(window.padded(powers), window) ** X.dtype.type(1 / p)),)


@kernel("GlobalLpPool", since=2, workspace=1)
def global_lp_pool(X: np.ndarray, *, p: int = 2) -> Result:
    """Y = (sum over all spatial positions of |X|^p)^(1/p). X: (N, C, d1..); Y: (N, C, 1..). Source: ONNX GlobalLpPool-2, -22."""
    powers = np.asarray(np.abs(X))
    powers **= p
    return (powers.sum(axis=tuple(range(2, X.ndim)), keepdims=True) ** X.dtype.type(1 / p),)
