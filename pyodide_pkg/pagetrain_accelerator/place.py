"""Where a convolution over two spatial axes stands, as the side module is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagetrain.kernels.window import Window, conv_window

Shape = tuple[int, ...]
BAND = 1 << 15  # floats of windows laid out at a time: 128 KB stay in a level 2 cache beside the filters
_REACH = 1 << 29  # above it, sums and differences of what a window is told by might leave the 32 bits of the C files


@dataclass(frozen=True, slots=True)
class Place:
    """Where a convolution of these shapes stands. `window`: as vector.h has it; `output`: (N, rows, columns, M); `pixels`: of it.

    `band`: how many of its rows have their windows laid out at a time; `laid_out`: the shape that they make. `back`: where the gradient
    for X stands in that for Y, if it is a convolution itself: by the filters turned round.
    """

    window: np.ndarray
    group: int
    output: Shape
    pixels: int
    is_pointwise: bool
    band: int
    laid_out: tuple[int, int]
    back: np.ndarray | None


class Places:
    """The place for each pair of shapes, found once."""

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        self._attributes = attributes
        self._known: dict[tuple[Shape, Shape], Place | None] = {}

    def of(self, x_shape: Shape, w_shape: Shape) -> Place | None:
        """As place_of."""
        shapes = x_shape, w_shape
        if shapes not in self._known:
            self._known[shapes] = place_of(x_shape, w_shape, self._attributes)
        return self._known[shapes]


def place_of(x_shape: Shape, w_shape: Shape, attributes: Mapping[str, Any]) -> Place | None:
    """The place for X (N, C, H, W) and W (M, C / group, k1, k2); None where it takes larger numbers than the side module can count in.

    Raises ShapeMismatchError, InvalidInputError as the kernel does.
    """
    found = conv_window(x_shape, w_shape, attributes)
    if not _is_in_reach(found, x_shape[2:]):
        return None
    (batch, channels, *sizes), begins = x_shape, [begin for begin, _ in found.pads]
    rows, columns = found.output
    window = [batch, *sizes, channels, rows, columns, *found.kernel, *found.strides, *found.dilations, *begins]
    around = [extent - 1 - begin for extent, begin in zip(found.extents, begins, strict=True)]
    back = [batch, rows, columns, channels, *sizes, *found.kernel, 1, 1, *found.dilations, *around]
    dense = all(stride == 1 for stride in found.strides)
    taps = w_shape[1] * w_shape[2] * w_shape[3]
    band = max(1, min(rows, BAND // max(1, columns * taps)))
    group = attributes.get("group", 1)
    return Place(
        np.array(window, np.int32),
        group,
        (batch, rows, columns, w_shape[0]),
        batch * rows * columns,
        found.is_pointwise and dense and group == 1 and not any(map(any, found.pads)),
        band,
        (band * columns, taps),
        np.array(back, np.int32) if dense else None,
    )


def _is_in_reach(window: Window, sizes: Shape) -> bool:
    """Products need no such check: they are sizes of arrays, or parts of them."""
    axes = zip(sizes, map(sum, window.pads), window.extents, window.strides, window.dilations, strict=True)
    return all(sum(map(abs, axis)) < _REACH for axis in axes)


def takes(w_shape: Shape, group: int) -> bool:
    """One group, or one filter for each channel, over two axes."""
    return len(w_shape) == 4 and (group == 1 or w_shape[:2] == (group, 1))


def is_sound(attributes: Mapping[str, Any]) -> bool:
    """Whether windows step forward and pads add: the side module counts on it, numpy says what it thinks of others."""
    return all(_are_numbers(attributes.get(name), least) for name, least in (("strides", 1), ("dilations", 1), ("pads", 0)))


def _are_numbers(values: Any, least: int) -> bool:
    return values is None or (isinstance(values, tuple | list) and all(isinstance(one, int) and one >= least for one in values))
