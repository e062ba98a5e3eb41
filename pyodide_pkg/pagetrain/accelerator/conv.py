"""Conv and FusedConv over two spatial axes: one group, or one filter for each channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..backend import Runner
from ..graph import MS_DOMAIN
from ..kernels._window import conv_window
from ..kernels.registry import Kernel
from .arrays import FLOAT, are_floats, channels_first, channels_last, panels
from .library import Library
from .registry import accelerated

Shape = tuple[int, ...]
_BAND = 1 << 15  # floats of windows laid out at a time: 128 KB stay in a level 2 cache beside the filters


@dataclass(frozen=True, slots=True)
class Place:
    """Where a convolution of these shapes stands. `window`: as vector.h has it."""

    window: np.ndarray
    output: Shape  # (N, rows, columns, M)
    is_depthwise: bool
    is_pointwise: bool


def place_of(x_shape: Shape, w_shape: Shape, attributes: Mapping[str, Any]) -> Place:
    """Raises ShapeMismatchError, InvalidInputError as the kernel does."""
    found = conv_window(x_shape, w_shape, attributes)
    (batch, channels, *sizes), begins = x_shape, [begin for begin, _ in found.pads]
    window = [batch, *sizes, channels, *found.output, *found.kernel, *found.strides, *found.dilations, *begins]
    plain = all(stride == 1 for stride in found.strides) and not any(map(any, found.pads))
    is_depthwise = 1 < attributes.get("group", 1) == w_shape[0] == channels
    return Place(np.array(window, np.int32), (batch, *found.output, w_shape[0]), is_depthwise, found.is_pointwise and plain)


def filters_of(library: Library, W: np.ndarray, is_depthwise: bool) -> np.ndarray:
    """W (M, C / group, k1, k2) as the C functions read it: (taps, C), or packed with the taps before the channels."""
    W = np.ascontiguousarray(W)
    taps = W.shape[2] * W.shape[3]
    if is_depthwise:
        by_tap = np.empty((taps, W.shape[0]), FLOAT)
        library.call("transpose", W, by_tap, 1, W.shape[0], taps)
        return by_tap
    rows = W.reshape(W.shape[0], -1)
    if taps > 1:
        rows = np.empty(rows.shape, FLOAT)
        library.call("transpose", W, rows, W.shape[0], W.shape[1], taps)
    return panels(library, rows, turned=True)


def bounds_of(activation: str, parameters: Sequence[float]) -> tuple[float, float] | None:
    """What the activation of a fused op clamps its result to; None for one that does something else."""
    if activation == "Clip" and len(parameters) >= 2:
        return parameters[0], parameters[1]
    return {"": (-inf, inf), "Relu": (0.0, inf)}.get(activation)


@accelerated("Conv")
@accelerated("FusedConv", MS_DOMAIN)
def conv(library: Library, kernel: Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> Runner | None:
    """Pointwise convolutions multiply the pixels as they lie; depthwise ones have loops of their own; others go by bands of windows."""
    bounds = bounds_of(attributes.get("activation", ""), attributes.get("activation_params", ()))
    group = attributes.get("group", 1)
    constant = constants.get(1)
    if bounds is None or (constant is not None and not _takes(constant, group)):
        return None
    prepared = None if constant is None else filters_of(library, constant, group > 1)
    places: dict[tuple[Shape, Shape], Place] = {}

    def run(X: np.ndarray, W: np.ndarray, B: np.ndarray | None = None, Z: np.ndarray | None = None, **_: Any) -> tuple[np.ndarray, ...]:
        if not are_floats(X, W, B, Z) or X.ndim != 4 or not _takes(W, group):
            return in_numpy(X, W, B, Z)
        place = places.get((X.shape, W.shape)) or places.setdefault((X.shape, W.shape), place_of(X.shape, W.shape, attributes))
        batch, rows, columns, count = place.output
        if not _fits(place, group, B, Z):
            return in_numpy(X, W, B, Z)
        filters = filters_of(library, W, place.is_depthwise) if prepared is None else prepared
        x, y = channels_last(library, X), np.empty(place.output, FLOAT)
        if place.is_depthwise:
            library.call("depthwise", x, filters, B, y, place.window, *bounds)
        elif place.is_pointwise:
            z = None if Z is None else channels_last(library, Z)
            library.call("gemm", x, filters, B, z, y, batch * rows * columns, x.shape[3], count, *bounds)
        else:
            z = None if Z is None else channels_last(library, Z)
            width = columns * W[0].size
            band = max(1, min(rows, _BAND // max(1, width)))
            scratch = np.empty(band * width, FLOAT)
            library.call("convolution", x, filters, B, z, y, scratch, place.window, count, band, *bounds)
        return (channels_first(y),)

    def in_numpy(X: np.ndarray, W: np.ndarray, B: np.ndarray | None, Z: np.ndarray | None) -> tuple[np.ndarray, ...]:
        return kernel.run(X, W, B, **attributes) if kernel.op_type == "Conv" else kernel.run(X, W, B, Z, **attributes)

    return run


def _takes(W: np.ndarray, group: int) -> bool:
    """One group, or one filter for each channel, over two axes."""
    return W.dtype == FLOAT and W.ndim == 4 and (group == 1 or W.shape[:2] == (group, 1))


def _fits(place: Place, group: int, B: np.ndarray | None, Z: np.ndarray | None) -> bool:
    batch, rows, columns, count = place.output
    if group > 1 and (not place.is_depthwise or Z is not None):
        return False
    return (B is None or (B.shape == (count,) and B.flags.c_contiguous)) and (Z is None or Z.shape == (batch, count, rows, columns))
