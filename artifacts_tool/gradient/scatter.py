"""Gradients of ScatterElements (Scatter before opset 11) and ScatterND."""

from __future__ import annotations

from pagetrain.errors import InvalidInputError

from .places import too_old, zeros_like
from .registry import NONE_IN_ORT, gradient
from .scope import Scope

GATHER_ELEMENTS_SINCE = 11


@gradient("Scatter", stop=(1,), differs=NONE_IN_ORT)
def scatter(s: Scope) -> None:
    """As ScatterElements, by data alone. Raises InvalidInputError for updates that are trained: GatherElements comes with opset 11."""
    if s.GI(2):
        raise too_old(s, GATHER_ELEMENTS_SINCE)
    _scattered(s, "Scatter", "")


@gradient("ScatterElements", stop=(1,), differs="takes every reduction as none")
def scatter_elements(s: Scope) -> None:
    """ddata = dY with zeros where updates went (all of dY if they were added), dupdates = dY there."""
    _scattered(s, "ScatterElements", "GatherElements")


@gradient("ScatterND", stop=(1,), differs="takes every reduction as none")
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
