"""Where a convolution's window stands: sizes, strides, pads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """One entry per spatial axis. `pads`: (begin, end); `output`: positions; arrays are (N, d1.., C)."""

    kernel: Sizes
    strides: Sizes
    dilations: Sizes
    pads: tuple[tuple[int, int], ...]
    output: Sizes

    @property
    def extents(self) -> Sizes:
        """From the first to the last pixel that the window touches."""
        return _extents(self.kernel, self.dilations)

    @property
    def is_pointwise(self) -> bool:
        return all(size == 1 for size in self.kernel)

    def padded(self, x: np.ndarray) -> np.ndarray:
        """x with zeros around it; x itself when there is nothing to pad."""
        if not any(map(any, self.pads)):
            return x
        sizes = [size + begin + end for size, (begin, end) in zip(x.shape[1:-1], self.pads, strict=True)]
        result = np.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
        self.cropped(result)[...] = x
        return result

    def cropped(self, x: np.ndarray) -> np.ndarray:
        """x without its pads, a view."""
        inner = (slice(begin, size - end) for size, (begin, end) in zip(x.shape[1:-1], self.pads, strict=True))
        return x[(slice(None), *inner)]


def window_of(
    x_shape: Sizes,
    w_shape: Sizes,
    auto_pad: str,
    dilations: Sequence[int] | None,
    group: int,
    kernel_shape: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> Window:
    """The window of Conv's attributes over X (N, C, d1..) with filters W (M, C / group, k1..).

    Raises ShapeMismatchError, InvalidInputError.
    """
    _check(x_shape, w_shape, group, kernel_shape)
    rank, sizes, kernel = len(x_shape) - 2, x_shape[2:], w_shape[2:]
    stride, dilation = tuple(strides or (1,) * rank), tuple(dilations or (1,) * rank)
    extents = _extents(kernel, dilation)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        around = tuple(_same(*axis, upper=auto_pad == "SAME_UPPER") for axis in zip(sizes, extents, stride, strict=True))
    elif auto_pad in ("NOTSET", "VALID", ""):
        given = tuple(pads or ()) if auto_pad != "VALID" else ()
        around = tuple(zip(given[:rank], given[rank:], strict=True)) if given else ((0, 0),) * rank
    else:
        raise InvalidInputError(f"auto_pad is {auto_pad!r}; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER.")
    output = tuple((size + sum(pad) - extent) // step + 1 for size, pad, extent, step in zip(sizes, around, extents, stride, strict=True))
    if min(output, default=1) < 1:
        raise ShapeMismatchError(f"The window {extents} is larger than the padded input: X {x_shape}, pads {around}.")
    return Window(kernel, stride, dilation, around, output)


def _check(x_shape: Sizes, w_shape: Sizes, group: int, kernel_shape: Sequence[int] | None) -> None:
    if len(x_shape) != len(w_shape) or len(x_shape) < 3:
        raise ShapeMismatchError(f"X and W need the same number of axes, three at least; got X {x_shape}, W {w_shape}.")
    if x_shape[1] != w_shape[1] * group or w_shape[0] % group:
        raise ShapeMismatchError(
            f"X (N, C, ..) and W (M, C / group, ..) do not fit with group={group}: X {x_shape}, W {w_shape}; M must be a multiple of group."
        )
    if kernel_shape and tuple(kernel_shape) != w_shape[2:]:
        raise ShapeMismatchError(f"kernel_shape {tuple(kernel_shape)} is not the window of W {w_shape}.")


def _extents(kernel: Sizes, dilations: Sizes) -> Sizes:
    return tuple((size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True))


def _same(size: int, extent: int, stride: int, *, upper: bool) -> tuple[int, int]:
    """Pads for ceil(size / stride) positions; an odd one goes to the end (upper) or the start."""
    total = max((-(-size // stride) - 1) * stride + extent - size, 0)
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)
