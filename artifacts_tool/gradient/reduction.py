"""Gradients of reductions. A value of the result's shape is first given its axes back, then meets X by broadcasting."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import MS_DOMAIN

from .expression import calculate, choice, compared, is_zero, mask, number
from .reduce import AXES_ARE_AN_INPUT_SINCE, spread_over_input
from .registry import NONE_IN_ORT, gradient
from .scope import Scope
from .unary import sign

OTHERS_AXES_ARE_AN_INPUT_SINCE = 18


@gradient("ReduceSum", stop=(1,), differs="fails with noop_with_empty_axes")
def reduce_sum(s: Scope) -> None:
    """dX = dY, spread over the axes."""
    spread_over_input(s, _kept(s, s.GO(0), "dY"))


@gradient("ReduceMean", stop=(1,), differs="fails with noop_with_empty_axes")
def reduce_mean(s: Scope) -> None:
    """dX = dY / (number of elements for each result), spread over the axes."""
    sizes = [s.emit("Size", [name], [s.helper(f"{which}_size")]) for name, which in ((s.I(0), "x"), (s.O(0), "y"))]
    number_of = s.emit("Div", sizes, [s.helper("Scale")])
    scaled = s.emit("Scale", [s.GO(0), number_of], [s.helper("scaled_dY", s.types.get(s.O(0)))], domain=MS_DOMAIN, scale_down=1)
    spread_over_input(s, _kept(s, scaled, "dY"))


@gradient("ReduceMax", stop=(1,), differs=NONE_IN_ORT)
@gradient("ReduceMin", stop=(1,), differs=NONE_IN_ORT)
def reduce_extremum(s: Scope) -> None:
    """dY goes to the elements that are the result; equal ones share it, as in Max and Min."""
    beyond = "Less" if s.node.op_type == "ReduceMax" else "Greater"
    lost = calculate(s, beyond, [s.I(0), _kept(s, s.O(0), "Y")], "lost")
    won = mask(s, calculate(s, "Not", [lost], "won"), s.I(0), "mask")
    share = calculate(s, "Div", [_kept(s, s.GO(0), "dY"), _reduced(s, "ReduceSum", won, "winners")], "share")
    s.emit("Mul", [won, share], [s.GI(0)])


@gradient("ReduceProd", stop=(1,), differs=NONE_IN_ORT)
def reduce_prod(s: Scope) -> None:
    """dX = dY * (product of the others): that of all, zeros taken as 1, divided by X; 0 where another one is zero."""
    zero = mask(s, is_zero(s), s.I(0), "zero")
    filled = calculate(s, "Add", [s.I(0), zero], "filled")
    others = calculate(s, "Div", [_reduced(s, "ReduceProd", filled, "product"), filled], "others")
    zeros_beside = calculate(s, "Sub", [_reduced(s, "ReduceSum", zero, "zeros"), zero], "zeros_beside")
    none_beside = calculate(s, "Less", [zeros_beside, number(s, 0.5, s.I(0), "half")], "none_beside")
    slope = calculate(s, "Mul", [others, mask(s, none_beside, s.I(0), "mask")], "slope")
    s.emit("Mul", [_kept(s, s.GO(0), "dY"), slope], [s.GI(0)])


@gradient("ReduceL1", stop=(1,), differs=NONE_IN_ORT)
def reduce_l1(s: Scope) -> None:
    """dX = dY * sign(X)."""
    s.emit("Mul", [_kept(s, s.GO(0), "dY"), sign(s, s.I(0))], [s.GI(0)])


@gradient(
    "ReduceL2", stop=(1,), differs="fails with noop_with_empty_axes, without axes and keepdims, and at opset 13 to 17 without keepdims"
)
def reduce_l2(s: Scope) -> None:
    """dX = X * dY / Y, 0 where Y is 0."""
    quotient = calculate(s, "Div", [s.GO(0), s.O(0)], "quotient")
    some = compared(s, "Greater", s.O(0), 0, "some")
    slope = choice(s, some, quotient, number(s, 0, s.O(0), "none"), s.O(0), s.helper("slope"), "slope")
    s.emit("Mul", [s.I(0), _kept(s, slope, "slope")], [s.GI(0)])


@gradient("ReduceSumSquare", stop=(1,), differs=NONE_IN_ORT)
def reduce_sum_square(s: Scope) -> None:
    """dX = 2 * X * dY."""
    double = calculate(s, "Mul", [s.I(0), number(s, 2, s.I(0), "two")], "double")
    s.emit("Mul", [double, _kept(s, s.GO(0), "dY")], [s.GI(0)])


@gradient("ReduceLogSum", stop=(1,), differs=NONE_IN_ORT)
def reduce_log_sum(s: Scope) -> None:
    """dX = dY / exp(Y), spread over the axes."""
    quotient = calculate(s, "Div", [s.GO(0), calculate(s, "Exp", [s.O(0)], "sum")], "quotient")
    spread_over_input(s, _kept(s, quotient, "quotient"))


@gradient(
    "ReduceLogSumExp",
    stop=(1,),
    differs="fails with noop_with_empty_axes, without axes and keepdims, and at opset 13 to 17 without keepdims",
)
def reduce_log_sum_exp(s: Scope) -> None:
    """dX = dY * exp(X - Y)."""
    share = calculate(s, "Exp", [calculate(s, "Sub", [s.I(0), _kept(s, s.O(0), "Y")], "difference")], "share")
    s.emit("Mul", [_kept(s, s.GO(0), "dY"), share], [s.GI(0)])


def _kept(s: Scope, value: str, name: str) -> str:
    """`value`, of the shape of the forward result, with the reduced axes as size 1. One that has lost them all broadcasts as it is."""
    axes: tuple[int, ...] = s.attribute("axes", ())
    if s.attribute("keepdims", 1) or not (axes or s.I(1)):
        return value
    kept = s.helper(f"{name}_kept")
    if s.opset < AXES_ARE_AN_INPUT_SINCE:
        return s.emit("Unsqueeze", [value], [kept], axes=axes)
    return s.emit("Unsqueeze", [value, s.I(1) or _axes(s, axes, name)], [kept])


def _reduced(s: Scope, op_type: str, value: str, name: str) -> str:
    """`value`, of the shape of X, reduced over the forward node's axes, which are kept as size 1."""
    axes: tuple[int, ...] = s.attribute("axes", ())
    since = AXES_ARE_AN_INPUT_SINCE if op_type == "ReduceSum" else OTHERS_AXES_ARE_AN_INPUT_SINCE
    if s.opset < since:
        given = {"axes": s.node.attributes["axes"]} if axes else {}
        return s.emit(op_type, [value], [s.helper(name)], copied=given, keepdims=1)
    chosen = s.I(1) or (_axes(s, axes, name) if axes else "")
    noop = s.attribute("noop_with_empty_axes", 0)
    return s.emit(op_type, [value, chosen] if chosen else [value], [s.helper(name)], keepdims=1, noop_with_empty_axes=noop)


def _axes(s: Scope, axes: tuple[int, ...], name: str) -> str:
    return s.constant(f"axes_of_{name}", np.array(axes, np.int64))
