"""Gradients of Slice, Split and Concat."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .places import SLICE_INPUTS_SINCE, int64_constant, numbered, put_back, shape_of, sizes_along, zeros_like
from .registry import gradient
from .scope import Scope


@gradient("Slice", stop=(1, 2, 3, 4), differs="fails for negative steps")
def slice_(s: Scope) -> None:
    """dX = zeros with dY where it was taken from: SliceGrad; for steps that may be negative, where ORT's fails, by element numbers."""
    bounds = _bounds(s)
    if _is_forward(s):
        inputs = [s.GO(0), shape_of(s, s.I(0), "input"), *bounds]
        s.emit("SliceGrad", inputs, [s.GI(0)], domain=MS_DOMAIN)
    else:
        put_back(s, s.emit("Slice", [numbered(s), *bounds], [s.helper("moved")]))


def _bounds(s: Scope) -> list[str]:
    """starts, ends, axes and steps: the node's inputs, or its attributes as constants."""
    if s.node.since_version >= SLICE_INPUTS_SINCE:
        return list(s.node.inputs[1:])
    starts, ends = s.attribute("starts", ()), s.attribute("ends", ())
    axes = s.attribute("axes", tuple(range(len(starts))))
    return [int64_constant(s, values, name) for values, name in ((starts, "starts"), (ends, "ends"), (axes, "axes"))]


def _is_forward(s: Scope) -> bool:
    steps = s.constants.get(s.I(4))
    return not s.I(4) or (steps is not None and bool((steps > 0).all()))


@gradient("Split", stop=(1,), differs="wrong where an output is unused")
def split(s: Scope) -> None:
    """dX = the dY one after the other, zeros for an output that the loss does not see."""
    parts = [s.GO(index) or zeros_like(s, name, f"output_{index}") for index, name in enumerate(s.node.outputs)]
    s.emit("Concat", parts, [s.GI(0)], axis=s.attribute("axis", 0))


@gradient("Concat")
def concat(s: Scope) -> None:
    """Each dX = its part of dY, by SplitTraining as in ORT."""
    axis = s.attribute("axis", 1)
    sizes = sizes_along(s, s.node.inputs, axis, "per_input_length")
    outputs = [s.GI(index) or s.helper(f"part_{index}", s.types.get(name)) for index, name in enumerate(s.node.inputs)]
    s.emit("SplitTraining", [s.GO(0), sizes], outputs, domain=MS_DOMAIN, axis=axis)
