"""onnxruntime's quantised ops that look through windows: QLinearConv, NhwcMaxPool, QLinearAveragePool; see quantized.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.average_pool import average_pool_10
from pagetrain.kernels.max_pool import max_pool
from pagetrain.kernels.registry import kernel, per_element

from ._quantization import floats_of, numbers_of
from .integer_product import of_integer_conv, qlinear_conv

Result = tuple[np.ndarray, ...]


@kernel("QLinearConv", domain=MS_DOMAIN, workspace=of_integer_conv(3, 23))
def qlinear_conv_ms(
    x: np.ndarray,
    x_scale: np.ndarray,
    x_zero_point: np.ndarray,
    w: np.ndarray,
    w_scale: np.ndarray,
    w_zero_point: np.ndarray,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray,
    B: np.ndarray | None = None,
    *,
    auto_pad: str = "NOTSET",
    channels_last: int = 0,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """As ONNX QLinearConv-10, over (N, d1.., C) with channels_last; the filters w are (M, C / group, k1..) all the same.

    Source: com.microsoft QLinearConv-1.
    """
    (y,) = qlinear_conv(
        np.moveaxis(x, -1, 1) if channels_last else x,
        x_scale,
        x_zero_point,
        w,
        w_scale,
        w_zero_point,
        y_scale,
        y_zero_point,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return (np.moveaxis(y, 1, -1) if channels_last else y,)


@kernel("NhwcMaxPool", domain=MS_DOMAIN, workspace=1.33)
def nhwc_max_pool(
    x: np.ndarray,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """y = maximum over each window of x, (N, d1.., C). Source: com.microsoft NhwcMaxPool-1."""
    (y,) = max_pool(
        np.moveaxis(x, -1, 1),
        wanted=(0,),
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return (np.moveaxis(y, 1, -1),)


@kernel("QLinearAveragePool", domain=MS_DOMAIN, workspace=per_element({0: 4}, {0: 23}))
def qlinear_average_pool(
    X: np.ndarray,
    x_scale: np.ndarray,
    x_zero_point: np.ndarray | None,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray | None = None,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    channels_last: int = 0,
    count_include_pad: int = 0,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """Y = AveragePool(X), X: (N, C, d1..), or (N, d1.., C) with channels_last. Source: com.microsoft QLinearAveragePool-1."""
    wide = floats_of(X, x_scale, x_zero_point)
    (Y,) = average_pool_10(
        np.moveaxis(wide, -1, 1) if channels_last else wide,
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        pads=pads,
        strides=strides,
    )
    return (numbers_of(np.moveaxis(Y, 1, -1) if channels_last else Y, y_scale, y_zero_point, X.dtype),)


@kernel("QLinearGlobalAveragePool", domain=MS_DOMAIN, workspace=per_element({0: 8}))
def qlinear_global_average_pool(
    X: np.ndarray, x_scale: np.ndarray, x_zero_point: np.ndarray, y_scale: np.ndarray, y_zero_point: np.ndarray, *, channels_last: int = 0
) -> Result:
    """Y = mean over the spatial axes of X, (N, C, d1..), or (N, d1.., C). Source: com.microsoft QLinearGlobalAveragePool-1."""
    axes = tuple(range(1, X.ndim - 1) if channels_last else range(2, X.ndim))
    return (numbers_of(floats_of(X, x_scale, x_zero_point).mean(axis=axes, keepdims=True), y_scale, y_zero_point, X.dtype),)
