"""Products of quantised arrays: MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv.

The products are summed in double, which holds every sum of int8 products below 2^53 exactly, and wrap around in int32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.conv import conv
from pagetrain.kernels.product import batch_product
from pagetrain.kernels.registry import Spec, Specs, Workspace, kernel, per_element
from pagetrain.kernels.window_workspace import of_conv

from ._quantization import quantized

_DOUBLE = 8  # bytes
Result = tuple[np.ndarray, ...]


def of_integer_conv(w: int, each: int) -> Workspace:
    """Bytes of the convolution in double, or of its result becoming small, `each` for an element. w: position of the filters."""

    def need(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
        X, W, Y = inputs[0], inputs[w], outputs[0]
        if X is None or W is None or Y is None:
            return 0
        shape = (X.shape[0], X.shape[-1], *X.shape[1:-1]) if attributes.get("channels_last") else X.shape
        wide = Spec(shape, _DOUBLE), Spec(W.shape, _DOUBLE)
        made = prod(Y.shape)
        return max(sum(spec.nbytes for spec in wide) + of_conv(wide, (), attributes) + made * (_DOUBLE - Y.itemsize), made * each)

    return need


@kernel("MatMulInteger", since=10, workspace=per_element({0: 8, 1: 8}, {0: 4}))
def matmul_integer(A: np.ndarray, B: np.ndarray, a_zero_point: np.ndarray | None = None, b_zero_point: np.ndarray | None = None) -> Result:
    """Y = (A - a_zero_point) (B - b_zero_point) as numpy.matmul, int32. Zero points: one for all, for each row of A, for each column of B.

    Source: ONNX MatMulInteger-10.
    """
    return (
        batch_product(_shifted(A, None if a_zero_point is None else _of_rows(a_zero_point)), _shifted(B, b_zero_point))
        .astype(np.int64)
        .astype(np.int32),
    )


@kernel("QLinearMatMul", since=10, workspace=per_element({0: 8, 3: 8}, {0: 23}))
def qlinear_matmul(
    a: np.ndarray,
    a_scale: np.ndarray,
    a_zero_point: np.ndarray,
    b: np.ndarray,
    b_scale: np.ndarray,
    b_zero_point: np.ndarray,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray,
) -> Result:
    """y = saturate(round((a - a_zero_point) (b - b_zero_point) a_scale b_scale / y_scale) + y_zero_point).

    Scales and zero points: one for all, for each row of a and y, for each column of b. Source: ONNX QLinearMatMul-10, -21.
    """
    (product,) = matmul_integer(a, b, a_zero_point, b_zero_point)
    factor = _wide(_of_rows(a_scale)) * _wide(b_scale) / _wide(_of_rows(y_scale))
    return (quantized(product * factor, _of_rows(y_zero_point), y_zero_point.dtype),)


@kernel("ConvInteger", since=10, workspace=of_integer_conv(1, 16))
def conv_integer(
    x: np.ndarray,
    w: np.ndarray,
    x_zero_point: np.ndarray | None = None,
    w_zero_point: np.ndarray | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """y = Conv of x - x_zero_point with w - w_zero_point, int32; pads count as x_zero_point. w_zero_point: one for all, or for each filter.

    Source: ONNX ConvInteger-10.
    """
    (y,) = conv(
        _shifted(x, x_zero_point),
        _shifted(w, _of_filters(w_zero_point, w.ndim)),
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return (y.astype(np.int64).astype(np.int32),)


@kernel("QLinearConv", since=10, workspace=of_integer_conv(3, 23))
def qlinear_conv(
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
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """y = saturate(round((ConvInteger(x, w) + B) x_scale w_scale / y_scale) + y_zero_point). B: int32, in units of x_scale w_scale.

    w_scale, w_zero_point: one for all, or for each filter. Source: ONNX QLinearConv-10.
    """
    (y,) = conv_integer(
        x,
        w,
        x_zero_point,
        w_zero_point,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    along = (-1, *(1,) * (y.ndim - 2))
    if B is not None:
        y += B.reshape(along)
    factor = _wide(x_scale) * _wide(w_scale) / _wide(y_scale)
    return (quantized(y * factor.reshape(along), y_zero_point.reshape(()), y_zero_point.dtype),)


def _shifted(X: np.ndarray, zero_point: np.ndarray | None) -> np.ndarray:
    wide = X.astype(np.float64)
    if zero_point is not None:
        wide -= zero_point.astype(np.float64)
    return wide


def _wide(scale: np.ndarray) -> np.ndarray:
    return scale.astype(np.float32)


def _of_rows(value: np.ndarray) -> np.ndarray:
    return value[:, None] if value.ndim == 1 and value.size > 1 else value


def _of_filters(value: np.ndarray | None, axes: int) -> np.ndarray | None:
    return value.reshape(-1, *[1] * (axes - 1)) if value is not None and value.size > 1 else value
