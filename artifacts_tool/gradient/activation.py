"""Gradients of activations."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .registry import gradient
from .scope import Scope

SOFTMAX_PER_AXIS_SINCE = 13


@gradient("Relu")
def relu(s: Scope) -> None:
    """dX = dY where Y > 0, else 0."""
    s.emit("ReluGrad", [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN)


@gradient("Clip", stop=(1, 2))
def clip(s: Scope) -> None:
    """dX = dY where min <= X <= max, else 0: on the bounds the gradient passes, as in ORT."""
    bounds = (("GreaterOrEqual", s.I(1), "Masked_Min"), ("LessOrEqual", s.I(2), "Masked_Max"))
    masks = [s.emit(comparison, [s.I(0), bound], [s.helper(name)]) for comparison, bound, name in bounds if bound]
    if not masks:
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
        return
    inside = masks[0] if len(masks) == 1 else s.emit("And", masks, [s.helper("Masked_Min_Max")])
    mask = s.emit("Cast", [inside], [s.helper("Casted_Mask")], to=int(s.element(s.I(0))))
    s.emit("Mul", [s.GO(0), mask], [s.GI(0)])


@gradient("Softmax")
@gradient("LogSoftmax")
def softmax(s: Scope) -> None:
    """dX = Y * (dY - sum(dY * Y)), for the logarithm dY - exp(Y) * sum(dY); before opset 13 over all axes from `axis` on."""
    per_axis = s.node.since_version >= SOFTMAX_PER_AXIS_SINCE
    op_type, axis = (f"{s.node.op_type}Grad_13", -1) if per_axis else (f"{s.node.op_type}Grad", 1)
    s.emit(op_type, [s.GO(0), s.O(0)], [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", axis))
