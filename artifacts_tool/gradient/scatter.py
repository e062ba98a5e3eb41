"""Gradients of ScatterElements (Scatter before opset 11) and ScatterND, with all reductions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .expression import calculate, mask, number
from .places import too_old, zeros_like
from .registry import NONE_IN_ORT, gradient
from .scope import Scope

GATHER_ELEMENTS_SINCE = 11


@gradient("Scatter", stop=(1,), differs=NONE_IN_ORT)
def scatter(s: Scope) -> None:
    """As ScatterElements, by data alone. Raises InvalidInputError for updates that are trained: GatherElements comes with opset 11."""
    if s.GI(2):
        raise too_old(s, GATHER_ELEMENTS_SINCE)
    _replaced(_Places(s, "Scatter", ""))


@gradient("ScatterElements", stop=(1,), differs="takes every reduction as none")
def scatter_elements(s: Scope) -> None:
    """The gradients for the node's reduction, see below."""
    _BY_REDUCTION[s.attribute("reduction", "none")](_Places(s, "ScatterElements", "GatherElements"))


@gradient("ScatterND", stop=(1,), differs="takes every reduction as none")
def scatter_nd(s: Scope) -> None:
    """The gradients for the node's reduction, see below."""
    _BY_REDUCTION[s.attribute("reduction", "none")](_Places(s, "ScatterND", "GatherND"))


@dataclass(frozen=True)
class _Places:
    """The places that the node's indices name, to put values there and to fetch them."""

    s: Scope
    scatter: str
    gather: str

    def put(self, onto: str, updates: str, output: str, **reduction: str) -> str:
        axis = {name: value for name, value in self.s.node.attributes.items() if name == "axis"}
        return self.s.emit(self.scatter, [onto, self.s.I(1), updates], [output], copied=axis, **reduction)

    def fetch(self, value: str, output: str) -> str:
        axis = {name: value for name, value in self.s.node.attributes.items() if name == "axis"}
        return self.s.emit(self.gather, [value, self.s.I(1)], [output], copied=axis)


def _replaced(places: _Places) -> None:
    """ddata = dY with zeros where updates went, dupdates = dY there."""
    s = places.s
    if s.GI(0):
        places.put(s.GO(0), zeros_like(s, s.I(2), "updates"), s.GI(0))
    if s.GI(2):
        places.fetch(s.GO(0), s.GI(2))


def _added(places: _Places) -> None:
    """ddata = dY, dupdates = dY where they went."""
    s = places.s
    if s.GI(0):
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
    if s.GI(2):
        places.fetch(s.GO(0), s.GI(2))


def _multiplied(places: _Places) -> None:
    """ddata = dY * (product of the updates there); dupdates = dY * data * (product of the other updates there), right with zeros, too.

    The product of the others is that of all, zeros taken as 1, divided by the update, or 0 where another one is zero.
    """
    s = places.s
    ones = calculate(s, "Add", [zeros_like(s, s.I(0), "data"), number(s, 1, s.I(0), "one")], "ones")
    if s.GI(0):
        s.emit("Mul", [s.GO(0), places.put(ones, s.I(2), s.helper("updates_product"), reduction="mul")], [s.GI(0)])
    if s.GI(2):
        zero = mask(s, calculate(s, "Equal", [s.I(2), number(s, 0, s.I(2), "nothing")], "is_zero"), s.I(2), "zero")
        filled = calculate(s, "Add", [s.I(2), zero], "filled")
        product = places.put(ones, filled, s.helper("filled_product"), reduction="mul")
        zeros = places.put(zeros_like(s, s.I(0), "count"), zero, s.helper("zeros"), reduction="add")
        beside = calculate(s, "Sub", [places.fetch(zeros, s.helper("zeros_there")), zero], "zeros_beside")
        alone = mask(s, calculate(s, "Less", [beside, number(s, 0.5, s.I(2), "half")], "none_beside"), s.I(2), "alone")
        slope = calculate(s, "Mul", [calculate(s, "Mul", [s.GO(0), s.I(0)], "dY_data"), product], "slope")
        others = calculate(s, "Div", [places.fetch(slope, s.helper("slope_there")), filled], "others")
        s.emit("Mul", [others, alone], [s.GI(2)])


def _extreme(places: _Places) -> None:
    """dY goes to what is the result: to data or to an update; equal ones share it, as in Max and Min."""
    s = places.s
    data_won = mask(s, calculate(s, "Equal", [s.I(0), s.O(0)], "data_is_it"), s.I(0), "data_won")
    result = places.fetch(s.O(0), s.helper("result_there"))
    update_won = mask(s, calculate(s, "Equal", [s.I(2), result], "update_is_it"), s.I(2), "update_won")
    share = calculate(s, "Div", [s.GO(0), places.put(data_won, update_won, s.helper("winners"), reduction="add")], "share")
    if s.GI(0):
        s.emit("Mul", [share, data_won], [s.GI(0)])
    if s.GI(2):
        s.emit("Mul", [places.fetch(share, s.helper("share_there")), update_won], [s.GI(2)])


_BY_REDUCTION: Mapping[str, Callable[[_Places], None]] = {
    "none": _replaced,
    "add": _added,
    "mul": _multiplied,
    "max": _extreme,
    "min": _extreme,
}
