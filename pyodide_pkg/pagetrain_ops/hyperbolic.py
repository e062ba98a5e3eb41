"""Hyperbolic functions, and the inverse ones of angles."""

from __future__ import annotations

import numpy as np

from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Sinh", since=9)
def sinh(input: np.ndarray) -> Result:
    """output = (e^x - e^-x) / 2. Source: ONNX Sinh-9, -22."""
    return (np.sinh(input),)


@kernel("Cosh", since=9)
def cosh(input: np.ndarray) -> Result:
    """output = (e^x + e^-x) / 2. Source: ONNX Cosh-9, -22."""
    return (np.cosh(input),)


@kernel("Asin", since=7)
def asin(input: np.ndarray) -> Result:
    """output = the angle in [-pi/2, pi/2] whose sine is input. Source: ONNX Asin-7, -22."""
    return (np.arcsin(input),)


@kernel("Acos", since=7)
def acos(input: np.ndarray) -> Result:
    """output = the angle in [0, pi] whose cosine is input. Source: ONNX Acos-7, -22."""
    return (np.arccos(input),)


@kernel("Atan", since=7)
def atan(input: np.ndarray) -> Result:
    """output = the angle in (-pi/2, pi/2) whose tangent is input. Source: ONNX Atan-7, -22."""
    return (np.arctan(input),)


@kernel("Asinh", since=9)
def asinh(input: np.ndarray) -> Result:
    """output = log(x + sqrt(x^2 + 1)). Source: ONNX Asinh-9, -22."""
    return (np.arcsinh(input),)


@kernel("Acosh", since=9)
def acosh(input: np.ndarray) -> Result:
    """output = log(x + sqrt(x^2 - 1)), NaN below 1. Source: ONNX Acosh-9, -22."""
    return (np.arccosh(input),)


@kernel("Atanh", since=9)
def atanh(input: np.ndarray) -> Result:
    """output = log((1 + x) / (1 - x)) / 2. Source: ONNX Atanh-9, -22."""
    return (np.arctanh(input),)
