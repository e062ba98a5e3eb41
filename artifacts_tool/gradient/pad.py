"""Gradients of Pad and Tile."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import ElementType

from .places import numbered, put_back, shape_of
from .reduce import reduce_sum
from .registry import gradient
from .scope import Scope

PADS_ARE_AN_INPUT_SINCE = 11


@gradient("Pad", stop=(1, 2, 3), differs="fails but for the mode constant, with axes, and below opset 11")
def pad(s: Scope) -> None:
    """dX = dY with the padding taken away; where it copied elements (reflect, edge, wrap) their gradients are added."""
    mode = s.attribute("mode", "constant")
    if mode != "constant" and s.node.since_version < PADS_ARE_AN_INPUT_SINCE:  # a Pad of floats alone; doubles count far enough
        numbers = s.emit("Cast", [numbered(s)], [s.helper("real_numbers")], to=int(ElementType.DOUBLE))
        moved = s.emit("Pad", [numbers], [s.helper("moved_numbers")], copied=s.node.attributes)
        put_back(s, s.emit("Cast", [moved], [s.helper("moved")], to=int(ElementType.INT64)))
    elif mode != "constant":
        put_back(s, s.emit("Pad", [numbered(s), s.I(1), *_axes(s)], [s.helper("moved")], mode=mode))
    elif s.node.since_version < PADS_ARE_AN_INPUT_SINCE:
        pads: tuple[int, ...] = s.attribute("pads", ())
        s.emit("Pad", [s.GO(0)], [s.GI(0)], pads=tuple(-count for count in pads))
    else:
        taken = s.emit("Neg", [s.I(1)], [s.helper("negative_pads")])
        s.emit("Pad", [s.GO(0), taken, *_axes(s)], [s.GI(0)])


def _axes(s: Scope) -> list[str]:
    return ["", s.I(3)] if s.I(3) else []


@gradient("Tile", stop=(1,))
def tile(s: Scope) -> None:
    """dX = dY summed over the repetitions: in the shape (repeats 0, size 0, repeats 1, size 1, ..) over every other axis."""
    pairs = [
        s.emit("Reshape", [value, s.constant(f"{name}_column", np.array([-1, 1]))], [s.helper(f"{name}_pairs")])
        for value, name in ((s.I(1), "repeats"), (shape_of(s, s.I(0), "input"), "sizes"))
    ]
    table = s.emit("Concat", pairs, [s.helper("table")], axis=1)
    shape = s.emit("Reshape", [table, s.constant("row", np.array([-1]))], [s.helper("repeated_shape")])
    repeated = s.emit("Reshape", [s.GO(0), shape], [s.helper("repeated")])
    reduce_sum(s, repeated, tuple(range(0, 2 * len(s.shape(s.I(0))), 2)), s.GI(0), "repeats", keepdims=0)
