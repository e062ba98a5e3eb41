"""Pad, CenterCropPad and Tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]
MODES = ("constant", "reflect", "edge", "wrap")


@kernel("Pad", since=2)
def pad_2(data: np.ndarray, *, mode: str = "constant", pads: Sequence[int], value: float = 0.0) -> Result:
    """As Pad-18 over all axes. Source: ONNX Pad-2."""
    return (_padded(data, pads, mode, value, None),)


@kernel("Pad", since=11)
def pad_11(data: np.ndarray, pads: np.ndarray, constant_value: np.ndarray | None = None, *, mode: str = "constant") -> Result:
    """As Pad-18 over all axes. Source: ONNX Pad-11, -13."""
    return (_padded(data, pads, mode, constant_value, None),)


@kernel("Pad", since=18)
def pad(
    data: np.ndarray,
    pads: np.ndarray,
    constant_value: np.ndarray | None = None,
    axes: np.ndarray | None = None,
    *,
    mode: str = "constant",
) -> Result:
    """output = data with elements put before and behind each of `axes` (default: all). Source: ONNX Pad-18 to -21.

    pads: numbers before for each axis, then numbers behind; negative ones take elements away, first of all. mode: `constant` puts
    constant_value (default 0), `edge` the outermost element, `reflect` the mirror image without it, `wrap` what lies at the other end.
    """
    return (_padded(data, pads, mode, constant_value, axes),)


def _padded(data: np.ndarray, pads: Sequence[int] | np.ndarray, mode: str, value: Any, axes: np.ndarray | None) -> np.ndarray:
    if mode not in MODES:
        raise InvalidInputError(f"The padding mode {mode!r} is not known; use one of {', '.join(MODES)}.")
    places = range(data.ndim) if axes is None else [int(axis) for axis in axes]
    if len(pads) != 2 * len(places):
        raise InvalidInputError(f"pads must hold two numbers for each of {len(places)} axes, got {len(pads)}.")
    widths = [(0, 0)] * data.ndim
    for place, before, behind in zip(places, pads[: len(places)], pads[len(places) :], strict=True):
        widths[place] = int(before), int(behind)
    kept = data[tuple(slice(max(-before, 0), size - max(-behind, 0)) for size, (before, behind) in zip(data.shape, widths, strict=True))]
    added = [(max(before, 0), max(behind, 0)) for before, behind in widths]
    if mode == "constant":
        fill = 0 if value is None else np.asarray(value, data.dtype).item()
        return np.asarray(np.pad(kept, added, constant_values=fill))
    return np.asarray(np.pad(kept, added, mode))  # type: ignore[call-overload]  # one of MODES


@kernel("CenterCropPad", since=18)
def center_crop_pad(input_data: np.ndarray, shape: np.ndarray, *, axes: Sequence[int] | None = None) -> Result:
    """output_data = the middle of input_data in `shape` along axes (default: all), zeros around it where it is too small.

    An odd element goes from the end, and comes at the end. Source: ONNX CenterCropPad-18.
    """
    widths = np.zeros((input_data.ndim, 2), np.int64)
    for axis, target in zip(range(input_data.ndim) if axes is None else axes, shape, strict=True):
        more = int(target) - input_data.shape[axis]
        before = more // 2 if more >= 0 else -(-more // 2)
        widths[axis] = before, more - before
    return (_padded(input_data, widths.T.ravel(), "constant", None, None),)


@kernel("Tile", since=6, any_type=True)
def tile(input: np.ndarray, repeats: np.ndarray) -> Result:
    """output = input repeated repeats[i] times along axis i. Source: ONNX Tile-6, -13."""
    counts = [int(count) for count in repeats]
    pairs = list(zip(counts, input.shape, strict=True))
    apart = input.reshape([size for _, own in pairs for size in (1, own)])
    spread = np.broadcast_to(apart, [size for pair in pairs for size in pair])
    return (spread.reshape([count * own for count, own in pairs]),)
