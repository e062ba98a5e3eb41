"""onnxruntime's quantised ops: floats out of small numbers, the op, small numbers again. X_scale, X_zero_point say what X stands for.

A zero point that is left out is 0. Results may lie one step from onnxruntime's where a number falls between two (docs/ops.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.activation import softmax, softmax_1
from pagetrain.kernels.rectifier import leaky_relu
from pagetrain.kernels.registry import Specs, kernel, per_element
from pagetrain.kernels.sigmoid import sigmoid_of

from ._quantization import floats_of, numbers_of
from .integer_product import matmul_integer
from .quantize import dequantize_linear, dynamic_quantize_linear, quantize_linear

Result = tuple[np.ndarray, ...]
PER_AXIS_SOFTMAX_SINCE = 13  # opset
_EACH = per_element({}, {0: 23})


@kernel("QuantizeLinear", domain=MS_DOMAIN, workspace=per_element({0: 19}))
def quantize_linear_ms(x: np.ndarray, y_scale: np.ndarray, y_zero_point: np.ndarray | None = None, *, axis: int = 1) -> Result:
    """As ONNX QuantizeLinear-13. Source: com.microsoft QuantizeLinear-1."""
    return quantize_linear(x, y_scale, y_zero_point, axis=axis)


@kernel("DequantizeLinear", domain=MS_DOMAIN, workspace=per_element({0: 6}))
def dequantize_linear_ms(x: np.ndarray, x_scale: np.ndarray, x_zero_point: np.ndarray | None = None, *, axis: int = 1) -> Result:
    """As ONNX DequantizeLinear-13. Source: com.microsoft DequantizeLinear-1."""
    return dequantize_linear(x, x_scale, x_zero_point, axis=axis)


@kernel("QLinearAdd", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_add(
    A: np.ndarray,
    A_scale: np.ndarray,
    A_zero_point: np.ndarray | None,
    B: np.ndarray,
    B_scale: np.ndarray,
    B_zero_point: np.ndarray | None,
    C_scale: np.ndarray,
    C_zero_point: np.ndarray | None = None,
) -> Result:
    """C = A + B. Source: com.microsoft QLinearAdd-1."""
    return (numbers_of(floats_of(A, A_scale, A_zero_point) + floats_of(B, B_scale, B_zero_point), C_scale, C_zero_point, A.dtype),)


@kernel("QLinearMul", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_mul(
    A: np.ndarray,
    A_scale: np.ndarray,
    A_zero_point: np.ndarray | None,
    B: np.ndarray,
    B_scale: np.ndarray,
    B_zero_point: np.ndarray | None,
    C_scale: np.ndarray,
    C_zero_point: np.ndarray | None = None,
) -> Result:
    """C = A * B. Source: com.microsoft QLinearMul-1."""
    return (numbers_of(floats_of(A, A_scale, A_zero_point) * floats_of(B, B_scale, B_zero_point), C_scale, C_zero_point, A.dtype),)


@kernel("QLinearWhere", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_where(
    condition: np.ndarray,
    X: np.ndarray,
    x_scale: np.ndarray,
    x_zero_point: np.ndarray,
    Y: np.ndarray,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray,
    z_scale: np.ndarray,
    z_zero_point: np.ndarray,
) -> Result:
    """Z = X where condition, else Y. Source: com.microsoft QLinearWhere-1."""
    chosen = np.where(condition, floats_of(X, x_scale, x_zero_point), floats_of(Y, y_scale, y_zero_point))
    return (numbers_of(chosen, z_scale, z_zero_point, X.dtype),)


@kernel("QLinearConcat", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_concat(Y_scale: np.ndarray, Y_zero_point: np.ndarray, *inputs: np.ndarray, axis: int) -> Result:
    """Y = the inputs, each followed by its scale and zero point, one after the other along axis. Source: com.microsoft QLinearConcat-1."""
    triples = zip(inputs[::3], inputs[1::3], inputs[2::3], strict=True)
    return (numbers_of(np.concatenate([floats_of(*triple) for triple in triples], axis), Y_scale, Y_zero_point, Y_zero_point.dtype),)


@kernel("QLinearSigmoid", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_sigmoid(
    X: np.ndarray, X_scale: np.ndarray, X_zero_point: np.ndarray | None, Y_scale: np.ndarray, Y_zero_point: np.ndarray | None = None
) -> Result:
    """Y = 1 / (1 + exp(-X)). Source: com.microsoft QLinearSigmoid-1."""
    return (numbers_of(sigmoid_of(floats_of(X, X_scale, X_zero_point)), Y_scale, Y_zero_point, X.dtype),)


@kernel("QLinearLeakyRelu", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_leaky_relu(
    X: np.ndarray,
    X_scale: np.ndarray,
    X_zero_point: np.ndarray | None,
    Y_scale: np.ndarray,
    Y_zero_point: np.ndarray | None = None,
    *,
    alpha: float = 0.01,
) -> Result:
    """Y = X, alpha X below 0. Source: com.microsoft QLinearLeakyRelu-1."""
    (Y,) = leaky_relu(floats_of(X, X_scale, X_zero_point), alpha=alpha)
    return (numbers_of(Y, Y_scale, Y_zero_point, X.dtype),)


@kernel("QLinearSoftmax", domain=MS_DOMAIN, workspace=_EACH)
def qlinear_softmax(
    X: np.ndarray,
    X_scale: np.ndarray,
    x_zero_point: np.ndarray | None,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray,
    *,
    axis: int = -1,
    opset: int,
) -> Result:
    """Y = Softmax(X) as of that opset: along axis from 13 on, else over all axes from `axis` on.

    Source: com.microsoft QLinearSoftmax-1.
    """
    (Y,) = (softmax if opset >= PER_AXIS_SOFTMAX_SINCE else softmax_1)(floats_of(X, X_scale, x_zero_point), axis=axis)
    return (numbers_of(Y, y_scale, y_zero_point, X.dtype),)


def _of_gemm(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the operands in double, and of the product on its way to small numbers."""
    return per_element({0: 8, 3: 8}, {0: 35 if any(inputs[7:8]) else 4})(inputs, outputs, attributes)


@kernel("QGemm", domain=MS_DOMAIN, workspace=_of_gemm)
def qgemm(
    A: np.ndarray,
    a_scale: np.ndarray,
    a_zero_point: np.ndarray,
    B: np.ndarray,
    b_scale: np.ndarray,
    b_zero_point: np.ndarray,
    C: np.ndarray | None = None,
    y_scale: np.ndarray | None = None,
    y_zero_point: np.ndarray | None = None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Result:
    """Y = alpha A' B' + C, both transposed first if asked; float32 without y_scale. C: int32, in units of alpha a_scale b_scale.

    b_scale, b_zero_point: one for all, or for each column of B'. Source: com.microsoft QGemm-1.
    """
    (product,) = matmul_integer(A.T if transA else A, B.T if transB else B, a_zero_point, b_zero_point)
    Y = (product if C is None else product + C) * (np.float32(alpha) * a_scale * b_scale)
    if y_scale is None:
        return (Y.astype(np.float32),)
    return (numbers_of(Y, y_scale, y_zero_point, A.dtype),)


@kernel("MatMulIntegerToFloat", domain=MS_DOMAIN, workspace=per_element({0: 8, 1: 8}, {0: 4}))
def matmul_integer_to_float(
    A: np.ndarray,
    B: np.ndarray,
    a_scale: np.ndarray,
    b_scale: np.ndarray,
    a_zero_point: np.ndarray | None = None,
    b_zero_point: np.ndarray | None = None,
    bias: np.ndarray | None = None,
) -> Result:
    """Y = MatMulInteger(A, B) a_scale b_scale + bias, floats. Source: com.microsoft MatMulIntegerToFloat-1."""
    (product,) = matmul_integer(A, B, a_zero_point, b_zero_point)
    Y = (product * (a_scale * b_scale)).astype(a_scale.dtype)
    return (Y if bias is None else Y + bias,)


def _of_dynamic(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of A made small, or of the product after that."""
    quantizing, multiplying = per_element({0: 20}), per_element({0: 9, 1: 8}, {0: 4})
    return max(quantizing(inputs, outputs, attributes), multiplying(inputs, outputs, attributes))


@kernel("DynamicQuantizeMatMul", domain=MS_DOMAIN, workspace=_of_dynamic)
def dynamic_quantize_matmul(
    A: np.ndarray, B: np.ndarray, b_scale: np.ndarray, b_zero_point: np.ndarray | None = None, bias: np.ndarray | None = None
) -> Result:
    """Y = A B + bias, with A of floats quantised as DynamicQuantizeLinear does. Source: com.microsoft DynamicQuantizeMatMul-1."""
    small, scale, zero_point = dynamic_quantize_linear(A)
    return matmul_integer_to_float(small, B, scale, b_scale, zero_point, b_zero_point, bias)
