"""Conv, FusedConv, ConvGrad. Arrays are (N, C, d1..) to the outside; inside all work is on (N, d1.., C), channels last.

A result is a transposed view of channels-last memory; without BLAS that of wide layers with few channels lies pixels last. Elementwise ops
keep the memory order of their input, so a chain of convolutions, activations and residual additions stays as it is without any pass that
arranges it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..graph import MS_DOMAIN
from ._fused import activate
from .convolution import Matrices, convolved, filter_gradient, filter_matrices, input_gradient
from .registry import KernelFunction, Memory, Preparation, kernel
from .window import channels_first, channels_last, window_of
from .window_workspace import of_conv, of_conv_grad

Result = tuple[np.ndarray, ...]


def _conv(
    X: np.ndarray, W: np.ndarray, B: np.ndarray | None = None, *, matrices: Matrices | None = None, group: int = 1, **placing: Any
) -> Result:
    """conv, of filters that may be laid out before."""
    window = window_of(X.shape, W.shape, group=group, **placing)
    Y = convolved(channels_last(X), matrices or filter_matrices(W, group), W.shape, group, window)
    if B is not None:
        Y += B
    return (channels_first(Y),)


def _fused_conv(
    X: np.ndarray,
    W: np.ndarray,
    B: np.ndarray | None = None,
    Z: np.ndarray | None = None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    **attributes: Any,
) -> Result:
    """fused_conv, of filters that may be laid out before."""
    (Y,) = _conv(X, W, B, **attributes)
    if Z is not None and Z.shape == Y.shape:
        Y += Z
    elif Z is not None:
        Y = Y + Z
    return (activate(Y, activation, activation_params),)


def _with_filters(run: KernelFunction) -> Preparation:
    """`run` with constant filters laid out once."""

    def prepare(constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> KernelFunction | None:
        W, group = constants.get(1), attributes.get("group", 1)
        fits = W is not None and W.ndim > 2 and group > 0 and W.shape[0] % group == 0
        if W is None or not fits:
            return None
        ready = partial(run, matrices=filter_matrices(W, group))
        ready.__dict__["holds"] = ready.keywords["matrices"]
        return ready

    return prepare


@kernel("Conv", since=1, memory=Memory.TURNED, workspace=of_conv, prepare=_with_filters(_conv))
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
    placing: dict[str, Any] = {"auto_pad": auto_pad, "dilations": dilations, "kernel_shape": kernel_shape, "pads": pads, "strides": strides}
    return _conv(X, W, B, group=group, **placing)


@kernel("FusedConv", domain=MS_DOMAIN, memory=Memory.TURNED, workspace=of_conv, prepare=_with_filters(_fused_conv))
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
    """Y = activation(Conv(X, W, B) + Z). Z: as Y, or it broadcasts; activation: see _fused.py; its parameters in activation_params.

    Source: com.microsoft FusedConv-1.
    """
    placing: dict[str, Any] = {"auto_pad": auto_pad, "dilations": dilations, "kernel_shape": kernel_shape, "pads": pads, "strides": strides}
    return _fused_conv(X, W, B, Z, activation=activation, activation_params=activation_params, group=group, **placing)


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
    dy = np.ascontiguousarray(channels_last(dY))
    dX = channels_first(input_gradient(dy, X.shape, W, group, window)) if 0 in wanted else None
    dW = filter_gradient(dy, channels_last(X), W.shape, group, window) if 1 in wanted else None
    dB = bias_gradient(dy) if 2 in wanted else None
    return dX, dW, dB


def bias_gradient(dy: np.ndarray) -> np.ndarray:
    """dB for dY as (N, o1.., M). numpy adds row by row, so in float64."""
    return np.asarray(dy.sum(axis=tuple(range(dy.ndim - 1)), dtype=np.float64)).astype(dy.dtype)
