"""One float function of each element: exponentials, roots, angles, rounding, sign."""

from __future__ import annotations

import numpy as np

from ._erf import erf as error_function
from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Exp", since=6)
def exp(input: np.ndarray) -> Result:
    """output = e^input. Source: ONNX Exp-6, -13."""
    return (np.exp(input),)


@kernel("Log", since=6)
def log(input: np.ndarray) -> Result:
    """output = natural logarithm; -inf at 0, NaN below. Source: ONNX Log-6, -13."""
    return (np.log(input),)


@kernel("Sqrt", since=6)
def sqrt(X: np.ndarray) -> Result:
    """Y = X^0.5; NaN below 0. Source: ONNX Sqrt-6, -13."""
    return (np.sqrt(X),)


@kernel("Reciprocal", since=6)
def reciprocal(X: np.ndarray) -> Result:
    """Y = 1 / X. Source: ONNX Reciprocal-6, -13."""
    return (1 / X,)


@kernel("Abs", since=6)
def abs_(X: np.ndarray) -> Result:
    """Y = |X|. Source: ONNX Abs-6, -13."""
    return (np.abs(X),)


@kernel("Sign", since=9)
def sign(input: np.ndarray) -> Result:
    """output = -1, 0 or 1. Source: ONNX Sign-9, -13."""
    return (np.sign(input),)


@kernel("Erf", since=9, workspace=2)
def erf(input: np.ndarray) -> Result:
    """output = 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input. Source: ONNX Erf-9, -13."""
    return (error_function(input),)


@kernel("Floor", since=6)
def floor(X: np.ndarray) -> Result:
    """Y = the largest whole number not above X. Source: ONNX Floor-6, -13."""
    return (np.floor(X),)


@kernel("Ceil", since=6)
def ceil(X: np.ndarray) -> Result:
    """Y = the smallest whole number not below X. Source: ONNX Ceil-6, -13."""
    return (np.ceil(X),)


@kernel("Round", since=11)
def round_(X: np.ndarray) -> Result:
    """Y = the nearest whole number, halves to the even one. Source: ONNX Round-11, -22."""
    return (np.rint(X),)


@kernel("Sin", since=7)
def sin(input: np.ndarray) -> Result:
    """output = sin(input), radians. Source: ONNX Sin-7, -22."""
    return (np.sin(input),)


@kernel("Cos", since=7)
def cos(input: np.ndarray) -> Result:
    """output = cos(input), radians. Source: ONNX Cos-7, -22."""
    return (np.cos(input),)


@kernel("Tan", since=7)
def tan(input: np.ndarray) -> Result:
    """output = tan(input), radians. Source: ONNX Tan-7, -22."""
    return (np.tan(input),)
