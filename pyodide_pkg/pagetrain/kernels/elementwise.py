"""Element by element, with numpy broadcasting: arithmetic, comparisons, Where, Cast."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from ..graph import ElementType
from .casting import converted, dtype_of
from .registry import Specs, kernel
from .spare import Spare, room

Result = tuple[np.ndarray, ...]


def _of_cast(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Floats go by way of int64 to small integers."""
    small = attributes["to"] in (ElementType.UINT8, ElementType.INT8, ElementType.UINT16, ElementType.INT16)
    return prod(inputs[0].shape) * 8 if small and inputs[0] and inputs[0].itemsize > 1 else 0


@kernel("Add", since=7, spares=(0, 1))
def add(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A + B. Source: ONNX Add-7, -13, -14."""
    return (np.add(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Sub", since=7, spares=(0, 1))
def sub(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A - B. Source: ONNX Sub-7, -13, -14."""
    return (np.subtract(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Mul", since=7, spares=(0, 1))
def mul(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A * B. Source: ONNX Mul-7, -13, -14."""
    return (np.multiply(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Div", since=7, spares=(0, 1))
def div(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A / B; integers are divided towards zero (numpy's // goes down). Source: ONNX Div-7, -13, -14."""
    if np.issubdtype(A.dtype, np.integer):
        floor, rest = np.divmod(A, B)
        return (floor + ((rest != 0) & ((A < 0) != (B < 0))).astype(A.dtype),)
    return (np.divide(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Pow", since=7, spares=(0,))
def pow_(X: np.ndarray, Y: np.ndarray, *, spare: Spare = ()) -> Result:
    """Z = X to the power Y, in the element type of X whatever that of Y. Source: ONNX Pow-7, -12, -13, -15."""
    if Y.size == 1 and Y.ndim <= X.ndim and np.issubdtype(X.dtype, np.floating):
        out, number = room(spare, X), Y.item()  # numpy knows squares and roots by their number
        return (X**number if out is None else out.__ipow__(number),)
    whole = np.issubdtype(X.dtype, np.integer) and (np.issubdtype(Y.dtype, np.floating) or (Y < 0).any())
    power = np.power(X.astype(np.float64), Y) if whole else np.power(X, Y.astype(X.dtype))
    return (power.astype(X.dtype, copy=False),)


@kernel("Mod", since=10, spares=(0, 1))
def mod(A: np.ndarray, B: np.ndarray, *, fmod: int = 0, spare: Spare = ()) -> Result:
    """C = A - B floor(A / B), with the sign of B; with fmod that of A. Source: ONNX Mod-10, -13, -28."""
    return ((np.fmod if fmod else np.mod)(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Neg", since=6, spares=(0,))
def neg(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = -X. Source: ONNX Neg-6, -13."""
    return (np.negative(X, out=room(spare, X) if spare else None),)


@kernel("Identity", since=1, any_type=True, passes_on=True)
def identity(input: np.ndarray) -> Result:
    """output = input, not copied. Source: ONNX Identity-1 to -21."""
    return (input,)


@kernel("Equal", since=7)
def equal(A: np.ndarray, B: np.ndarray) -> Result:
    """C = A == B, bool. Source: ONNX Equal-7, -11, -13, -19."""
    return (np.equal(A, B),)


@kernel("Greater", since=7)
def greater(A: np.ndarray, B: np.ndarray) -> Result:
    """C = A > B, bool. Source: ONNX Greater-7, -9, -13."""
    return (np.greater(A, B),)


@kernel("Less", since=7)
def less(A: np.ndarray, B: np.ndarray) -> Result:
    """C = A < B, bool. Source: ONNX Less-7, -9, -13."""
    return (np.less(A, B),)


@kernel("GreaterOrEqual", since=12)
def greater_or_equal(A: np.ndarray, B: np.ndarray) -> Result:
    """C = A >= B, bool. Source: ONNX GreaterOrEqual-12, -16."""
    return (np.greater_equal(A, B),)


@kernel("LessOrEqual", since=12)
def less_or_equal(A: np.ndarray, B: np.ndarray) -> Result:
    """C = A <= B, bool. Source: ONNX LessOrEqual-12, -16."""
    return (np.less_equal(A, B),)


@kernel("And", since=7, spares=(0, 1))
def and_(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A and B; all bool. Source: ONNX And-7."""
    return (np.logical_and(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Or", since=7, spares=(0, 1))
def or_(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = A or B; all bool. Source: ONNX Or-7."""
    return (np.logical_or(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Xor", since=7, spares=(0, 1))
def xor(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = either A or B; all bool. Source: ONNX Xor-7."""
    return (np.logical_xor(A, B, out=room(spare, A, B) if spare else None),)


@kernel("Not", since=1, spares=(0,))
def not_(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = not X; all bool. Source: ONNX Not-1."""
    return (np.logical_not(X, out=room(spare, X) if spare else None),)


@kernel("IsNaN", since=9)
def is_nan(X: np.ndarray) -> Result:
    """Y = X is no number, bool. Source: ONNX IsNaN-9, -13, -20."""
    return (np.isnan(X),)


@kernel("IsInf", since=10)
def is_inf(X: np.ndarray, *, detect_negative: int = 1, detect_positive: int = 1) -> Result:
    """Y = X is one of the infinities asked for, bool. Source: ONNX IsInf-10, -20."""
    if detect_negative and detect_positive:
        return (np.isinf(X),)
    return (np.asarray(np.inf == X if detect_positive else -np.inf == X if detect_negative else np.zeros(X.shape, bool)),)


@kernel("Where", since=9, any_type=True)
def where(condition: np.ndarray, X: np.ndarray, Y: np.ndarray) -> Result:
    """output = X where condition, else Y. Source: ONNX Where-9, -16."""
    return (np.where(condition, X, Y),)


@kernel("Cast", since=6, any_type=True, workspace=_of_cast)
def cast(input: np.ndarray, *, to: int) -> Result:
    """output = input as element type `to`; see casting.py. Source: ONNX Cast-6, -9, -13."""
    return (converted(input, dtype_of(to)),)


@kernel("Cast", since=19, any_type=True, workspace=_of_cast)
def cast_19(input: np.ndarray, *, to: int, saturate: int = 1) -> Result:
    """As Cast-6; saturate: what is beyond an 8-bit float becomes its largest number. Source: ONNX Cast-19, -21."""
    return (converted(input, dtype_of(to), bool(saturate)),)


@kernel("Cast", since=24, any_type=True, workspace=_of_cast)
def cast_24(input: np.ndarray, *, to: int, saturate: int = 1, round_mode: str = "up") -> Result:
    """As Cast-19; round_mode: of 8-bit exponents. Source: ONNX Cast-24 to -28."""
    return (converted(input, dtype_of(to), bool(saturate), round_mode),)


@kernel("CastLike", since=15, any_type=True)
def cast_like(input: np.ndarray, target_type: np.ndarray) -> Result:
    """output = input as the element type of target_type; see casting.py. Source: ONNX CastLike-15."""
    return (converted(input, target_type.dtype),)


@kernel("CastLike", since=19, any_type=True)
def cast_like_19(input: np.ndarray, target_type: np.ndarray, *, saturate: int = 1) -> Result:
    """As CastLike-15; saturate as in Cast-19. Source: ONNX CastLike-19, -21."""
    return (converted(input, target_type.dtype, bool(saturate)),)


@kernel("CastLike", since=24, any_type=True)
def cast_like_24(input: np.ndarray, target_type: np.ndarray, *, saturate: int = 1, round_mode: str = "up") -> Result:
    """As CastLike-15; saturate and round_mode as in Cast-24. Source: ONNX CastLike-24, -25."""
    return (converted(input, target_type.dtype, bool(saturate), round_mode),)
