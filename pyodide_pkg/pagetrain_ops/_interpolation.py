"""An array between its elements: which of them a place is made of, and how much of each; any number of axes, places anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from pagetrain.errors import InvalidInputError

from ._resampling import cubic

Taps = list[tuple[np.ndarray, np.ndarray]]  # (index, weight) arrays of the shape of the places
Pad = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]  # (index, weight) beyond the array -> within it
A = -0.75  # of the cubic kernel, as in Resize


def sampled(x: np.ndarray, axes: Sequence[Taps]) -> np.ndarray:
    """(N, o1.., C): x of (N, d1.., C) at places of (N, o1..), one list of taps for each axis d."""
    batch = np.arange(x.shape[0]).reshape(-1, *[1] * (axes[0][0][0].ndim - 1))
    total: np.ndarray | None = None
    for taps in product(*axes):
        weight = np.prod([one for _, one in taps], axis=0)[..., None]
        part = x[(batch, *(index for index, _ in taps))] * weight
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None, "every axis has taps"
    return total


def taps_at(places: np.ndarray, mode: str, pad: Pad) -> Taps:
    """The taps of each place along one axis; `pad` says what those beyond it are. Raises InvalidInputError for an unknown mode."""
    if mode == "nearest":
        return [pad(np.rint(places).astype(np.intp), np.ones_like(places))]
    if mode not in ("linear", "bilinear", "cubic", "bicubic"):
        raise InvalidInputError(f"the mode {mode!r} is not known; use linear, nearest or cubic.")
    first, behind = (-1, 2) if "cubic" in mode else (0, 1)
    floor = np.floor(places)
    weigh = (lambda distance: cubic(distance, A)) if "cubic" in mode else (lambda distance: 1 - np.abs(distance))
    return [pad((floor + tap).astype(np.intp), weigh(places - floor - tap)) for tap in range(first, behind + 1)]


def zeros_beyond(size: int) -> Pad:
    """What is not among `size` elements counts nothing."""

    def pad(index: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.clip(index, 0, size - 1), np.where((index >= 0) & (index < size), weight, weight.dtype.type(0))

    return pad


def border_beyond(size: int) -> Pad:
    """What is not among `size` elements is the nearest of them."""
    return lambda index, weight: (np.clip(index, 0, size - 1), weight)


def mirror_beyond(size: int, low: float, high: float) -> Pad:
    """What is not among `size` elements is mirrored at low and high until it is."""
    return lambda index, weight: (np.clip(mirrored(index, low, high), 0, size - 1).astype(np.intp), weight)


def mirrored(places: np.ndarray, low: float, high: float) -> np.ndarray:
    """Places within [low, high] stay, others are mirrored at the ends until they are within."""
    if high <= low:
        return np.full_like(places, low)
    turned = np.mod(places - low, 2 * (high - low))
    return np.asarray(low + np.minimum(turned, 2 * (high - low) - turned), places.dtype)
