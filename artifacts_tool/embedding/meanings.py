"""What the C functions of accelerator/ compute, in numpy: those that a frozen part may be made of, under their own names.

Pointers are float32 arrays from where they point on, to the end of what is there; None for a null pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

Floats = np.ndarray
_WIDE = 8  # columns of a panel, as in tile.h


@dataclass(frozen=True, slots=True)
class Meaning:
    """One function. `writes`: the positions of the arguments that it writes; all other pointers are only read."""

    run: Callable[..., None]
    writes: tuple[int, ...]


MEANINGS: dict[str, Meaning] = {}


def _meaning(*writes: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def register(run: Callable[..., None]) -> Callable[..., None]:
        MEANINGS[run.__name__] = Meaning(run, writes)
        return run

    return register


@_meaning(1)
def pack_columns(b: Floats, panels: Floats, K: int, N: int) -> None:
    _pack(b[: K * N].reshape(K, N), panels)


@_meaning(1)
def pack_rows(b: Floats, panels: Floats, K: int, N: int) -> None:
    _pack(b[: K * N].reshape(N, K).T, panels)


def _pack(B: np.ndarray, panels: Floats) -> None:
    wide = np.zeros((len(B), -(-B.shape[1] // _WIDE) * _WIDE), np.float32)
    wide[:, : B.shape[1]] = B
    panels[: wide.size] = wide.reshape(len(B), -1, _WIDE).transpose(1, 0, 2).reshape(-1)


def _unpacked(panels: Floats, K: int, N: int) -> np.ndarray:
    count = -(-N // _WIDE)
    return panels[: count * K * _WIDE].reshape(count, K, _WIDE).transpose(1, 0, 2).reshape(K, -1)[:, :N]


@_meaning(4)
def gemm(a: Floats, panels: Floats, bias: Floats | None, z: Floats | None, y: Floats, M: int, K: int, N: int, lo: float, hi: float) -> None:
    y[: M * N] = _finished(a[: M * K].reshape(M, K) @ _unpacked(panels, K, N), bias, z, lo, hi)


def _finished(y: np.ndarray, bias: Floats | None, z: Floats | None, lo: float, hi: float) -> np.ndarray:
    """clamp(y + bias + z), y (pixels, channels), flat."""
    if bias is not None:
        y = y + bias[: y.shape[-1]]
    if z is not None:
        y = y + z[: y.size].reshape(y.shape)
    made: np.ndarray = np.minimum(np.maximum(y, np.float32(lo)), np.float32(hi)).reshape(-1)
    return made


@dataclass(frozen=True, slots=True)
class _Window:
    """vector.h's Window."""

    batch: int
    height: int
    width: int
    channels: int
    rows: int
    columns: int
    kernel_rows: int
    kernel_columns: int
    row_stride: int
    column_stride: int
    row_dilation: int
    column_dilation: int
    top: int
    left: int

    def taps(self, x: Floats) -> np.ndarray:
        """(batch, rows, columns, kernel_rows, kernel_columns, channels): what each position of the window meets, zeros outside."""
        shape = (self.batch, self.height, self.width, self.channels)
        image = x[: prod(shape)].reshape(shape)
        rows, row_inside = self._places(self.rows, self.row_stride, self.top, self.kernel_rows, self.row_dilation, self.height)
        columns, column_inside = self._places(
            self.columns, self.column_stride, self.left, self.kernel_columns, self.column_dilation, self.width
        )
        found = image[:, rows[:, np.newaxis, :, np.newaxis], columns[np.newaxis, :, np.newaxis, :]]
        inside = row_inside[:, np.newaxis, :, np.newaxis] & column_inside[np.newaxis, :, np.newaxis, :]
        met: np.ndarray = np.where(inside[np.newaxis, ..., np.newaxis], found, np.float32(0))
        return met

    @staticmethod
    def _places(count: int, stride: int, before: int, taps: int, dilation: int, size: int) -> tuple[np.ndarray, np.ndarray]:
        places = np.arange(count)[:, np.newaxis] * stride - before + np.arange(taps) * dilation
        return places.clip(0, size - 1), (places >= 0) & (places < size)


def _window(pointer: Floats) -> _Window:
    return _Window(*(int(value) for value in pointer[:14].view(np.int32)))


@_meaning(4, 5)
def convolution(
    x: Floats, panels: Floats, bias: Floats | None, z: Floats | None, y: Floats, scratch: Floats, window: Floats, filters: int, band: int,
    lo: float, hi: float,
) -> None:  # fmt: skip
    w = _window(window)
    rows = w.taps(x).reshape(w.batch * w.rows * w.columns, -1)
    made = _finished(rows @ _unpacked(panels, rows.shape[1], filters), bias, z, lo, hi)
    y[: made.size] = made


@_meaning(3)
def depthwise(x: Floats, filters: Floats, bias: Floats | None, y: Floats, window: Floats, lo: float, hi: float) -> None:
    w = _window(window)
    taps = w.taps(x).reshape(w.batch * w.rows * w.columns, -1, w.channels)
    made = _finished(np.einsum("ptc,tc->pc", taps, filters[: taps[0].size].reshape(taps.shape[1:])), bias, None, lo, hi)
    y[: made.size] = made


@_meaning(1)
def transpose(x: Floats, y: Floats, batch: int, rows: int, columns: int) -> None:
    size = batch * rows * columns
    y[:size] = x[:size].reshape(batch, rows, columns).transpose(0, 2, 1).reshape(-1)


@_meaning(3)
def normalize(x: Floats, mean: Floats, std: Floats, y: Floats, count: int, channels: int) -> None:
    pixels = x.view(np.uint8)[: count * channels].reshape(count, channels)
    y[: pixels.size] = ((pixels.astype(np.float32) - mean[:channels]) / std[:channels]).reshape(-1)


@_meaning(1)
def widen_half(x: Floats, y: Floats, count: int) -> None:
    y[:count] = x.view(np.float16)[:count]


@_meaning(2)
def add(x: Floats, z: Floats, y: Floats, count: int) -> None:
    y[:count] = x[:count] + z[:count]


@_meaning(1)
def clip(x: Floats, y: Floats, count: int, lo: float, hi: float) -> None:
    y[:count] = np.minimum(np.maximum(x[:count], np.float32(lo)), np.float32(hi))


@_meaning(1)
def pixel_sums(x: Floats, y: Floats, batch: int, pixels: int, channels: int, scale: float) -> None:
    sums = x[: batch * pixels * channels].reshape(batch, pixels, channels).sum(axis=1, dtype=np.float64)
    y[: batch * channels] = (sums * scale).reshape(-1)


def run(name: str, pointers: Mapping[int, np.ndarray | None], arguments: tuple[Any, ...]) -> None:
    """Calls the function with these arguments, those at the places of `pointers` being arrays."""
    MEANINGS[name].run(*(pointers.get(position, value) for position, value in enumerate(arguments)))
