"""Gradients of Sigmoid, Tanh and smooth functions made of them."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .expression import calculate, number
from .registry import NEWER_THAN_ORT, NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Sigmoid")
def sigmoid(s: Scope) -> None:
    """dX = dY * Y * (1 - Y)."""
    s.emit("SigmoidGrad", [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN)


@gradient("Tanh")
def tanh(s: Scope) -> None:
    """dX = dY * (1 - Y^2)."""
    s.emit("TanhGrad", [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN)


@gradient("Softplus", differs=NONE_IN_ORT)
def softplus(s: Scope) -> None:
    """dX = dY * sigmoid(X)."""
    s.emit("Mul", [s.GO(0), calculate(s, "Sigmoid", [s.I(0)], "slope")], [s.GI(0)])


@gradient("Softsign", differs=NONE_IN_ORT)
def softsign(s: Scope) -> None:
    """dX = dY / (1 + |X|)^2."""
    size = calculate(s, "Abs", [s.I(0)], "size")
    root = calculate(s, "Add", [size, number(s, 1, s.I(0), "one")], "root")
    s.emit("Div", [s.GO(0), calculate(s, "Mul", [root, root], "divisor")], [s.GI(0)])


@gradient("Mish", differs=NONE_IN_ORT)
def mish(s: Scope) -> None:
    """dX = dY * (t + X * (1 - t^2) * sigmoid(X)), t = tanh(softplus(X))."""
    t = calculate(s, "Tanh", [calculate(s, "Softplus", [s.I(0)], "softplus")], "t")
    flank = calculate(s, "Mul", [s.I(0), calculate(s, "Sigmoid", [s.I(0)], "sigmoid")], "flank")
    inner = s.emit("TanhGrad", [flank, t], [s.helper("inner", s.types.get(s.I(0)))], domain=MS_DOMAIN)
    s.emit("Mul", [s.GO(0), calculate(s, "Add", [t, inner], "slope")], [s.GI(0)])


@gradient("Swish", differs=NEWER_THAN_ORT)
def swish(s: Scope) -> None:
    """dX = dY * q * (1 + alpha * X * (1 - q)), q = sigmoid(alpha * X)."""
    s.emit("QuickGeluGrad", [s.GO(0), s.I(0)], [s.GI(0)], domain=MS_DOMAIN, alpha=s.attribute("alpha", 1.0))


@gradient("SwiGLU", differs=NEWER_THAN_ORT)
def swiglu(s: Scope) -> None:
    """dA = (dY * B) times the slope of Swish at A, dB = dY * Swish(A)."""
    alpha = s.attribute("alpha", 1.0)
    if s.GI(0):
        product = calculate(s, "Mul", [s.GO(0), s.I(1)], "gated")
        s.emit("QuickGeluGrad", [product, s.I(0)], [s.GI(0)], domain=MS_DOMAIN, alpha=alpha)
    if s.GI(1):
        s.emit("Mul", [s.GO(0), s.emit("Swish", [s.I(0)], [s.helper("gate")], alpha=alpha)], [s.GI(1)])
