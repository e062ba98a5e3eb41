"""Hyperbolic functions, and the inverse ones of angles."""

from __future__ import annotations

import numpy as np

from pagetrain.kernels.registry import kernel
from pagetrain.kernels.spare import Spare, room_for_floats

Result = tuple[np.ndarray, ...]


@kernel("Sinh", since=9, spares=(0,))
def sinh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = (e^x - e^-x) / 2. Source: ONNX Sinh-9, -22."""
    return (np.sinh(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Cosh", since=9, spares=(0,))
def cosh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = (e^x + e^-x) / 2. Source: ONNX Cosh-9, -22."""
    return (np.cosh(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Asin", since=7, spares=(0,))
def asin(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = the angle in [-pi/2, pi/2] whose sine is input. Source: ONNX Asin-7, -22."""
    return (np.arcsin(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Acos", since=7, spares=(0,))
def acos(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = the angle in [0, pi] whose cosine is input. Source: ONNX Acos-7, -22."""
    return (np.arccos(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Atan", since=7, spares=(0,))
def atan(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = the angle in (-pi/2, pi/2) whose tangent is input. Source: ONNX Atan-7, -22."""
    return (np.arctan(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Asinh", since=9, spares=(0,))
def asinh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = log(x + sqrt(x^2 + 1)). Source: ONNX Asinh-9, -22."""
    return (np.arcsinh(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Acosh", since=9, spares=(0,))
def acosh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = log(x + sqrt(x^2 - 1)), NaN below 1. Source: ONNX Acosh-9, -22."""
    return (np.arccosh(input, out=room_for_floats(spare, input) if spare else None),)


@kernel("Atanh", since=9, spares=(0,))
def atanh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = log((1 + x) / (1 - x)) / 2. Source: ONNX Atanh-9, -22."""
    return (np.arctanh(input, out=room_for_floats(spare, input) if spare else None),)
