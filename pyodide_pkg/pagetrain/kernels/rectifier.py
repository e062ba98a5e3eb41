"""Activations made of pieces: leaky, exponential, hard."""

from __future__ import annotations

import numpy as np

from ..graph import MS_DOMAIN
from ._clip import clip
from .masked import masked
from .registry import kernel
from .spare import Spare, room

Result = tuple[np.ndarray, ...]


@kernel("LeakyRelu", since=6, workspace=1.25)
def leaky_relu(X: np.ndarray, *, alpha: float = 0.009999999776482582) -> Result:
    """Y = X where X >= 0, else alpha X. Source: ONNX LeakyRelu-6, -16."""
    return (np.where(X >= 0, X, alpha * X),)


@kernel("LeakyReluGrad", domain=MS_DOMAIN, workspace=1.25)
def leaky_relu_grad(dY: np.ndarray, Y: np.ndarray, *, alpha: float = 0.009999999776482582) -> Result:
    """dX = dY where Y > 0, else alpha dY. Y, or X: the same mask for alpha >= 0. Source: com.microsoft LeakyReluGrad-1."""
    return (np.where(Y > 0, dY, alpha * dY),)


@kernel("PRelu", since=7, workspace=1.25)
def prelu(X: np.ndarray, slope: np.ndarray) -> Result:
    """Y = X where X >= 0, else slope X; slope broadcasts to X. Source: ONNX PRelu-7, -9, -16; arXiv:1502.01852."""
    return (np.where(X >= 0, X, slope * X),)


@kernel("ThresholdedRelu", since=10, spares=(0,))
def thresholded_relu(X: np.ndarray, *, alpha: float = 1.0, spare: Spare = ()) -> Result:
    """Y = X where X > alpha, else 0. Source: ONNX ThresholdedRelu-10, -22."""
    return (masked(X, alpha < X, room(spare, X)),)


def _exponential(X: np.ndarray, scale: float, steepness: float) -> np.ndarray:
    """X above 0, else scale (exp(steepness X) - 1)."""
    Y = np.asarray(np.minimum(X, 0))
    Y *= steepness
    np.expm1(Y, out=Y)
    Y *= scale
    return np.where(X > 0, X, Y)


@kernel("Elu", since=6, workspace=1.25)
def elu(X: np.ndarray, *, alpha: float = 1.0) -> Result:
    """Y = X where X > 0, else alpha (exp(X) - 1). Source: ONNX Elu-6, -22; arXiv:1511.07289."""
    return (_exponential(X, alpha, 1),)


@kernel("Selu", since=6, workspace=1.25)
def selu(X: np.ndarray, *, alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323) -> Result:
    """Y = gamma (X where X > 0, else alpha (exp(X) - 1)). Source: ONNX Selu-6, -22; arXiv:1706.02515."""
    Y = _exponential(X, alpha, 1)
    Y *= gamma
    return (Y,)


@kernel("Celu", since=12, workspace=1.25)
def celu(X: np.ndarray, *, alpha: float = 1.0) -> Result:
    """Y = max(X, 0) + min(0, alpha (exp(X / alpha) - 1)). Source: ONNX Celu-12; arXiv:1704.07483."""
    return (_exponential(X, alpha, 1 / alpha),)


def _hard_sigmoid(X: np.ndarray, alpha: float, beta: float, out: np.ndarray | None = None) -> np.ndarray:
    line = np.asarray(np.multiply(X, alpha, out=out))
    line += beta
    return clip(line, 0, 1, out=line)


@kernel("HardSigmoid", since=6, spares=(0,))
def hard_sigmoid(X: np.ndarray, *, alpha: float = 0.20000000298023224, beta: float = 0.5, spare: Spare = ()) -> Result:
    """Y = min(max(alpha X + beta, 0), 1). Source: ONNX HardSigmoid-6, -22."""
    return (_hard_sigmoid(X, alpha, beta, room(spare, X)),)


@kernel("HardSwish", since=14)
def hard_swish(X: np.ndarray) -> Result:
    """Y = X min(max(X / 6 + 1/2, 0), 1). Source: ONNX HardSwish-14, -22; arXiv:1905.02244."""
    Y = _hard_sigmoid(X, 1 / 6, 0.5)
    Y *= X
    return (Y,)


@kernel("Shrink", since=9, workspace=2.25)
def shrink(input: np.ndarray, *, bias: float = 0.0, lambd: float = 0.5) -> Result:
    """output = input + bias below -lambd, input - bias above lambd, 0 between. Source: ONNX Shrink-9."""
    lowered = np.where(input > lambd, input - bias, 0)
    return (np.where(input < -lambd, input + bias, lowered).astype(input.dtype, copy=False),)
