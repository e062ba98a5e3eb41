"""Where the window of a convolution or of pooling stands: sizes, strides, pads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from operator import lt, mul
from typing import Any

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError

Sizes = tuple[int, ...]
Index = tuple[Any, ...]


@dataclass(frozen=True)
class Window:
    """One entry per spatial axis. `pads`: (begin, end); `output`: positions; arrays are (N, d1.., C)."""

    kernel: Sizes
    strides: Sizes
    dilations: Sizes
    pads: tuple[tuple[int, int], ...]
    output: Sizes

    @cached_property
    def extents(self) -> Sizes:
        """From the first to the last pixel that the window touches."""
        return _extents(self.kernel, self.dilations)

    @cached_property
    def is_pointwise(self) -> bool:
        """One pixel large, with no pads."""
        return all(size == 1 for size in self.kernel) and not self.is_padded

    @cached_property
    def is_padded(self) -> bool:
        return any(map(any, self.pads))

    @cached_property
    def taps(self) -> tuple[tuple[Sizes, Index], ...]:
        """(index into the kernel, the pixels of the padded input that it meets) for each position of the window."""
        return tuple((tap, self._pixels(tap)) for tap in np.ndindex(*self.kernel))

    def _pixels(self, tap: Sizes) -> Index:
        starts = [index * dilation for index, dilation in zip(tap, self.dilations, strict=True)]
        sizes = zip(starts, self.output, self.strides, strict=True)
        return (slice(None), *(slice(start, start + (output - 1) * stride + 1, stride) for start, output, stride in sizes))

    @cached_property
    def touched(self) -> Sizes:
        """From the first pixel that any window touches to the last."""
        return tuple((count - 1) * step + extent for count, step, extent in zip(self.output, self.strides, self.extents, strict=True))

    def reversed_over(self, sizes: Sizes) -> Window | None:
        """The window over Y that gives each of so many pixels of X what it gave to Y, its taps in reverse order.

        None where it takes more than a window: strides, or pads that no pixel of X shares a window with.
        """
        spare = tuple((extent - 1 - begin, extent - 1 - end) for extent, (begin, end) in zip(self.extents, self.pads, strict=True))
        if any(step > 1 for step in self.strides) or min(map(min, spare)) < 0:
            return None
        return Window(self.kernel, self.strides, self.dilations, spare, sizes)

    @cached_property
    def _inner(self) -> Index:
        return (slice(None), *(slice(begin, -end or None) for begin, end in self.pads))

    def padded(self, x: np.ndarray, fill: float = 0) -> np.ndarray:
        """x, of any memory order, in C order with zeros (or `fill`) around it; x itself where both are so already."""
        if not self.is_padded:
            return np.ascontiguousarray(x)
        sizes = [size + begin + end for size, (begin, end) in zip(x.shape[1:-1], self.pads, strict=True)]
        shape = (x.shape[0], *sizes, x.shape[-1])
        result = np.full(shape, fill, x.dtype) if fill else np.zeros(shape, x.dtype)
        result[self._inner] = x
        return result

    def cropped(self, x: np.ndarray) -> np.ndarray:
        """x without its pads, a view."""
        return x[self._inner] if self.is_padded else x

    def views(self, x: np.ndarray, count: int = 1) -> np.ndarray:
        """(N, o1.., k1.., C): all windows of the padded x in C order, a view. Raises ShapeMismatchError where x is too small.

        count: with stride 1 along the last axis, so many neighbours there are taken together: (N, .., o / count, k1.., count * C).
        """
        if any(map(lt, x.shape[1:-1], self.touched)):
            raise ShapeMismatchError(f"The windows reach over {self.touched} pixels, of which there are {x.shape[1:-1]}.")
        batch, *along, _ = x.strides
        *places, last = map(mul, along, self.strides)
        shape = (x.shape[0], *self.output[:-1], self.output[-1] // count, *self.kernel, count * x.shape[-1])
        strides = (batch, *places, last * count, *map(mul, along, self.dilations), x.itemsize)
        return np.ndarray(shape, x.dtype, x, 0, strides)  # as_strided takes ten times as long


def window_of(
    x_shape: Sizes,
    w_shape: Sizes,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Window:
    """The window of Conv's attributes over X (N, C, d1..) with filters W (M, C / group, k1..).

    Raises ShapeMismatchError, InvalidInputError.
    """
    return _window_of(x_shape[1:], w_shape, auto_pad, _sizes(dilations), group, _sizes(kernel_shape), _sizes(pads), _sizes(strides))


@lru_cache(1024)
def _window_of(
    x_shape: Sizes,
    w_shape: Sizes,
    auto_pad: str,
    dilations: Sizes | None,
    group: int,
    kernel_shape: Sizes | None,
    pads: Sizes | None,
    strides: Sizes | None,
) -> Window:
    """x_shape: (C, d1..), whatever the batch."""
    _check(x_shape, w_shape, group, kernel_shape)
    return _placed(x_shape[1:], w_shape[2:], auto_pad, dilations, pads, strides, 0)


def _sizes(given: Sequence[int] | None) -> Sizes | None:
    return None if given is None else tuple(given)


def place(
    sizes: Sizes,
    kernel: Sizes,
    auto_pad: str,
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
    ceil_mode: int = 0,
) -> Window:
    """The window of size `kernel` over spatial axes of these sizes.

    ceil_mode: a last window that begins inside the input or its first pads counts although it reaches over the end; the pads at the end
    are made as large as it needs. Raises ShapeMismatchError, InvalidInputError.
    """
    return _placed(sizes, kernel, auto_pad, _sizes(dilations), _sizes(pads), _sizes(strides), ceil_mode)


@lru_cache(1024)
def _placed(
    sizes: Sizes, kernel: Sizes, auto_pad: str, dilations: Sizes | None, pads: Sizes | None, strides: Sizes | None, ceil_mode: int
) -> Window:
    """The same windows come back in every step."""
    rank = len(sizes)
    if len(kernel) != rank:
        raise ShapeMismatchError(f"The window {kernel} needs as many axes as the input {sizes} has behind the channels.")
    stride, dilation = tuple(strides or (1,) * rank), tuple(dilations or (1,) * rank)
    extents = _extents(kernel, dilation)
    check_auto_pad(auto_pad)
    if auto_pad.startswith("SAME"):
        around = tuple(_same(*axis, auto_pad) for axis in zip(sizes, extents, stride, strict=True))
    else:
        around = explicit_pads(auto_pad, pads, rank)
    axes = tuple(zip(sizes, around, extents, stride, strict=True))
    output = tuple(_positions(*axis, ceil_mode and not auto_pad.startswith("SAME")) for axis in axes)
    if min(output, default=1) < 1:
        raise ShapeMismatchError(f"The window {extents} is larger than the padded input: X (N, C, {sizes}), pads {around}.")
    needed = [(count - 1) * step + extent - size - begin for count, (size, (begin, _), extent, step) in zip(output, axes, strict=True)]
    return Window(
        kernel, stride, dilation, tuple((begin, max(end, need)) for (begin, end), need in zip(around, needed, strict=True)), output
    )


def conv_window(x_shape: Sizes, w_shape: Sizes, attributes: Mapping[str, Any]) -> Window:
    """The window of a Conv node with these attributes, as window_of."""
    given = {name: attributes.get(name) for name in ("dilations", "kernel_shape", "pads", "strides")}
    return window_of(x_shape, w_shape, attributes.get("auto_pad", "NOTSET"), group=attributes.get("group", 1), **given)


def pool_window(x_shape: Sizes, attributes: Mapping[str, Any]) -> Window:
    """The window of a MaxPool or AveragePool node with these attributes, as place."""
    dilations, pads, strides = (attributes.get(name) for name in ("dilations", "pads", "strides"))
    kernel, auto_pad = tuple(attributes["kernel_shape"]), attributes.get("auto_pad", "NOTSET")
    return place(x_shape[2:], kernel, auto_pad, dilations, pads, strides, attributes.get("ceil_mode", 0))


def _positions(size: int, pad: tuple[int, int], extent: int, stride: int, ceil_mode: int) -> int:
    room = size + sum(pad) - extent
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count if (count - 1) * stride < size + pad[0] else count - 1


def _check(x_shape: Sizes, w_shape: Sizes, group: int, kernel_shape: Sequence[int] | None) -> None:
    if len(x_shape) + 1 != len(w_shape) or len(w_shape) < 3:
        raise ShapeMismatchError(f"X and W need the same number of axes, three at least; got {len(x_shape) + 1} of X, W {w_shape}.")
    if x_shape[0] != w_shape[1] * group or w_shape[0] % group:
        raise ShapeMismatchError(
            f"X (N, C, ..) and W (M, C / group, ..) do not fit with group={group}: C is {x_shape[0]}, W {w_shape}; "
            "M must be a multiple of group."
        )
    if kernel_shape and tuple(kernel_shape) != w_shape[2:]:
        raise ShapeMismatchError(f"kernel_shape {tuple(kernel_shape)} is not the window of W {w_shape}.")


def _extents(kernel: Sizes, dilations: Sizes) -> Sizes:
    return tuple((size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True))


def _same(size: int, extent: int, stride: int, auto_pad: str) -> tuple[int, int]:
    """Pads for ceil(size / stride) positions."""
    return distributed((-(-size // stride) - 1) * stride + extent - size, auto_pad)


def distributed(total: int, auto_pad: str) -> tuple[int, int]:
    """Pads of this sum, none if it is negative; an odd one goes to the end for SAME_UPPER, else to the start."""
    small, large = max(total, 0) // 2, max(total, 0) - max(total, 0) // 2
    return (small, large) if auto_pad == "SAME_UPPER" else (large, small)


def explicit_pads(auto_pad: str, pads: Sequence[int] | None, rank: int) -> tuple[tuple[int, int], ...]:
    """(begin, end) of each axis from the attribute `pads`; zeros without it, and for VALID."""
    given = tuple(pads or ()) if auto_pad != "VALID" else ()
    return tuple(zip(given[:rank], given[rank:], strict=True)) if given else ((0, 0),) * rank


def check_auto_pad(auto_pad: str) -> None:
    """Raises InvalidInputError for a value that is none of ONNX's; "" counts as NOTSET."""
    if auto_pad not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", ""):
        raise InvalidInputError(f"auto_pad is {auto_pad!r}; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER.")


def channels_last(X: np.ndarray) -> np.ndarray:
    """(N, C, d1..) as (N, d1.., C), a view: in C order if X is what a convolution returned. np.moveaxis takes ten times as long."""
    return X.transpose(_to_last(X.ndim))


def channels_first(x: np.ndarray) -> np.ndarray:
    """(N, d1.., C) as (N, C, d1..), a view."""
    return x.transpose(_to_first(x.ndim))


@cache
def _to_last(rank: int) -> Sizes:
    return (0, *range(2, rank), 1)


@cache
def _to_first(rank: int) -> Sizes:
    return (0, rank - 1, *range(1, rank - 1))
