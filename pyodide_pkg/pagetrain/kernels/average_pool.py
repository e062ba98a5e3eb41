"""AveragePool, AveragePoolGrad: sums over windows. Arrays are (N, C, d1..) to the outside, channels last inside, as in conv.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .max_pool import DeclaredShapes, declared_sizes
from .registry import Memory, Specs, kernel
from .window import Index, Window, channels_first, channels_last, place
from .window_workspace import of_pool

Result = tuple[np.ndarray, ...]


def _of_grad(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    return sum(spec.nbytes for spec in inputs if spec) + of_pool(outputs, (), attributes)


@kernel("AveragePool", since=7, memory=Memory.TURNED, workspace=of_pool)
def average_pool_7(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    count_include_pad: int = 0,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = mean over each window. Source: ONNX AveragePool-7."""
    return average_pool(X, kernel_shape=kernel_shape, auto_pad=auto_pad, count_include_pad=count_include_pad, pads=pads, strides=strides)


@kernel("AveragePool", since=10, memory=Memory.TURNED, workspace=of_pool)
def average_pool_10(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """As AveragePool-19 without dilations. Source: ONNX AveragePool-10, -11."""
    return average_pool(
        X,
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        pads=pads,
        strides=strides,
    )


@kernel("AveragePool", since=19, memory=Memory.TURNED, workspace=of_pool)
def average_pool(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = mean over each window: of the pixels of X in it, and with count_include_pad of the zeros of the pads, too.

    X: (N, C, d1..); Y: (N, C, o1..). What ceil_mode adds behind the pads never counts. Source: ONNX AveragePool-19, -22.
    """
    window = place(X.shape[2:], tuple(kernel_shape), auto_pad, dilations, pads, strides, ceil_mode)
    total = window_sum(window.padded(channels_last(X)), window)
    total /= _counts(X, window, auto_pad, count_include_pad, pads)
    return (channels_first(total),)


@kernel("AveragePoolGrad", since=9, told=("output_shapes",), memory=Memory.TURNED, workspace=_of_grad)
def average_pool_grad(
    dY: np.ndarray,
    *,
    output_shapes: DeclaredShapes,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """dX = dY / (what the mean divided by), added to every pixel of its window.

    The op has no input that tells the size of X: the graph must declare dX's spatial axes. Source: ORT's AveragePoolGrad-9 in the default
    domain, which is wrong for SAME pads and for windows of three axes that overlap. Raises InvalidInputError where no shape is declared.
    """
    X = np.broadcast_to(dY.dtype.type(0), (*dY.shape[:2], *declared_sizes(output_shapes)))
    window = place(X.shape[2:], tuple(kernel_shape), auto_pad, dilations, pads, strides, ceil_mode)
    shares = channels_last(dY) / _counts(X, window, auto_pad, count_include_pad, pads)
    dx = window.padded(np.zeros((X.shape[0], *X.shape[2:], X.shape[1]), dY.dtype))
    for _, pixels in window.taps:
        dx[pixels] += shares
    return (channels_first(window.cropped(dx)),)


def window_sum(x: np.ndarray, window: Window) -> np.ndarray:
    """Of the elements under each window of the padded x."""
    (_, first), *others = window.taps
    total = x[first].copy()
    for _, pixels in others:
        total += x[pixels]
    return total


def _counts(X: np.ndarray, window: Window, auto_pad: str, count_include_pad: int, pads: Sequence[int] | None) -> np.ndarray:
    """(1, o1.., 1): by what the mean of each window divides."""
    counted = window.padded(np.ones((1, *X.shape[2:], 1), X.dtype))
    if count_include_pad and auto_pad == "NOTSET" and pads:
        ends = pads[len(window.kernel) :]  # without what ceil_mode added
        sizes = zip(window.pads, X.shape[2:], ends, strict=True)
        inside: Index = (0, *(slice(0, begin + size + end) for (begin, _), size, end in sizes), 0)
        counted[inside] = 1
    elif count_include_pad and auto_pad.startswith("SAME"):
        counted[...] = 1
    return window_sum(counted, window)
