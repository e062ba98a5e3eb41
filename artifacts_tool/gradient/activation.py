"""Gradients of activations."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .expression import at_least, at_most, calculate, mask, number
from .registry import gradient
from .scope import Scope

SOFTMAX_PER_AXIS_SINCE = 13


@gradient("Relu")
def relu(s: Scope) -> None:
    """dX = dY where Y > 0, else 0."""
    s.emit("ReluGrad", [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN)


@gradient("Clip", stop=(1, 2), differs="below opset 12 generation fails")
def clip(s: Scope) -> None:
    """dX = dY where min <= X <= max, else 0: on the bounds the gradient passes, as in ORT."""
    bounds = ((at_least, _bound(s, 1, "min"), "Masked_Min"), (at_most, _bound(s, 2, "max"), "Masked_Max"))
    masks = [within(s, s.I(0), bound, name) for within, bound, name in bounds if bound]
    if not masks:
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
        return
    inside = masks[0] if len(masks) == 1 else calculate(s, "And", masks, "Masked_Min_Max")
    s.emit("Mul", [s.GO(0), mask(s, inside, s.I(0), "Casted_Mask")], [s.GI(0)])


def _bound(s: Scope, index: int, name: str) -> str:
    """The input, or the attribute that stood for it before opset 11; "" when there is no bound."""
    if name not in s.node.attributes:
        return s.I(index)
    return number(s, s.attribute(name, 0.0), s.I(0), name)


@gradient("Softmax")
@gradient("LogSoftmax")
def softmax(s: Scope) -> None:
    """dX = Y * (dY - sum(dY * Y)), for the logarithm dY - exp(Y) * sum(dY); before opset 13 over all axes from `axis` on."""
    per_axis = s.node.since_version >= SOFTMAX_PER_AXIS_SINCE
    op_type, axis = (f"{s.node.op_type}Grad_13", -1) if per_axis else (f"{s.node.op_type}Grad", 1)
    s.emit(op_type, [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", axis))
