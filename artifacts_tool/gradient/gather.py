"""Gradients of Gather, GatherElements, GatherND, Compress, TopK and Unique."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import MS_DOMAIN

from .places import counted, numbered, put_back, shape_of
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Gather", stop=(1,))
def gather(s: Scope) -> None:
    """dX = zeros, each slice of dY added where it was taken from: GatherGrad."""
    inputs = [shape_of(s, s.I(0), "input"), s.I(1), s.GO(0)]
    s.emit("GatherGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", 0))


@gradient("GatherElements", stop=(1,))
def gather_elements(s: Scope) -> None:
    """dX = zeros, each element of dY added where it was taken from: GatherElementsGrad."""
    inputs = [s.GO(0), shape_of(s, s.I(0), "input"), s.I(1)]
    s.emit("GatherElementsGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", 0))


@gradient("GatherND", stop=(1,), differs="generation fails at opset 11")
def gather_nd(s: Scope) -> None:
    """dX = zeros, each slice of dY added where it was taken from: GatherNDGrad."""
    inputs = [shape_of(s, s.I(0), "input"), s.I(1), s.GO(0)]
    s.emit("GatherNDGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, batch_dims=s.attribute("batch_dims", 0))


@gradient("TopK", stop=(1,))
def top_k(s: Scope) -> None:
    """dX = zeros with dY at the Indices: GatherElementsGrad."""
    inputs = [s.GO(0), shape_of(s, s.I(0), "input"), s.O(1)]
    s.emit("GatherElementsGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", -1))


@gradient("Compress", stop=(1,), differs=NONE_IN_ORT)
def compress(s: Scope) -> None:
    """dX = zeros with dY at the slices along axis, or the elements, whose condition held."""
    if "axis" not in s.node.attributes:
        flat = s.emit("Reshape", [numbered(s), s.constant("row", np.array([-1]))], [s.helper("row_numbers")])
        put_back(s, s.emit("Compress", [flat, s.I(1)], [s.helper("kept")]))
        return
    axis = s.attribute("axis", 0)
    shape = shape_of(s, s.I(0), "input")
    size = s.emit("Gather", [shape, s.constant("axis", np.array(axis))], [s.helper("axis_size")])
    kept = s.emit("Compress", [counted(s, size, "slices"), s.I(1)], [s.helper("kept")], axis=0)
    s.emit("GatherGrad", [shape, kept, s.GO(0)], [s.GI(0)], domain=MS_DOMAIN, axis=axis)


@gradient("Unique", reads={1: "indices"}, differs=NONE_IN_ORT)
def unique(s: Scope) -> None:
    """dX = zeros with dY where each different element, or slice along axis, is first."""
    if "axis" in s.node.attributes:
        inputs = [shape_of(s, s.I(0), "input"), s.O(1), s.GO(0)]
        s.emit("GatherGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, axis=s.attribute("axis", 0))
    else:
        put_back(s, s.O(1))
