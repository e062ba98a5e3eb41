"""One float function of each element: exponentials, roots, angles, rounding, sign."""

from __future__ import annotations

import numpy as np

from ._erf import erf as error_function
from .registry import kernel
from .spare import Spare, room, room_for_floats

Result = tuple[np.ndarray, ...]


@kernel("Exp", since=6, spares=(0,))
def exp(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = e^input. Source: ONNX Exp-6, -13."""
    return (np.exp(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Log", since=6, spares=(0,))
def log(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = natural logarithm; -inf at 0, NaN below. Source: ONNX Log-6, -13."""
    return (np.log(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Sqrt", since=6, spares=(0,))
def sqrt(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = X^0.5; NaN below 0. Source: ONNX Sqrt-6, -13."""
    return (np.sqrt(X, out=room_for_floats(spare, X) if spare else None),)


@kernel("Reciprocal", since=6, spares=(0,))
def reciprocal(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = 1 / X. Source: ONNX Reciprocal-6, -13."""
    return (np.divide(1, X, out=room_for_floats(spare, X) if spare else None),)


@kernel("Abs", since=6, spares=(0,))
def abs_(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = |X|. Source: ONNX Abs-6, -13."""
    return (np.abs(X, out=room(spare, X) if spare else None),)


@kernel("Sign", since=9, spares=(0,))
def sign(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = -1, 0 or 1. Source: ONNX Sign-9, -13."""
    return (np.sign(input, out=room(spare, input) if spare else None),)


@kernel("Erf", since=9, workspace=2)
def erf(input: np.ndarray) -> Result:
    """output = 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input. Source: ONNX Erf-9, -13."""
    return (error_function(input),)


@kernel("Floor", since=6, spares=(0,))
def floor(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = the largest whole number not above X. Source: ONNX Floor-6, -13."""
    return (np.floor(X, out=room_for_floats(spare, X) if spare else None),)


@kernel("Ceil", since=6, spares=(0,))
def ceil(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = the smallest whole number not below X. Source: ONNX Ceil-6, -13."""
    return (np.ceil(X, out=room_for_floats(spare, X) if spare else None),)


@kernel("Round", since=11, spares=(0,))
def round_(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = the nearest whole number, halves to the even one. Source: ONNX Round-11, -22."""
    return (np.rint(X, out=room_for_floats(spare, X) if spare else None),)


@kernel("Sin", since=7, spares=(0,))
def sin(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = sin(input), radians. Source: ONNX Sin-7, -22."""
    return (np.sin(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Cos", since=7, spares=(0,))
def cos(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = cos(input), radians. Source: ONNX Cos-7, -22."""
    return (np.cos(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Tan", since=7, spares=(0,))
def tan(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = tan(input), radians. Source: ONNX Tan-7, -22."""
    return (np.tan(input, out=room_for_floats(spare, input) if spare else None),)
