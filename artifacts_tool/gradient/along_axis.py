"""Gradients of CumSum and CumProd."""

from __future__ import annotations

from .expression import calculate, choice, is_zero, mask, number
from .registry import NEWER_THAN_ORT, NONE_IN_ORT, gradient
from .scope import Scope


@gradient("CumSum", stop=(1,), differs=NONE_IN_ORT)
def cum_sum(s: Scope) -> None:
    """dX = sum of dY from the other end, exclusive where the forward sum was."""
    backwards = 1 - s.attribute("reverse", 0)
    s.emit("CumSum", [s.GO(0), s.I(1)], [s.GI(0)], exclusive=s.attribute("exclusive", 0), reverse=backwards)


@gradient("CumProd", stop=(1,), differs=NEWER_THAN_ORT)
def cum_prod(s: Scope) -> None:
    """dX = (sum of dY Y from the other end) / X. With zeros taken as 1 in the products P, and C zeros so far:

    dX = (sum of dY P where C = 0) / X beside zeros, (sum of dY P where C = 1) at the first zero, 0 at further ones.
    """
    exclusive, reverse = s.attribute("exclusive", 0), s.attribute("reverse", 0)
    zeros_at = is_zero(s)
    zero = mask(s, zeros_at, s.I(0), "zero")
    filled = calculate(s, "Add", [s.I(0), zero], "filled")
    product = s.emit("CumProd", [filled, s.I(1)], [s.helper("product")], exclusive=exclusive, reverse=reverse)
    weighted = calculate(s, "Mul", [s.GO(0), product], "weighted")
    zeros = s.emit("CumSum", [zero, s.I(1)], [s.helper("zeros")], exclusive=exclusive, reverse=reverse)
    before = zeros if exclusive else calculate(s, "Sub", [zeros, zero], "before")
    without, with_one = (_where_counted(s, weighted, zeros, count) for count in (0, 1))
    first = calculate(s, "Less", [before, number(s, 0.5, s.I(0), "half")], "is_first")
    at_zero = calculate(s, "Mul", [with_one, mask(s, first, s.I(0), "first")], "at_zero")
    elsewhere = calculate(s, "Div", [without, filled], "elsewhere")
    choice(s, zeros_at, at_zero, elsewhere, s.I(0), s.GI(0), "dX")


def _where_counted(s: Scope, weighted: str, zeros: str, count: int) -> str:
    """The sum from the other end of what stands where the zeros so far are `count`."""
    counted = calculate(s, "Equal", [zeros, number(s, count, s.I(0), f"count_{count}")], f"is_{count}")
    part = calculate(s, "Mul", [weighted, mask(s, counted, s.I(0), f"mask_{count}")], f"part_{count}")
    backwards = 1 - s.attribute("reverse", 0)
    return s.emit("CumSum", [part, s.I(1)], [s.helper(f"share_{count}")], exclusive=s.attribute("exclusive", 0), reverse=backwards)
