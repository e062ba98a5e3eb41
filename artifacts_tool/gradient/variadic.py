"""Gradients of ops of any number of operands, with numpy broadcasting undone."""

from __future__ import annotations

from .expression import calculate, mask, number
from .reduce import sum_to
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Sum", differs=NONE_IN_ORT)
def sum_(s: Scope) -> None:
    """Each operand gets dY, summed to its shape."""
    _to_each(s, s.GO(0))


@gradient("Mean", differs=NONE_IN_ORT)
def mean(s: Scope) -> None:
    """Each operand gets dY / (number of operands), summed to its shape."""
    share = number(s, 1 / len(s.node.inputs), s.O(0), "share")
    _to_each(s, calculate(s, "Mul", [s.GO(0), share], "shared_gradient"))


def _to_each(s: Scope, share: str) -> None:
    for index in range(len(s.node.inputs)):
        if s.GI(index):
            sum_to(s, share, s.shape_if_known(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")


@gradient("Max")
@gradient("Min")
def extremum(s: Scope) -> None:
    """dY goes where the operand is the result; operands that are equal share it, as in ORT. Summed to each operand's shape."""
    beyond = "Less" if s.node.op_type == "Max" else "Greater"
    masks = []
    for index, operand in enumerate(s.node.inputs):
        lost = calculate(s, beyond, [operand, s.O(0)], f"lost_{index}")
        masks.append(mask(s, calculate(s, "Not", [lost], f"won_{index}"), s.O(0), f"mask_{index}"))
    share = calculate(s, "Div", [s.GO(0), calculate(s, "Sum", masks, "winners")], "share")
    for index, won in enumerate(masks):
        if s.GI(index):
            product = calculate(s, "Mul", [won, share], f"PreReduceGrad{index}")
            sum_to(s, product, s.shape_if_known(s.O(0)), s.I(index), s.GI(index), f"operand_{index}")
