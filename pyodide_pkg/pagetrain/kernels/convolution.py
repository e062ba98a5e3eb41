"""A convolution and its two gradients on arrays (N, d1.., C): products of matrices, or sums over windows where channels stay apart.

W: (M, C / group, k1..). Where group, C and M are the same number, each channel has a filter of its own ("depthwise").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod

import numpy as np

from .product import arranged, pixel_product, product, runs_along_rows
from .window import Index, Sizes, Window

_LONG = 1024  # multiply-adds of an inner loop beyond which it gets no faster
_AXES = "ijuvwxyz"  # of the places of a window, and in upper case of its pixels

Matrices = tuple[np.ndarray, ...]


def filter_matrices(W: np.ndarray, group: int) -> Matrices:
    """What `convolved` reads instead of W: (k1.., C) where each channel has its own filter, else (taps * channels, filters) per group."""
    if is_depthwise(W.shape, group):
        return (np.ascontiguousarray(W.reshape(group, -1).T).reshape(*W.shape[2:], group),)
    by_filter = _by_filter(W)
    return tuple(arranged(by_filter[filters].T) for _, filters in _groups(W.shape, group))


def _by_filter(W: np.ndarray) -> np.ndarray:
    """(filters, taps * channels), not copied where the window is one pixel."""
    return W.transpose(0, *range(2, W.ndim), 1).reshape(W.shape[0], -1)


def convolved(x: np.ndarray, matrices: Matrices, w_shape: Sizes, group: int, window: Window) -> np.ndarray:
    """Y without bias as (N, o1.., M) for X as (N, d1.., C) of any memory order. matrices: of filter_matrices.

    A window of one pixel takes the pixels as they are; a larger one is a product of all windows as rows.
    """
    if is_depthwise(w_shape, group):
        return _depthwise(window.padded(x), matrices[0], window)
    ready = x if window.is_pointwise else window.padded(x)
    groups = zip(_groups(w_shape, group), matrices, strict=True)
    results = [pixel_product(_columns(ready, window, channels, matrix.shape[1]), matrix) for (channels, _), matrix in groups]
    rows = results[0] if group == 1 else np.concatenate(results, axis=1)
    return rows.reshape(x.shape[0], *window.output, w_shape[0])


def input_gradient(dy: np.ndarray, x_shape: Sizes, W: np.ndarray, group: int, window: Window) -> np.ndarray:
    """dX as (N, d1.., C) for dY as (N, o1.., M) of any memory order. x_shape: (N, C, d1..)."""
    batch, channels, *sizes = x_shape
    if window.is_pointwise and group == 1 and all(step == 1 for step in window.strides):
        return product(dy.reshape(-1, W.shape[0]), W.reshape(W.shape[0], channels)).reshape(batch, *sizes, channels)
    if is_depthwise(W.shape, group) and (back := window.reversed_over(tuple(sizes))):
        flipped = W.reshape(group, -1)[:, ::-1].reshape(W.shape)
        return _depthwise(back.padded(dy), filter_matrices(flipped, group)[0], back)
    padded = [size + sum(pad) for size, pad in zip(sizes, window.pads, strict=True)]
    dx = np.zeros((batch, *padded, channels), dy.dtype)
    add = _add_depthwise if is_depthwise(W.shape, group) else _add_grouped
    add(dx, dy, W, group, window)
    return window.cropped(dx)


def filter_gradient(dy: np.ndarray, x: np.ndarray, w_shape: Sizes, group: int, window: Window) -> np.ndarray:
    """dW for dY as (N, o1.., M) and X as (N, d1.., C), both of any memory order."""
    if is_depthwise(w_shape, group):
        places, taps = _letters(window)
        by_tap = np.einsum(f"n{places}{taps}c,n{places}c->{taps}c", window.views(window.padded(x)), dy)
        return np.ascontiguousarray(by_tap.reshape(-1, group).T).reshape(w_shape)
    ready = x if window.is_pointwise else window.padded(x)
    found = [_group_gradient(dy[..., filters], _columns(ready, window, channels), w_shape) for channels, filters in _groups(w_shape, group)]
    return (found[0] if group == 1 else np.concatenate(found)).reshape(w_shape)


def _group_gradient(dy: np.ndarray, columns: np.ndarray, w_shape: Sizes) -> np.ndarray:
    """(filters, channels, taps) of one group."""
    by_filter = product(dy.reshape(len(columns), dy.shape[-1]).T, columns)
    by_tap = by_filter.reshape(len(by_filter), -1, w_shape[1])
    return np.ascontiguousarray(by_tap.transpose(0, 2, 1))


def is_depthwise(w_shape: Sizes, group: int) -> bool:
    """One filter per channel. (Of one channel, too: then both ways are the same sum.)"""
    return (w_shape[0], w_shape[1]) == (group, 1)


def _letters(window: Window) -> tuple[str, str]:
    rank = len(window.kernel)
    return _AXES[:rank], _AXES[:rank].upper()


def _depthwise(x: np.ndarray, w: np.ndarray, window: Window) -> np.ndarray:
    """One einsum over the windows: multiply-adds along the channels of neighbouring pixels, without a scratch array.

    In Pyodide 1.2 to 2 times faster than to shift, multiply and add; neighbours together make 32 channels three times as fast as alone.
    """
    places, taps = _letters(window)
    count = _neighbours(window.output[-1], x.shape[-1]) if window.strides[-1] == 1 else 1
    repeated = np.concatenate((w,) * count, axis=-1) if count > 1 else w
    y = np.einsum(f"n{places}{taps}c,{taps}c->n{places}c", window.views(x, count), repeated)
    return np.asarray(y).reshape(x.shape[0], *window.output, x.shape[-1])


@cache
def _neighbours(width: int, channels: int) -> int:
    """How many pixels of a row are taken together: the fewest of equal parts of it that make an inner loop long enough."""
    fitting = (count for count in range(1, width) if width % count == 0 and count * channels >= _LONG)
    return next(fitting, max(1, width))


def _add_depthwise(dx: np.ndarray, dy: np.ndarray, W: np.ndarray, group: int, window: Window) -> None:
    for tap, place in window.taps:
        weights: Index = (slice(None), 0, *tap)
        dx[place] += dy * W[weights]


def _add_grouped(dx: np.ndarray, dy: np.ndarray, W: np.ndarray, group: int, window: Window) -> None:
    by_filter = _by_filter(W)
    for channels, filters in _groups(W.shape, group):
        pixels = dy[..., filters].reshape(-1, W.shape[0] // group)
        dcolumns = product(pixels, by_filter[filters]).reshape(*dy.shape[:-1], *window.kernel, W.shape[1])
        for tap, place in window.taps:
            column: Index = (..., *tap, slice(None))
            dx[(*place, channels)] += dcolumns[column]


def _groups(w_shape: Sizes, group: int) -> Iterator[tuple[slice, slice]]:
    """(input channels, filters) of each group."""
    channels, filters = w_shape[1], w_shape[0] // group
    for index in range(group):
        yield slice(index * channels, (index + 1) * channels), slice(index * filters, (index + 1) * filters)


def _columns(x: np.ndarray, window: Window, channels: slice, filters: int = 0) -> np.ndarray:
    """(pixels of the result, taps * channels), laid out for a pixel_product with so many filters."""
    picked = (x[window.taps[0][1]] if window.is_pointwise else window.views(x))[..., channels]
    pixels, count = x.shape[0] * prod(window.output), prod(window.kernel) * (channels.stop - channels.start)
    if filters and runs_along_rows(pixels, count, filters):
        lead = len(window.output) + 1
        return picked.transpose(*range(lead, picked.ndim), *range(lead)).reshape(count, pixels).T
    return picked.reshape(pixels, count)
