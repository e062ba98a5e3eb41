"""Gradients of ops that only move elements."""

from __future__ import annotations

import numpy as np

from .registry import gradient
from .scope import Scope


@gradient("Flatten")
@gradient("Reshape", stop=(1,))
def reshape(s: Scope) -> None:
    """dX = dY in the shape of X."""
    shape = s.emit("Shape", [s.I(0)], [s.helper("input_shape")])
    s.emit("Reshape", [s.GO(0), shape], [s.GI(0)])


@gradient("Transpose")
def transpose(s: Scope) -> None:
    """dX = dY with the permutation undone; without perm the axes were reversed, and are again."""
    perm = s.attribute("perm", ()) or tuple(reversed(range(len(s.shape(s.I(0))))))
    s.emit("Transpose", [s.GO(0)], [s.GI(0)], perm=tuple(int(axis) for axis in np.argsort(perm)))
