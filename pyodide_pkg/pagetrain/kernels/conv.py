"""Conv, FusedConv, ConvGrad. Arrays are (N, C, d1..) to the outside; inside all work is on (N, d1.., C), channels last.

A result is a transposed view of channels-last memory. Elementwise ops keep the memory order of their input, so a chain of convolutions,
activations and residual additions stays channels last in memory without any pass that arranges it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..graph import MS_DOMAIN
from ._fused import activate
from ._product import product
from ._window import Index, Sizes, Window, channels_last, window_of
from ._window_workspace import of_conv, of_conv_grad
from .registry import Memory, kernel

Result = tuple[np.ndarray, ...]


@kernel("Conv", since=1, memory=Memory.TURNED, workspace=of_conv)
def conv(
    X: np.ndarray,
    W: np.ndarray,
    B: np.ndarray | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y[n, m] = B[m] + sum over channels c of m's group and window positions of W[m, c] X[n, c]; one to any number of spatial axes.

    X: (N, C, d1..); W: (M, C / group, k1..); B: (M,); Y: (N, M, o1..). SAME_UPPER puts the odd pad at the end, SAME_LOWER at the start.
    Source: ONNX Conv-1, -11, -22. Raises ShapeMismatchError.
    """
    window = window_of(X.shape, W.shape, auto_pad, dilations, group, kernel_shape, pads, strides)
    Y = convolved(window.padded(channels_last(X)), W, group, window)
    if B is not None:
        Y += B
    return (np.moveaxis(Y, -1, 1),)


@kernel("FusedConv", domain=MS_DOMAIN, memory=Memory.TURNED, workspace=of_conv)
def fused_conv(
    X: np.ndarray,
    W: np.ndarray,
    B: np.ndarray | None = None,
    Z: np.ndarray | None = None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = activation(Conv(X, W, B) + Z). Z: as Y; activation: see _fused.py; its parameters in activation_params.

    Source: com.microsoft FusedConv-1.
    """
    (Y,) = conv(X, W, B, auto_pad=auto_pad, dilations=dilations, group=group, kernel_shape=kernel_shape, pads=pads, strides=strides)
    if Z is not None:
        Y += Z
    return (activate(Y, activation, activation_params),)


@kernel("ConvGrad", domain=MS_DOMAIN, told=("wanted",), memory=Memory.TURNED, workspace=of_conv_grad)
def conv_grad(
    dY: np.ndarray,
    X: np.ndarray,
    W: np.ndarray,
    *,
    wanted: Collection[int] = (0, 1, 2),
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> tuple[np.ndarray | None, ...]:
    """(dX, dW, dB) of Conv with the same attributes, None for what is not wanted. dY: as Y. Source: com.microsoft ConvGrad-1.

    Where auto_pad is SAME, ORT takes the pads for 0 here; we take those of the forward op.
    """
    window = window_of(X.shape, W.shape, auto_pad, dilations, group, kernel_shape, pads, strides)
    dy = channels_last(dY)
    dX = np.moveaxis(input_gradient(dy, X.shape, W, group, window), -1, 1) if 0 in wanted else None
    dW = filter_gradient(dy, window.padded(channels_last(X)), W.shape, group, window) if 1 in wanted else None
    dB = dy.reshape(-1, dy.shape[-1]).sum(axis=0, dtype=np.float64).astype(dY.dtype) if 2 in wanted else None  # numpy adds row by row
    return dX, dW, dB


def convolved(x: np.ndarray, W: np.ndarray, group: int, window: Window) -> np.ndarray:
    """Y without bias as (N, o1.., M) for the padded X as (N, d1.., C)."""
    return _depthwise(x, W, window) if _is_depthwise(x.shape[-1], W.shape, group) else _grouped(x, W, group, window)


def input_gradient(dy: np.ndarray, x_shape: Sizes, W: np.ndarray, group: int, window: Window) -> np.ndarray:
    """dX as (N, d1.., C) for dY as (N, o1.., M). x_shape: (N, C, d1..)."""
    batch, channels, *sizes = x_shape
    padded = [size + sum(pad) for size, pad in zip(sizes, window.pads, strict=True)]
    dx = np.zeros((batch, *padded, channels), dy.dtype)
    add = _add_depthwise if _is_depthwise(channels, W.shape, group) else _add_grouped
    add(dx, dy, W, group, window)
    return window.cropped(dx)


def filter_gradient(dy: np.ndarray, x: np.ndarray, w_shape: Sizes, group: int, window: Window) -> np.ndarray:
    """dW for dY as (N, o1.., M) and the padded X as (N, d1.., C)."""
    dW = np.empty(w_shape, dy.dtype)
    if _is_depthwise(x.shape[-1], w_shape, group):
        pixels = dy.reshape(-1, group)
        for tap, place in window.taps():
            weights: Index = (slice(None), 0, *tap)
            dW[weights] = np.einsum("pc,pc->c", x[place].reshape(-1, group), pixels)
        return dW
    for channels, filters in _groups(w_shape, group):
        pixels = dy[..., filters].reshape(-1, w_shape[0] // group)
        by_filter = product(pixels.T, _columns(x, window, channels))
        dW[filters] = np.moveaxis(by_filter.reshape(-1, *window.kernel, w_shape[1]), -1, 1)
    return dW


def _is_depthwise(channels: int, w_shape: Sizes, group: int) -> bool:
    """One filter per channel. (Of one channel, too: then both ways are the same sum.)"""
    return (w_shape[0], channels) == (group, group)


def _windows(x: np.ndarray, window: Window) -> np.ndarray:
    """(N, o1.., C, k1..): all windows of the padded x, a view."""
    axes = tuple(range(1, x.ndim - 1))
    every = sliding_window_view(x, window.extents, axis=axes)
    strided = tuple(slice(None, None, step) for step in window.strides)
    dilated = tuple(slice(None, None, step) for step in window.dilations)
    return np.asarray(every[(slice(None), *strided, slice(None), *dilated)])


def _depthwise(x: np.ndarray, W: np.ndarray, window: Window) -> np.ndarray:
    """One einsum over the windows: multiply-adds along the channels, without a scratch array.

    In Pyodide 1.2 to 2 times faster than to shift, multiply and add.
    """
    batch, *spatial = range(x.ndim - 1)
    channel = x.ndim - 1
    taps = [channel + 1 + axis for axis in range(len(spatial))]
    w = np.ascontiguousarray(np.moveaxis(W[:, 0], 0, -1))
    output = [batch, *spatial, channel]
    return np.asarray(np.einsum(_windows(x, window), [*output, *taps], w, [*taps, channel], output))


def _add_depthwise(dx: np.ndarray, dy: np.ndarray, W: np.ndarray, group: int, window: Window) -> None:
    for tap, place in window.taps():
        weights: Index = (slice(None), 0, *tap)
        dx[place] += dy * W[weights]


def _grouped(x: np.ndarray, W: np.ndarray, group: int, window: Window) -> np.ndarray:
    """One product of (pixels, taps * channels) and (taps * channels, filters) per group; a 1x1 window takes the pixels as they are."""
    results = [product(_columns(x, window, channels), _filters(W[filters]).T) for channels, filters in _groups(W.shape, group)]
    rows = results[0] if group == 1 else np.concatenate(results, axis=1)
    return rows.reshape(x.shape[0], *window.output, W.shape[0])


def _add_grouped(dx: np.ndarray, dy: np.ndarray, W: np.ndarray, group: int, window: Window) -> None:
    for channels, filters in _groups(W.shape, group):
        pixels = dy[..., filters].reshape(-1, W.shape[0] // group)
        dcolumns = product(pixels, _filters(W[filters])).reshape(*dy.shape[:-1], *window.kernel, W.shape[1])
        for tap, place in window.taps():
            column: Index = (..., *tap, slice(None))
            dx[(*place, channels)] += dcolumns[column]


def _groups(w_shape: Sizes, group: int) -> Iterator[tuple[slice, slice]]:
    """(input channels, filters) of each group."""
    channels, filters = w_shape[1], w_shape[0] // group
    for index in range(group):
        yield slice(index * channels, (index + 1) * channels), slice(index * filters, (index + 1) * filters)


def _columns(x: np.ndarray, window: Window, channels: slice) -> np.ndarray:
    """(pixels of the result, taps * channels)."""
    if window.is_pointwise:
        strided = tuple(slice(None, None, step) for step in window.strides)
        picked = x[(slice(None), *strided, channels)]
    else:
        picked = np.moveaxis(_windows(x[..., channels], window), len(window.kernel) + 1, -1)
    return picked.reshape(x.shape[0] * int(np.prod(window.output)), -1)


def _filters(W: np.ndarray) -> np.ndarray:
    """(filters, taps * channels)."""
    return np.moveaxis(W, 1, -1).reshape(W.shape[0], -1)
