"""Gradients of hyperbolic functions and of the inverse ones of angles."""

from __future__ import annotations

from .expression import calculate, number
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Sinh", differs=NONE_IN_ORT)
def sinh(s: Scope) -> None:
    """dX = dY * cosh(X)."""
    s.emit("Mul", [s.GO(0), calculate(s, "Cosh", [s.I(0)], "slope")], [s.GI(0)])


@gradient("Cosh", differs=NONE_IN_ORT)
def cosh(s: Scope) -> None:
    """dX = dY * sinh(X)."""
    s.emit("Mul", [s.GO(0), calculate(s, "Sinh", [s.I(0)], "slope")], [s.GI(0)])


@gradient("Asin", differs=NONE_IN_ORT)
def asin(s: Scope) -> None:
    """dX = dY / sqrt(1 - X^2)."""
    s.emit("Div", [s.GO(0), _root(s, _one_minus_square(s))], [s.GI(0)])


@gradient("Acos", differs=NONE_IN_ORT)
def acos(s: Scope) -> None:
    """dX = -dY / sqrt(1 - X^2)."""
    quotient = calculate(s, "Div", [s.GO(0), _root(s, _one_minus_square(s))], "quotient")
    s.emit("Neg", [quotient], [s.GI(0)])


@gradient("Atan", differs=NONE_IN_ORT)
def atan(s: Scope) -> None:
    """dX = dY / (1 + X^2)."""
    s.emit("Div", [s.GO(0), _square_plus(s, 1)], [s.GI(0)])


@gradient("Asinh", differs=NONE_IN_ORT)
def asinh(s: Scope) -> None:
    """dX = dY / sqrt(X^2 + 1)."""
    s.emit("Div", [s.GO(0), _root(s, _square_plus(s, 1))], [s.GI(0)])


@gradient("Acosh", differs=NONE_IN_ORT)
def acosh(s: Scope) -> None:
    """dX = dY / sqrt(X^2 - 1)."""
    s.emit("Div", [s.GO(0), _root(s, _square_plus(s, -1))], [s.GI(0)])


@gradient("Atanh", differs=NONE_IN_ORT)
def atanh(s: Scope) -> None:
    """dX = dY / (1 - X^2)."""
    s.emit("Div", [s.GO(0), _one_minus_square(s)], [s.GI(0)])


def _square(s: Scope) -> str:
    return calculate(s, "Mul", [s.I(0), s.I(0)], "square")


def _square_plus(s: Scope, term: float) -> str:
    return calculate(s, "Add", [_square(s), number(s, term, s.I(0), "term")], "sum")


def _one_minus_square(s: Scope) -> str:
    return calculate(s, "Sub", [number(s, 1, s.I(0), "one"), _square(s)], "difference")


def _root(s: Scope, value: str) -> str:
    return calculate(s, "Sqrt", [value], "root")
