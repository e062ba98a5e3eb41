"""Gradients of ScatterElements and ScatterND."""

from __future__ import annotations

from pagetrain.errors import InvalidInputError

from .places import zeros_like
from .registry import gradient
from .scope import Scope


@gradient("ScatterElements", stop=(1,))
def scatter_elements(s: Scope) -> None:
    """ddata = dY with zeros where updates went (all of dY if they were added), dupdates = dY there."""
    _scattered(s, "ScatterElements", "GatherElements")


@gradient("ScatterND", stop=(1,))
def scatter_nd(s: Scope) -> None:
    """ddata = dY with zeros where updates went (all of dY if they were added), dupdates = dY there."""
    _scattered(s, "ScatterND", "GatherND")


def _scattered(s: Scope, scatter: str, gather: str) -> None:
    reduction = s.attribute("reduction", "none")
    if reduction not in ("none", "add"):
        raise InvalidInputError(
            f"{s.node.op_type} {s.node.name!r} has no gradient with the reduction {reduction!r}, only with none and add."
        )
    axis = {name: value for name, value in s.node.attributes.items() if name == "axis"}
    if s.GI(0) and reduction == "add":
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
    elif s.GI(0):
        s.emit(scatter, [s.GO(0), s.I(1), zeros_like(s, s.I(2), "updates")], [s.GI(0)], copied=axis)
    if s.GI(2):
        s.emit(gather, [s.GO(0), s.I(1)], [s.GI(2)], copied=axis)
