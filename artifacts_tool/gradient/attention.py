"""Gradient of TensorScatter, the cache of keys and values. Attention is trained through its function body."""

from __future__ import annotations

import numpy as np

from .places import numbered, put_back_some, zeros_like
from .registry import NEWER_THAN_ORT, gradient
from .scope import Scope


@gradient("TensorScatter", stop=(2,), differs=NEWER_THAN_ORT)
def tensor_scatter(s: Scope) -> None:
    """dpast_cache = dY with zeros where the update went, dupdate = dY there."""
    where = s.node.inputs[2:]
    if s.GI(0):
        s.emit("TensorScatter", [s.GO(0), zeros_like(s, s.I(1), "update"), *where], [s.GI(0)], copied=s.node.attributes)
    if s.GI(1):
        numbers = s.emit("Add", [numbered(s, 1), s.constant("one", np.array(1))], [s.helper("counted_from_one")])
        nothing = s.emit("Mul", [numbered(s, 0), s.constant("zero", np.array(0))], [s.helper("nothing")])
        put_back_some(s, s.emit("TensorScatter", [nothing, numbers, *where], [s.helper("moved")], copied=s.node.attributes), 1)
