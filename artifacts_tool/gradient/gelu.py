"""Gradients of Gelu and its fused forms."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .expression import calculate
from .reduce import sum_to
from .registry import gradient
from .scope import Scope


@gradient("Gelu", differs="takes the exact formula for approximate=tanh, too")
@gradient("Gelu", domain=MS_DOMAIN)
def gelu(s: Scope) -> None:
    """dX = dY * (P(normal < X) + X * density(X)), or the derivative of the approximation by tanh."""
    op_type = "FastGeluGrad" if s.attribute("approximate", "none") == "tanh" else "GeluGrad"
    s.emit(op_type, [s.GO(0), s.I(0)], [s.GI(0)], domain=MS_DOMAIN)


@gradient("QuickGelu", domain=MS_DOMAIN)
def quick_gelu(s: Scope) -> None:
    """dX = dY * q * (1 + alpha * X * (1 - q)), q = sigmoid(alpha * X)."""
    s.emit("QuickGeluGrad", [s.GO(0), s.I(0)], [s.GI(0)], domain=MS_DOMAIN, alpha=s.attribute("alpha", 1.702))


@gradient("BiasGelu", domain=MS_DOMAIN)
def bias_gelu(s: Scope) -> None:
    """Gelu's gradient at A + B; for B summed over all axes but the last."""
    _biased(s, "GeluGrad")


@gradient("FastGelu", domain=MS_DOMAIN)
def fast_gelu(s: Scope) -> None:
    """The derivative of the approximation by tanh; for the bias summed over all axes but the last."""
    if s.I(1):
        _biased(s, "FastGeluGrad")
    else:
        s.emit("FastGeluGrad", [s.GO(0), s.I(0)], [s.GI(0)], domain=MS_DOMAIN)


def _biased(s: Scope, op_type: str) -> None:
    total = calculate(s, "Add", [s.I(0), s.I(1)], "biased")
    gradient_of_sum = s.emit(op_type, [s.GO(0), total], [s.helper("dSum", s.types.get(s.I(0)))], domain=MS_DOMAIN)
    for index in (0, 1):
        if s.GI(index):
            sum_to(s, gradient_of_sum, s.shape_if_known(s.I(0)), s.I(index), s.GI(index), f"operand_{index}")
