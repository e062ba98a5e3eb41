"""DeformConv: a convolution whose window is bent at each place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.kernels.registry import kernel
from pagetrain.kernels.window import Window, channels_last, window_of

from ._interpolation import sampled, taps_at, zeros_beyond

Result = tuple[np.ndarray, ...]


@kernel("DeformConv", since=19)
def deform_conv(
    X: np.ndarray,
    W: np.ndarray,
    offset: np.ndarray,
    B: np.ndarray | None = None,
    mask: np.ndarray | None = None,
    *,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    offset_group: int = 1,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = Conv, each element under the window taken offset away from its place, linearly between elements, times mask.

    X: (N, C, d1..dr); W: (M, C / group, k1..kr); offset: (N, offset_group k1..kr r, o1..or), one for each of so many groups of channels,
    element of the window and axis; mask (default 1): (N, offset_group k1..kr, o1..or); B: (M,). Beyond X lies 0.
    Source: ONNX DeformConv-19, -22; Zhu et al. 2019.
    """
    window = window_of(X.shape, W.shape, "NOTSET", dilations, group, kernel_shape, pads, strides)
    N, C, rank, taps = X.shape[0], X.shape[1], X.ndim - 2, int(np.prod(window.kernel))
    bends = offset.reshape(N, offset_group, taps, rank, *window.output)
    weights = None if mask is None else mask.reshape(N, offset_group, taps, *window.output)
    share = C // offset_group
    columns = np.empty((N, C, taps, *window.output), X.dtype)
    for number in range(offset_group):
        channels = slice(number * share, (number + 1) * share)
        x = channels_last(X[:, channels])
        found = np.stack([sampled(x, _places(window, tap, bends[:, number, tap], X.shape[2:])) for tap in range(taps)], axis=1)
        if weights is not None:
            found = found * weights[:, number, ..., None]
        columns[:, channels] = np.moveaxis(found, -1, 1)
    return (_products(columns, W, B, group),)


def _places(window: Window, tap: int, bend: np.ndarray, sizes: tuple[int, ...]) -> list[list[tuple[np.ndarray, np.ndarray]]]:
    """The taps along each axis of the window's element number `tap`. bend: (N, r, o1..or)."""
    at, axes = np.unravel_index(tap, window.kernel), []
    for axis, size in enumerate(sizes):
        start = int(at[axis]) * window.dilations[axis] - window.pads[axis][0]
        steps = start + np.arange(window.output[axis]) * window.strides[axis]
        places = steps.reshape([-1 if other == axis else 1 for other in range(len(sizes))]) + bend[:, axis]
        axes.append(taps_at(places.astype(bend.dtype), "linear", zeros_beyond(size)))
    return axes


def _products(columns: np.ndarray, W: np.ndarray, B: np.ndarray | None, group: int) -> np.ndarray:
    """(N, M, o1..): the filters times the columns (N, C, taps, o1..), group by group."""
    N, C, taps, *output = columns.shape
    parts = columns.reshape(N, group, C // group * taps, -1)
    filters = W.reshape(group, W.shape[0] // group, -1)
    Y: np.ndarray = np.matmul(filters, parts).reshape(N, W.shape[0], *output)
    return Y if B is None else Y + B.reshape(-1, *[1] * len(output))
