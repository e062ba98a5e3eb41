"""Gelu, exact and by tanh, its fused forms and their gradients. Source: arXiv:1606.08415."""

from __future__ import annotations

import math

import numpy as np

from ..graph import MS_DOMAIN
from ._erf import erf
from .registry import Specs, kernel
from .sigmoid import sigmoid_of

Result = tuple[np.ndarray, ...]
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _arrays(inputs: Specs, count: int) -> int:
    return inputs[0].nbytes * count if inputs[0] else 0


def _normal_distribution(X: np.ndarray) -> np.ndarray:
    """The probability that a standard normal number is below X."""
    return np.asarray((erf(X * math.sqrt(0.5)) + 1) * 0.5)


def _tanh_of_cubic(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.tanh(_SQRT_2_OVER_PI * (X + _CUBIC * X * X * X)))


def _fast_gelu(X: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * X * (1 + _tanh_of_cubic(X)))


@kernel("Gelu", since=20, workspace=lambda inputs, outputs, attributes: _arrays(inputs, 3 - (attributes.get("approximate") == "tanh")))
def gelu_20(X: np.ndarray, *, approximate: str = "none") -> Result:
    """Y = X P(normal < X), or its approximation X / 2 (1 + tanh(sqrt(2/pi) (X + 0.044715 X^3))) for "tanh". Source: ONNX Gelu-20."""
    return (_fast_gelu(X) if approximate == "tanh" else X * _normal_distribution(X),)


@kernel("Gelu", domain=MS_DOMAIN, workspace=3)
def gelu(X: np.ndarray) -> Result:
    """Y = X / 2 (1 + erf(X / sqrt(2))). Source: com.microsoft Gelu-1."""
    return (X * _normal_distribution(X),)


@kernel("GeluGrad", domain=MS_DOMAIN, workspace=4)
def gelu_grad(dY: np.ndarray, X: np.ndarray) -> Result:
    """dX = dY (P(normal < X) + X exp(-X^2 / 2) / sqrt(2 pi)). Source: com.microsoft GeluGrad-1."""
    density = np.exp(-0.5 * X * X) / math.sqrt(2 * math.pi)
    return (dY * (_normal_distribution(X) + X * density),)


@kernel("BiasGelu", domain=MS_DOMAIN, workspace=4)
def bias_gelu(A: np.ndarray, B: np.ndarray) -> Result:
    """C = Gelu(A + B); B: (last axis of A,). Source: com.microsoft BiasGelu-1."""
    return gelu(A + B)


@kernel("FastGelu", domain=MS_DOMAIN, workspace=lambda inputs, outputs, attributes: _arrays(inputs, 2 + len(inputs[1:])))
def fast_gelu(X: np.ndarray, bias: np.ndarray | None = None) -> Result:
    """Y = x / 2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), x = X + bias. Source: com.microsoft FastGelu-1."""
    return (_fast_gelu(X if bias is None else X + bias),)


@kernel("FastGeluGrad", domain=MS_DOMAIN, workspace=5)
def fast_gelu_grad(dY: np.ndarray, X: np.ndarray) -> Result:
    """dX = dY / 2 (1 + t + X (1 - t^2) sqrt(2/pi) (1 + 3 0.044715 X^2)), t the tanh of FastGelu. Source: com.microsoft FastGeluGrad-1."""
    t = _tanh_of_cubic(X)
    slope = _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * X * X)
    return (0.5 * dY * (1 + t + X * (1 - t * t) * slope),)


@kernel("QuickGelu", domain=MS_DOMAIN, workspace=1)
def quick_gelu(X: np.ndarray, *, alpha: float = 1.702) -> Result:
    """Y = X sigmoid(alpha X). Source: com.microsoft QuickGelu-1."""
    return (X * sigmoid_of(alpha * X),)


@kernel("QuickGeluGrad", domain=MS_DOMAIN, workspace=3)
def quick_gelu_grad(dY: np.ndarray, X: np.ndarray, *, alpha: float = 1.702) -> Result:
    """dX = dY s (1 + alpha X (1 - s)), s = sigmoid(alpha X). Source: com.microsoft QuickGeluGrad-1."""
    s = sigmoid_of(alpha * X)
    return (dY * s * (1 + alpha * X * (1 - s)),)
