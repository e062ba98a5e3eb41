"""Gradients of ops that only move elements."""

from __future__ import annotations

import numpy as np

from .places import shape_of
from .reduce import sum_to
from .registry import gradient
from .scope import Scope, attribute_of


@gradient("Flatten")
@gradient("Reshape", stop=(1,))
@gradient("Squeeze", stop=(1,))
@gradient("Unsqueeze", stop=(1,))
def reshape(s: Scope) -> None:
    """dX = dY in the shape of X."""
    empty_axes = {name: value for name, value in s.node.attributes.items() if name == "allowzero"}
    s.emit("Reshape", [s.GO(0), shape_of(s, s.I(0), "input")], [s.GI(0)], copied=empty_axes)


@gradient("Expand", stop=(1,))
def expand(s: Scope) -> None:
    """dX = dY summed over the axes that were stretched."""
    sum_to(s, s.GO(0), s.shape_if_known(s.O(0)), s.I(0), s.GI(0), "stretched")


@gradient("Transpose", differs="generation fails without perm")
def transpose(s: Scope) -> None:
    """dX = dY with the permutation undone; without perm the axes were reversed, and are again."""
    perm: tuple[int, ...] = s.attribute("perm", ())
    undone = {"perm": attribute_of(tuple(int(axis) for axis in np.argsort(perm)))} if perm else {}
    s.emit("Transpose", [s.GO(0)], [s.GI(0)], copied=undone)
