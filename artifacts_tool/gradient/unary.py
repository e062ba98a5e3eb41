"""Gradients of functions of each element alone."""

from __future__ import annotations

import math

from .expression import calculate, compared, mask, number
from .path import FLOAT_TYPES
from .registry import NONE_IN_ORT, gradient
from .scope import Scope

SIGN_SINCE = 9


@gradient("Exp")
def exp(s: Scope) -> None:
    """dX = dY * Y."""
    s.emit("Mul", [s.GO(0), s.O(0)], [s.GI(0)])


@gradient("Log")
def log(s: Scope) -> None:
    """dX = dY / X."""
    s.emit("Div", [s.GO(0), s.I(0)], [s.GI(0)])


@gradient("Sqrt")
def sqrt(s: Scope) -> None:
    """dX = dY * 0.5 / Y."""
    half = calculate(s, "Div", [number(s, 0.5, s.I(0), "half"), s.O(0)], "slope")
    s.emit("Mul", [s.GO(0), half], [s.GI(0)])


@gradient("Reciprocal")
def reciprocal(s: Scope) -> None:
    """dX = -dY * Y^2."""
    square = calculate(s, "Mul", [s.O(0), s.O(0)], "square")
    s.emit("Mul", [s.GO(0), calculate(s, "Neg", [square], "slope")], [s.GI(0)])


@gradient("Abs")
def abs_(s: Scope) -> None:
    """dX = dY * sign(X), 0 at 0."""
    s.emit("Mul", [s.GO(0), sign(s, s.I(0))], [s.GI(0)])


def sign(s: Scope, value: str) -> str:
    """-1, 0 or 1 as the forward value; before Sign (opset 9) the difference of two masks."""
    if s.opset >= SIGN_SINCE:
        return calculate(s, "Sign", [value], "sign")
    positive, negative = (
        mask(s, compared(s, comparison, value, 0, f"{name}_condition"), value, name)
        for comparison, name in (("Greater", "positive"), ("Less", "negative"))
    )
    return calculate(s, "Sub", [positive, negative], "sign")


@gradient("Erf")
def erf(s: Scope) -> None:
    """dX = dY * 2 / sqrt(pi) * exp(-X^2)."""
    square = calculate(s, "Mul", [s.I(0), s.I(0)], "square")
    bell = calculate(s, "Exp", [calculate(s, "Neg", [square], "exponent")], "bell")
    slope = calculate(s, "Mul", [bell, number(s, 2 / math.sqrt(math.pi), s.I(0), "factor")], "slope")
    s.emit("Mul", [s.GO(0), slope], [s.GI(0)])


@gradient("Sin")
def sin(s: Scope) -> None:
    """dX = dY * cos(X)."""
    s.emit("Mul", [s.GO(0), calculate(s, "Cos", [s.I(0)], "slope")], [s.GI(0)])


@gradient("Cos")
def cos(s: Scope) -> None:
    """dX = -dY * sin(X)."""
    sine = calculate(s, "Sin", [s.I(0)], "sine")
    s.emit("Mul", [s.GO(0), calculate(s, "Neg", [sine], "slope")], [s.GI(0)])


@gradient("Tan", differs=NONE_IN_ORT)
def tan(s: Scope) -> None:
    """dX = dY * (1 + Y^2)."""
    square = calculate(s, "Mul", [s.O(0), s.O(0)], "square")
    slope = calculate(s, "Add", [square, number(s, 1, s.I(0), "one")], "slope")
    s.emit("Mul", [s.GO(0), slope], [s.GI(0)])


@gradient("Ceil", stop=(0,), differs=NONE_IN_ORT)
@gradient("Floor", stop=(0,), differs=NONE_IN_ORT)
@gradient("Hardmax", stop=(0,), differs=NONE_IN_ORT)
@gradient("Round", stop=(0,), differs=NONE_IN_ORT)
@gradient("Sign", stop=(0,), differs=NONE_IN_ORT)
def step(s: Scope) -> None:
    """The slope is 0 wherever there is one, so no gradient goes on and nothing is emitted."""


@gradient("Cast")
def cast(s: Scope) -> None:
    """dX = dY as the element type of X; by a quantized X as it is."""
    if s.element(s.I(0)) in FLOAT_TYPES:
        s.emit("Cast", [s.GO(0)], [s.GI(0)], to=int(s.element(s.I(0))))
    else:
        s.emit("Identity", [s.GO(0)], [s.GI(0)])


@gradient("CastLike", stop=(1,), differs=NONE_IN_ORT)
def cast_like(s: Scope) -> None:
    """dX = dY as the element type of X."""
    s.emit("CastLike", [s.GO(0), s.I(0)], [s.GI(0)])
