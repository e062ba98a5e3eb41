"""GridSample and AffineGrid: pictures seen through a grid of places."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import kernel, per_element
from pagetrain.kernels.window import channels_last

from ._interpolation import Pad, border_beyond, mirror_beyond, mirrored, sampled, taps_at, zeros_beyond

Result = tuple[np.ndarray, ...]


@kernel("GridSample", since=16, workspace=per_element({}, {0: 12}))
def grid_sample_16(
    X: np.ndarray, grid: np.ndarray, *, align_corners: int = 0, padding_mode: str = "zeros", mode: str = "bilinear"
) -> Result:
    """As GridSample-20, with modes bilinear, nearest and bicubic. Source: ONNX GridSample-16."""
    return grid_sample(X, grid, align_corners=align_corners, padding_mode=padding_mode, mode=mode)


@kernel("GridSample", since=20, workspace=per_element({}, {0: 12}))
def grid_sample(X: np.ndarray, grid: np.ndarray, *, align_corners: int = 0, padding_mode: str = "zeros", mode: str = "linear") -> Result:
    """Y[n, :, o..] = X[n] at the place grid[n, o..], between its elements by mode: linear, nearest (halves to the even) or cubic.

    X: (N, C, d1..dr); grid: (N, o1..or, r), the last axis of X first, from -1 to 1: the centres of the outermost elements if
    align_corners, else their outer edges. padding_mode: beyond lie zeros, the border element, or the reflection at those ends; each of the
    neighbours of a place is judged alone, as in onnxruntime.
    Source: ONNX GridSample-20, -22.
    """
    sizes, x = X.shape[2:], channels_last(X if X.dtype.kind in "fc" else X.astype(np.float64))
    axes = []
    for axis, size in enumerate(sizes):
        given = grid[..., len(sizes) - 1 - axis].astype(np.promote_types(grid.dtype, np.float32))
        places = (given + 1) / 2 * (size - 1) if align_corners else ((given + 1) * size - 1) / 2
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        if padding_mode == "reflection":
            places = mirrored(places, low, high)
        axes.append(taps_at(places, mode, _beyond(size, low, high, padding_mode)))
    Y = np.moveaxis(sampled(x, axes), -1, 1)
    return (Y.astype(X.dtype, copy=False),)


def _beyond(size: int, low: float, high: float, mode: str) -> Pad:
    """What taps beyond the elements are."""
    match mode:
        case "zeros":
            return zeros_beyond(size)
        case "border":
            return border_beyond(size)
        case "reflection":
            return mirror_beyond(size, low, high)
    raise InvalidInputError(f"the padding_mode {mode!r} is not known; use zeros, border or reflection.")


@kernel("AffineGrid", since=20)
def affine_grid(theta: np.ndarray, size: np.ndarray, *, align_corners: int = 0) -> Result:
    """grid[n, p..] = theta[n] (x, y, .., 1) for the places p of a picture of `size`, whose extent is -1 to 1 along each axis.

    theta: (N, r, r + 1); size: (N, C, d1..dr); grid: (N, d1..dr, r), the last axis first. -1 and 1 are the centres of the outermost
    elements if align_corners, else their outer edges. Source: ONNX AffineGrid-20.
    """
    sizes = [int(one) for one in size[2:]]
    lines = [np.linspace(-1, 1, count) if align_corners else (2 * np.arange(count) + 1) / count - 1 for count in sizes]
    *places, ones = *np.meshgrid(*lines, indexing="ij"), np.ones(sizes)
    homogeneous = np.stack([*places[::-1], ones], axis=-1)
    return (np.einsum("nij,...j->n...i", theta.astype(np.float64), homogeneous).astype(theta.dtype),)
