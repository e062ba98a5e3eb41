"""MaxPool, MaxPoolGrad, GlobalMaxPool. Arrays are (N, C, d1..) to the outside, channels last inside, as in conv.py."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from math import prod

import numpy as np

from ..errors import InvalidInputError
from .registry import Memory, kernel, per_element
from .window import Sizes, Window, channels_first, channels_last, place
from .window_workspace import of_pool

Result = tuple[np.ndarray, ...]
DeclaredShapes = Sequence[Sequence[int | str | None] | None]


@kernel("MaxPool", since=1, memory=Memory.TURNED, workspace=of_pool)
def max_pool_1(
    X: np.ndarray,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = maximum over each window, pads left out. Source: ONNX MaxPool-1."""
    return max_pool(X, wanted=(0,), kernel_shape=kernel_shape, auto_pad=auto_pad, pads=pads, strides=strides)


@kernel("MaxPool", since=8, told=("wanted",), memory=Memory.TURNED, workspace=of_pool)
def max_pool_8(
    X: np.ndarray,
    *,
    wanted: Collection[int] = (0, 1),
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
) -> Result:
    """As MaxPool-1, and Indices as in MaxPool-10. Source: ONNX MaxPool-8."""
    return max_pool(X, wanted=wanted, kernel_shape=kernel_shape, auto_pad=auto_pad, pads=pads, storage_order=storage_order, strides=strides)


@kernel("MaxPool", since=10, told=("wanted",), memory=Memory.TURNED, workspace=of_pool)
def max_pool(
    X: np.ndarray,
    *,
    wanted: Collection[int] = (0, 1),
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = maximum over each window; Indices = where it stands in X, flattened; the first of several equal ones.

    X: (N, C, d1..) of floats or integers; Y, Indices (int64): (N, C, o1..). storage_order 1 counts the spatial axes in column-major order.
    Source: ONNX MaxPool-10 to -22.
    """
    window = place(X.shape[2:], tuple(kernel_shape), auto_pad, dilations, pads, strides, ceil_mode)
    lowest = -np.inf if np.issubdtype(X.dtype, np.floating) else np.iinfo(X.dtype).min
    x = window.padded(channels_last(X), lowest)
    Y = _maximum(x, window)
    if 1 not in wanted:
        return (channels_first(Y),)
    pixels = channels_first(_pixels(_first_tap(x, Y, window), X.shape[2:], window, storage_order))
    planes = np.arange(X.shape[0] * X.shape[1], dtype=np.int64).reshape(X.shape[:2] + (1,) * (X.ndim - 2))
    return channels_first(Y), pixels + planes * prod(X.shape[2:])


def _maximum(x: np.ndarray, window: Window) -> np.ndarray:
    (_, first), *others = window.taps
    found = x[first].copy()
    for _, pixels in others:
        np.maximum(found, x[pixels], out=found)
    return found


def _first_tap(x: np.ndarray, maximum: np.ndarray, window: Window) -> np.ndarray:
    """The number of the first tap that stands at the maximum; the last one where none does, as for NaN.

    By the largest of (number of taps behind + 1) * (tap is the maximum): arithmetic of small integers, four times as fast as masks.
    """
    count = prod(window.kernel)
    small = np.uint8 if count < 256 else np.int32
    behind = np.ones(maximum.shape, small)
    for number, (_, pixels) in enumerate(window.taps):
        np.maximum(behind, (x[pixels] == maximum) * small(count - number), out=behind)
    return count - behind.astype(np.int32)


def _pixels(taps: np.ndarray, sizes: Sizes, window: Window, storage_order: int) -> np.ndarray:
    """The pixel of the input that each tap of (N, o1.., C) meets, int64; some pixel for a pad, which is the maximum only among -inf."""
    offsets, starts = _geometry(sizes, window, storage_order)
    found = offsets[taps]
    found += starts
    return np.asarray(np.clip(found, 0, prod(sizes) - 1, out=found))


@lru_cache(64)
def _geometry(sizes: Sizes, window: Window, storage_order: int) -> tuple[np.ndarray, np.ndarray]:
    """How far each tap is from the start of its window, (taps,), and where each window starts, (o1.., 1); the same in every step."""
    order = range(len(sizes))[::-1] if storage_order == 0 else range(len(sizes))
    weights, pixels = np.zeros(len(sizes), np.int64), 1
    for axis in order:
        weights[axis], pixels = pixels, pixels * sizes[axis]
    places = np.indices(window.kernel).reshape(len(sizes), -1)
    offsets = (places * (np.array(window.dilations) * weights)[:, None]).sum(axis=0)
    starts = np.zeros((*window.output, 1), np.int64)
    for axis, weight in enumerate(weights):
        along = (np.arange(window.output[axis]) * window.strides[axis] - window.pads[axis][0]) * weight
        starts += along.reshape([-1 if at == axis else 1 for at in range(starts.ndim)])
    return offsets, starts


@kernel("MaxPoolGrad", since=9, told=("output_shapes",), workspace=per_element({0: 20}, {0: 4}))
def max_pool_grad(
    dY: np.ndarray,
    Indices: np.ndarray,
    *,
    output_shapes: DeclaredShapes,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
) -> Result:
    """dX = dY added up at Indices. The op has no input that tells the size of X: the graph must declare dX's spatial axes.

    Source: ORT's MaxPoolGrad-9 in the default domain; its storage_order is ignored there, here it is that of Indices.
    Raises InvalidInputError where the shape is not declared.
    """
    shape = (*dY.shape[:2], *declared_sizes(output_shapes))
    positions = Indices if storage_order == 0 else _row_major(Indices, shape)
    flat = np.bincount(positions.ravel().astype(np.intp, copy=False), dY.ravel(), minlength=prod(shape))
    return (flat.reshape(shape).astype(dY.dtype),)


def declared_sizes(output_shapes: DeclaredShapes) -> Sizes:
    """The spatial sizes that the graph declares for dX. Raises InvalidInputError where it does not."""
    declared = output_shapes[0]
    sizes = tuple(size for size in declared[2:] if isinstance(size, int)) if declared else ()
    if not declared or len(sizes) != len(declared) - 2:
        raise InvalidInputError(
            f"The graph must declare the spatial sizes of the gradient, but has {declared}; fix the model's input size."
        )
    return sizes


def _row_major(Indices: np.ndarray, shape: Sizes) -> np.ndarray:
    """Positions counted with the spatial axes in column-major order, counted in row-major order."""
    planes, pixels = np.divmod(Indices, int(np.prod(shape[2:])))
    order = np.arange(int(np.prod(shape[2:])), dtype=np.int64).reshape(shape[2:]).ravel(order="F")
    return planes * order.size + order[pixels.astype(np.intp)]


@kernel("GlobalMaxPool", since=1)
def global_max_pool(X: np.ndarray) -> Result:
    """Y = maximum over all spatial positions. X: (N, C, d1..); Y: (N, C, 1..). Source: ONNX GlobalMaxPool-1, -22."""
    return (X.max(axis=tuple(range(2, X.ndim)), keepdims=True),)
