"""Gradient of Dropout."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .registry import gradient
from .scope import Scope


@gradient("Dropout", stop=(1, 2), reads={1: "mask"}, differs="generation fails unless the node has its output mask")
def dropout(s: Scope) -> None:
    """dX = dY / (1 - ratio) where the forward op's mask kept, else 0; dY where nothing is ever dropped: without the input training_mode."""
    if s.I(2):
        s.emit("DropoutGrad", [s.GO(0), s.O(1), s.I(1), s.I(2)], [s.GI(0)], domain=MS_DOMAIN)
    else:
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
