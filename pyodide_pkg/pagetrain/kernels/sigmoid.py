"""Sigmoid, Tanh and smooth functions made of them, and their gradients."""

from __future__ import annotations

import numpy as np

from ..graph import MS_DOMAIN
from .registry import kernel
from .spare import Spare, room

Result = tuple[np.ndarray, ...]


def sigmoid_of(X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """1 / (1 + exp(-X)); an exp that overflows gives the right 0. `out` may be X."""
    Y = np.asarray(np.negative(X, out=out))
    np.exp(Y, out=Y)
    Y += 1
    np.reciprocal(Y, out=Y)
    return Y


@kernel("Sigmoid", since=6, spares=(0,))
def sigmoid(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = 1 / (1 + exp(-X)). Source: ONNX Sigmoid-6, -13."""
    return (sigmoid_of(X, room(spare, X)),)


@kernel("SigmoidGrad", domain=MS_DOMAIN, workspace=1, spares=(0,))
def sigmoid_grad(dY: np.ndarray, Y: np.ndarray, *, spare: Spare = ()) -> Result:
    """dX = dY Y (1 - Y). Source: com.microsoft SigmoidGrad-1."""
    dX = np.multiply(dY, Y, out=room(spare, dY, Y))
    return (np.multiply(dX, 1 - Y, out=room((0,), dX, Y)),)


@kernel("Tanh", since=6, spares=(0,))
def tanh(input: np.ndarray, *, spare: Spare = ()) -> Result:
    """output = (e^2x - 1) / (e^2x + 1). Source: ONNX Tanh-6, -13."""
    return (np.tanh(input, out=room(spare, input)),)


@kernel("TanhGrad", domain=MS_DOMAIN, spares=(1,))
def tanh_grad(dY: np.ndarray, Y: np.ndarray, *, spare: Spare = ()) -> Result:
    """dX = dY (1 - Y^2). Source: com.microsoft TanhGrad-1."""
    slope = np.asarray(np.multiply(Y, Y, out=room(spare, dY, Y)))
    np.subtract(1, slope, out=slope)
    return (np.multiply(dY, slope, out=room((1,), dY, slope)),)


def softplus_of(X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """log(1 + exp(X)) without overflow: log1p(exp(-|X|)) + max(X, 0). `out` may be X."""
    Y = np.asarray(np.abs(X))
    for function in (np.negative, np.exp, np.log1p):
        function(Y, out=Y)
    return np.asarray(np.add(Y, np.maximum(X, 0, out=out), out=Y if out is None else out))


@kernel("Softplus", since=1, workspace=1, spares=(0,))
def softplus(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = log(1 + exp(X)). Source: ONNX Softplus-1, -22."""
    return (softplus_of(X, room(spare, X)),)


@kernel("Softsign", since=1)
def softsign(input: np.ndarray) -> Result:
    """output = input / (1 + |input|). Source: ONNX Softsign-1, -22."""
    output = np.asarray(np.abs(input))
    output += 1
    return (np.divide(input, output, out=output),)


@kernel("Mish", since=18, workspace=1)
def mish(X: np.ndarray) -> Result:
    """Y = X tanh(log(1 + exp(X))). Source: ONNX Mish-18, -22; arXiv:1908.08681."""
    return (X * np.tanh(softplus_of(X)),)


@kernel("Swish", since=24, workspace=1)
def swish(X: np.ndarray, *, alpha: float = 1.0) -> Result:
    """Y = X sigmoid(alpha X). Source: ONNX Swish-24; arXiv:1710.05941."""
    return (X * sigmoid_of(alpha * X),)


@kernel("SwiGLU", since=28, workspace=1)
def swiglu(A: np.ndarray, B: np.ndarray, *, alpha: float = 1.0) -> Result:
    """Y = A sigmoid(alpha A) B. Source: ONNX SwiGLU-28; arXiv:2002.05202."""
    return (A * sigmoid_of(alpha * A) * B,)
