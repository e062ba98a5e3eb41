"""Gradients of element-wise ops, with numpy broadcasting undone."""

from __future__ import annotations

from .reduce import sum_to
from .registry import gradient
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
            sum_to(s, s.GO(0), s.shape(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")


@gradient("Sub")
def sub(s: Scope) -> None:
    """dA = dY, dB = -dY, each summed to its operand's shape."""
    if s.GI(0):
        sum_to(s, s.GO(0), s.shape(s.O(0)), s.I(0), s.GI(0), "operand_0")
    if s.GI(1):
        summed = sum_to(s, s.GO(0), s.shape(s.O(0)), s.I(1), s.helper("operand_1_summed"), "operand_1")
        s.emit("Neg", [summed], [s.GI(1)])


@gradient("Mul")
def mul(s: Scope) -> None:
    """dA = dY * B, dB = dY * A, each summed to its operand's shape."""
    for index in (0, 1):
        if s.GI(index):
            product = s.emit("Mul", [s.GO(0), s.I(1 - index)], [s.helper(f"PreReduceGrad{index}")])
            sum_to(s, product, s.shape(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")
