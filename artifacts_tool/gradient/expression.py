"""Small formulas as nodes, the same from opset 7 on: constants, masks, choices."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import NUMPY_DTYPES, ElementType

from .scope import Scope

WHERE_SINCE = 9
OR_EQUAL_SINCE = 12


def calculate(s: Scope, op_type: str, inputs: list[str], name: str) -> str:
    """A node of the default domain; its result is the helper value `name`."""
    return s.emit(op_type, inputs, [s.helper(name)])


def number(s: Scope, value: float, like: str, name: str) -> str:
    """A scalar constant of the element type of the forward value `like`."""
    return s.constant(name, np.array(value, NUMPY_DTYPES[s.element(like)]))


def compared(s: Scope, comparison: str, value: str, bound: float, name: str) -> str:
    """bool: `comparison` (Greater, Less) of a forward value and a number."""
    return calculate(s, comparison, [value, number(s, bound, value, f"{name}_bound")], name)


def at_least(s: Scope, value: str, bound: str, name: str) -> str:
    """bool: value >= bound; before GreaterOrEqual (opset 12) not value < bound."""
    if s.opset >= OR_EQUAL_SINCE:
        return calculate(s, "GreaterOrEqual", [value, bound], name)
    return calculate(s, "Not", [calculate(s, "Less", [value, bound], f"{name}_not")], name)


def at_most(s: Scope, value: str, bound: str, name: str) -> str:
    """bool: value <= bound; before LessOrEqual (opset 12) not value > bound."""
    if s.opset >= OR_EQUAL_SINCE:
        return calculate(s, "LessOrEqual", [value, bound], name)
    return calculate(s, "Not", [calculate(s, "Greater", [value, bound], f"{name}_not")], name)


def mask(s: Scope, condition: str, like: str, name: str) -> str:
    """1 where the bool value `condition` is true, else 0, of the element type of `like`."""
    return s.emit("Cast", [condition], [s.helper(name)], to=int(s.element(like)))


def choice(s: Scope, condition: str, yes: str, no: str, like: str, output: str, name: str) -> str:
    """output = yes where condition, else no; before Where (opset 9) by masks. yes, no: of the type of the forward value `like`."""
    if s.opset >= WHERE_SINCE:
        return s.emit("Where", [condition, yes, no], [output])
    other = calculate(s, "Not", [condition], f"{name}_not")
    first = calculate(s, "Mul", [mask(s, condition, like, f"{name}_mask"), yes], f"{name}_yes")
    second = calculate(s, "Mul", [mask(s, other, like, f"{name}_not_mask"), no], f"{name}_no")
    return s.emit("Add", [first, second], [output])


def ones_as(s: Scope, value: str, like: str, name: str) -> str:
    """1 in the shape of a float value, of the element type of `like`, without Expand: nothing is less than itself."""
    return mask(s, calculate(s, "Not", [calculate(s, "Less", [value, value], f"{name}_never")], f"{name}_always"), like, name)


def zeros_as(s: Scope, value: str, like: str, name: str) -> str:
    """0, see ones_as."""
    return mask(s, calculate(s, "Less", [value, value], f"{name}_never"), like, name)


def is_zero(s: Scope) -> str:
    """bool: the node's first input is 0; also before Equal knows floats (opset 11)."""
    some = s.emit("Cast", [s.I(0)], [s.helper("some")], to=int(ElementType.BOOL))
    return calculate(s, "Not", [some], "is_zero")
