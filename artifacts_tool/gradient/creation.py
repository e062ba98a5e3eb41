"""Gradients of tensors made from numbers: Range, OneHot, EyeLike."""

from __future__ import annotations

import numpy as np

from .expression import calculate, mask
from .places import counted, shape_of
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Range", stop=(1,), differs="never differentiated")
def range_(s: Scope) -> None:
    """dstart = sum dY, ddelta = sum i dY_i. The limit only says how many there are."""
    if s.GI(0):
        _summed(s, s.GO(0), 0)
    if s.GI(2):
        steps = counted(s, calculate(s, "Size", [s.O(0)], "size"), "steps")
        _summed(s, calculate(s, "Mul", [s.GO(0), mask(s, steps, s.O(0), "real_steps")], "weighted"), 2)


def _summed(s: Scope, value: str, index: int) -> None:
    total = s.emit("ReduceSum", [value], [s.helper(f"total_{index}")], keepdims=0)
    s.emit("Reshape", [total, shape_of(s, s.I(index), f"operand_{index}")], [s.GI(index)])


@gradient("OneHot", stop=(0, 1), differs="never differentiated")
def one_hot(s: Scope) -> None:
    """dvalues = (sum of dY beside the classes, sum of dY at them)."""
    row = s.constant("row", np.array([1]))
    beside_and_at = [_at_classes(s, off_on, name) for off_on, name in (((1, 0), "beside"), ((0, 1), "at"))]
    s.emit("Concat", [s.emit("Reshape", [total, row], [f"{total}_row"]) for total in beside_and_at], [s.GI(2)], axis=0)


def _at_classes(s: Scope, off_on: tuple[int, int], name: str) -> str:
    values = mask(s, s.constant(f"{name}_values", np.array(off_on)), s.I(2), f"{name}_typed")
    chosen = s.emit("OneHot", [s.I(0), s.I(1), values], [s.helper(f"{name}_chosen")], axis=s.attribute("axis", -1))
    return s.emit("ReduceSum", [calculate(s, "Mul", [s.GO(0), chosen], f"{name}_dY")], [s.helper(f"{name}_total")], keepdims=0)


@gradient("EyeLike", stop=(0,), differs=NONE_IN_ORT)
def eye_like(s: Scope) -> None:
    """The result depends on the shape alone, so no gradient goes on and nothing is emitted."""
