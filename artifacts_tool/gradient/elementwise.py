"""Gradients of element-wise ops, with numpy broadcasting undone."""

from __future__ import annotations

from pagetrain.graph import ElementType

from .expression import calculate, choice, compared, number
from .reduce import sum_to
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Identity")
def identity(s: Scope) -> None:
    """dX = dY."""
    s.emit("Identity", [s.GO(0)], [s.GI(0)])


@gradient("Neg")
def neg(s: Scope) -> None:
    """dX = -dY."""
    s.emit("Neg", [s.GO(0)], [s.GI(0)])


@gradient("Add")
def add(s: Scope) -> None:
    """dA = dY, dB = dY, each summed to its operand's shape."""
    for index in (0, 1):
        if s.GI(index):
            sum_to(s, s.GO(0), s.shape_if_known(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")


@gradient("Sub")
def sub(s: Scope) -> None:
    """dA = dY, dB = -dY, each summed to its operand's shape."""
    if s.GI(0):
        sum_to(s, s.GO(0), s.shape_if_known(s.O(0)), s.I(0), s.GI(0), "operand_0")
    if s.GI(1):
        summed = sum_to(s, s.GO(0), s.shape_if_known(s.O(0)), s.I(1), s.helper("operand_1_summed"), "operand_1")
        s.emit("Neg", [summed], [s.GI(1)])


@gradient("Mul")
def mul(s: Scope) -> None:
    """dA = dY * B, dB = dY * A, each summed to its operand's shape."""
    for index in (0, 1):
        if s.GI(index):
            product = s.emit("Mul", [s.GO(0), s.I(1 - index)], [s.helper(f"PreReduceGrad{index}")])
            sum_to(s, product, s.shape_if_known(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")


@gradient("Div")
def div(s: Scope) -> None:
    """dA = dY / B, dB = -dY * C / B where C = A / B; each summed to its operand's shape."""
    if s.GI(0):
        quotient = calculate(s, "Div", [s.GO(0), s.I(1)], "PreReduceGrad0")
        sum_to(s, quotient, s.shape_if_known(s.O(0)), s.I(0), s.GI(0), "operand_0")
    if s.GI(1):
        product = calculate(s, "Mul", [s.GO(0), s.O(0)], "product")
        quotient = calculate(s, "Div", [product, s.I(1)], "PreReduceGrad1")
        summed = sum_to(s, quotient, s.shape_if_known(s.O(0)), s.I(1), s.helper("operand_1_summed"), "operand_1")
        s.emit("Neg", [summed], [s.GI(1)])


@gradient("Mod", differs=NONE_IN_ORT)
def mod(s: Scope) -> None:
    """C = A - B q with a whole q: dA = dY, dB = -dY * q where q = (A - C) / B; each summed to its operand's shape."""
    if s.GI(0):
        sum_to(s, s.GO(0), s.shape_if_known(s.O(0)), s.I(0), s.GI(0), "operand_0")
    if s.GI(1):
        whole = calculate(s, "Div", [calculate(s, "Sub", [s.O(0), s.I(0)], "difference"), s.I(1)], "minus_q")
        product = calculate(s, "Mul", [s.GO(0), whole], "PreReduceGrad1")
        sum_to(s, product, s.shape_if_known(s.O(0)), s.I(1), s.GI(1), "operand_1")


@gradient("Pow", differs="none by the exponent; wrong where the exponent stretches the base; NaN where base and exponent are 0")
def pow_(s: Scope) -> None:
    """dX = dY * Y * X^(Y - 1), 0 where the exponent Y is 0; dY = dZ * Z * log(X), 0 where X is not positive; both summed."""
    if s.GI(0):
        product = calculate(s, "Mul", [s.GO(0), _slope_by_base(s)], "PreReduceGrad0")
        sum_to(s, product, s.shape_if_known(s.O(0)), s.I(0), s.GI(0), "operand_0")
    if s.GI(1):
        product = _as_type_of(s, _gradient_by_exponent(s), s.O(0), s.I(1), "PreReduceGrad1")
        sum_to(s, product, s.shape_if_known(s.O(0)), s.I(1), s.GI(1), "operand_1")


def _slope_by_base(s: Scope) -> str:
    exponent = _as_type_of(s, s.I(1), s.I(1), s.I(0), "exponent")
    lowered = calculate(s, "Sub", [exponent, number(s, 1, s.I(0), "one")], "lowered")
    slope = calculate(s, "Mul", [exponent, calculate(s, "Pow", [s.I(0), lowered], "power")], "slope_of_power")
    some = s.emit("Cast", [exponent], [s.helper("some")], to=int(ElementType.BOOL))
    return choice(s, some, slope, number(s, 0, s.I(0), "flat"), s.I(0), s.helper("slope"), "slope")


def _gradient_by_exponent(s: Scope) -> str:
    positive = compared(s, "Greater", s.I(0), 0, "positive")
    growth = calculate(s, "Mul", [s.O(0), calculate(s, "Log", [s.I(0)], "log")], "growth")
    slope = choice(s, positive, growth, number(s, 0, s.I(0), "none"), s.I(0), s.helper("slope_by_exponent"), "by_exponent")
    return calculate(s, "Mul", [s.GO(0), slope], "growth_gradient")


def _as_type_of(s: Scope, value: str, typed: str, like: str, name: str) -> str:
    """`value`, of the type of the forward value `typed`, as the element type of `like`; the exponent of Pow may have its own."""
    if s.element(typed) == s.element(like):
        return value
    return s.emit("Cast", [value], [s.helper(name)], to=int(s.element(like)))


@gradient("Where", stop=(0,), differs="branches that were broadcast keep the shape of the result")
def where(s: Scope) -> None:
    """dX = dY where condition, dY = dZ where not, else 0; each summed to its operand's shape."""
    for index in (1, 2):
        if s.GI(index):
            zero = number(s, 0, s.I(index), f"zero_{index}")
            branches = [s.GO(0), zero] if index == 1 else [zero, s.GO(0)]
            chosen = calculate(s, "Where", [s.I(0), *branches], f"PreReduceGrad{index}")
            sum_to(s, chosen, s.shape_if_known(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")
