"""QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear: floats as small numbers with a scale and a zero point."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.casting import dtype_of
from pagetrain.kernels.registry import Specs, kernel, per_element

from ._quantization import quantized, spread

Result = tuple[np.ndarray, ...]


def _of_numbers(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of QuantizeLinear's workspace."""
    return prod(inputs[0].shape) * (19 if any(inputs[2:]) else 15) if inputs[0] else 0


def _of_floats(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of DequantizeLinear's workspace: the numbers as int32, and one scale for each where there are several."""
    x, scale = inputs[:2]
    return 0 if x is None else prod(x.shape) * (12 if attributes.get("block_size") else 8 if scale and prod(scale.shape) > 1 else 4)


@kernel("QuantizeLinear", since=10, workspace=_of_numbers, any_type=True)
def quantize_linear_10(x: np.ndarray, y_scale: np.ndarray, y_zero_point: np.ndarray | None = None) -> Result:
    """y = saturate(round(x / y_scale) + y_zero_point), of the type of the zero point (default: uint8 0). Source: ONNX QuantizeLinear-10."""
    return quantize_linear(x, y_scale, y_zero_point)


@kernel("QuantizeLinear", since=13, workspace=_of_numbers, any_type=True)
def quantize_linear_13(x: np.ndarray, y_scale: np.ndarray, y_zero_point: np.ndarray | None = None, *, axis: int = 1) -> Result:
    """As QuantizeLinear-10, with one scale and zero point for each place along axis, or one for all. Source: ONNX QuantizeLinear-13."""
    return quantize_linear(x, y_scale, y_zero_point, axis=axis)


@kernel("QuantizeLinear", since=19, workspace=_of_numbers, any_type=True)
def quantize_linear_19(
    x: np.ndarray, y_scale: np.ndarray, y_zero_point: np.ndarray | None = None, *, saturate: int = 1, axis: int = 1
) -> Result:
    """As QuantizeLinear-13, to 8-bit floats too; saturate as in Cast-19. Source: ONNX QuantizeLinear-19."""
    return quantize_linear(x, y_scale, y_zero_point, saturate=saturate, axis=axis)


@kernel("QuantizeLinear", since=21, workspace=_of_numbers, any_type=True)
def quantize_linear_21(
    x: np.ndarray,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray | None = None,
    *,
    output_dtype: int = 0,
    block_size: int = 0,
    saturate: int = 1,
    axis: int = 1,
) -> Result:
    """As QuantizeLinear-23 in the precision of the scale. Source: ONNX QuantizeLinear-21."""
    return quantize_linear(x, y_scale, y_zero_point, output_dtype=output_dtype, block_size=block_size, saturate=saturate, axis=axis)


@kernel("QuantizeLinear", since=23, workspace=_of_numbers, any_type=True)
def quantize_linear(
    x: np.ndarray,
    y_scale: np.ndarray,
    y_zero_point: np.ndarray | None = None,
    *,
    precision: int = 0,
    output_dtype: int = 0,
    block_size: int = 0,
    saturate: int = 1,
    axis: int = 1,
) -> Result:
    """y = saturate(round(x / y_scale) + y_zero_point), halves to the even number.

    y: of the type output_dtype, else that of y_zero_point, else uint8. y_scale, y_zero_point: one for all, one for each place along axis,
    or one for each block_size of them. The quotient has the type `precision`, else that of y_scale. Source: ONNX QuantizeLinear-23 to -28.
    """
    exact = dtype_of(precision) if precision else y_scale.dtype
    made = dtype_of(output_dtype) if output_dtype else np.dtype(np.uint8) if y_zero_point is None else y_zero_point.dtype
    ratio = x.astype(exact) / spread(y_scale, x.shape, axis, block_size).astype(exact)
    shift = None if y_zero_point is None else spread(y_zero_point, x.shape, axis, block_size)
    return (quantized(ratio, shift, made, bool(saturate)),)


@kernel("DequantizeLinear", since=10, workspace=_of_floats, any_type=True)
def dequantize_linear_10(x: np.ndarray, x_scale: np.ndarray, x_zero_point: np.ndarray | None = None) -> Result:
    """y = (x - x_zero_point) x_scale (default zero point: 0). Source: ONNX DequantizeLinear-10."""
    return dequantize_linear(x, x_scale, x_zero_point)


@kernel("DequantizeLinear", since=13, workspace=_of_floats, any_type=True)
def dequantize_linear_13(x: np.ndarray, x_scale: np.ndarray, x_zero_point: np.ndarray | None = None, *, axis: int = 1) -> Result:
    """As DequantizeLinear-10, with one scale and zero point for each place along axis, or one for all.

    Source: ONNX DequantizeLinear-13, -19.
    """
    return dequantize_linear(x, x_scale, x_zero_point, axis=axis)


@kernel("DequantizeLinear", since=21, workspace=_of_floats, any_type=True)
def dequantize_linear_21(
    x: np.ndarray, x_scale: np.ndarray, x_zero_point: np.ndarray | None = None, *, block_size: int = 0, axis: int = 1
) -> Result:
    """As DequantizeLinear-23, of the type of the scale. Source: ONNX DequantizeLinear-21."""
    return dequantize_linear(x, x_scale, x_zero_point, block_size=block_size, axis=axis)


@kernel("DequantizeLinear", since=23, workspace=_of_floats, any_type=True)
def dequantize_linear(
    x: np.ndarray,
    x_scale: np.ndarray,
    x_zero_point: np.ndarray | None = None,
    *,
    output_dtype: int = 0,
    block_size: int = 0,
    axis: int = 1,
) -> Result:
    """y = (x - x_zero_point) x_scale, of the type output_dtype, else that of x_scale.

    x_scale, x_zero_point: as in QuantizeLinear-23. Source: ONNX DequantizeLinear-23 to -28.
    """
    made = dtype_of(output_dtype) if output_dtype else x_scale.dtype
    wide = x.astype(np.int32 if x.dtype.kind in "iu" else np.float32)
    if x_zero_point is not None:
        wide -= spread(x_zero_point, x.shape, axis, block_size).astype(wide.dtype)
    return (wide.astype(made) * spread(x_scale, x.shape, axis, block_size).astype(made),)


@kernel("DynamicQuantizeLinear", since=11, workspace=per_element({0: 19}))
def dynamic_quantize_linear(x: np.ndarray) -> Result:
    """(y, y_scale, y_zero_point): x as uint8, scaled so that 0 and all of x just fit. Source: ONNX DynamicQuantizeLinear-11.

    y_scale = (max - min) / 255, y_zero_point = saturate(round(-min / y_scale)), with min <= 0 <= max. Where x is 0 throughout, the scale
    is 1, as in onnxruntime.
    """
    least, greatest = np.minimum(x.min(initial=0), np.float32(0)), np.maximum(x.max(initial=0), np.float32(0))
    scale = np.asarray((greatest - least) / np.float32(255), np.float32)
    if scale == 0:
        scale = np.ones((), np.float32)
    zero_point = quantized(np.asarray(-least / scale), None, np.dtype(np.uint8))
    return quantized(x / scale, zero_point, np.dtype(np.uint8)), scale, zero_point
