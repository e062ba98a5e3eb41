"""ConvTranspose and ConvTransposeGrad: Conv's gradient by its input as a forward op. Channels last inside, as in conv.py."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pagetrain.errors import ShapeMismatchError
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.convolution import convolved, filter_gradient, filter_matrices, input_gradient
from pagetrain.kernels.registry import Memory, kernel
from pagetrain.kernels.window import Sizes, Window, channels_first, channels_last, check_auto_pad, distributed, explicit_pads
from pagetrain.kernels.window_workspace import of_conv_transpose

Result = tuple[np.ndarray, ...]


@kernel("ConvTranspose", since=1, memory=Memory.TURNED, workspace=of_conv_transpose)
def conv_transpose(
    X: np.ndarray,
    W: np.ndarray,
    B: np.ndarray | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = B + each pixel of X times W, added up where the windows of a convolution from Y to X stand.

    X: (N, C, d1..); W: (C, M / group, k1..); B: (M,); Y: (N, M, o1..), o = (d - 1) stride + dilated k + output_padding - pads, unless
    output_shape gives o and so the pads. Source: ONNX ConvTranspose-1, -11, -22. Raises ShapeMismatchError, InvalidInputError.
    """
    window, sizes = _placed(X.shape, W.shape, auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads, strides)
    y_shape = (X.shape[0], W.shape[1] * group, *sizes)
    Y = input_gradient(channels_last(X), y_shape, W, group, window)
    if B is not None:
        Y += B
    return (channels_first(Y),)


@kernel("ConvTransposeGrad", domain=MS_DOMAIN, told=("wanted",), memory=Memory.TURNED, workspace=1)
def conv_transpose_grad(
    dY: np.ndarray,
    X: np.ndarray,
    W: np.ndarray,
    *,
    wanted: Collection[int] = (0, 1, 2),
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> tuple[np.ndarray | None, ...]:
    """(dX, dW, dB) of ConvTranspose with the same attributes, None for what is not wanted.

    dX = Conv(dY, W); dW is that of this convolution, dY its input and X its gradient.

    Source: com.microsoft ConvTransposeGrad-1, for which ORT has no CPU kernel.
    """
    window, _ = _placed(X.shape, W.shape, auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads, strides)
    dy = channels_last(dY)
    dX = channels_first(convolved(dy, filter_matrices(W, group), W.shape, group, window)) if 0 in wanted else None
    dW = filter_gradient(channels_last(X), dy, W.shape, group, window) if 1 in wanted else None
    dB = dY.sum(axis=(0, *range(2, dY.ndim))) if 2 in wanted else None
    return dX, dW, dB


def _placed(
    x_shape: Sizes,
    w_shape: Sizes,
    auto_pad: str,
    dilations: Sequence[int] | None,
    group: int,
    kernel_shape: Sequence[int] | None,
    output_padding: Sequence[int] | None,
    output_shape: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> tuple[Window, Sizes]:
    """The window of the convolution from Y to X, and the spatial sizes of Y."""
    if len(x_shape) != len(w_shape) or x_shape[1] != w_shape[0] or x_shape[1] % group:
        raise ShapeMismatchError(f"X (N, C, ..) and W (C, M / group, ..) do not fit with group={group}: X {x_shape}, W {w_shape}.")
    kernel, sizes = w_shape[2:], x_shape[2:]
    if kernel_shape and tuple(kernel_shape) != kernel:
        raise ShapeMismatchError(f"kernel_shape {tuple(kernel_shape)} is not the window of W {w_shape}.")
    check_auto_pad(auto_pad)
    rank = len(sizes)
    stride, dilation, extra = (tuple(given or (default,) * rank) for given, default in ((strides, 1), (dilations, 1), (output_padding, 0)))
    extents = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    full = [(size - 1) * step + extent + more for size, step, extent, more in zip(sizes, stride, extents, extra, strict=True)]
    if output_shape:
        asked = tuple(output_shape)[-rank:]
        around = tuple(distributed(whole - size, auto_pad) for whole, size in zip(full, asked, strict=True))
        return Window(kernel, stride, dilation, around, sizes), asked
    if auto_pad.startswith("SAME"):
        around = tuple(distributed(whole - size * step, auto_pad) for whole, size, step in zip(full, sizes, stride, strict=True))
    else:
        around = explicit_pads(auto_pad, pads, rank)
    return Window(kernel, stride, dilation, around, sizes), tuple(whole - sum(pad) for whole, pad in zip(full, around, strict=True))
