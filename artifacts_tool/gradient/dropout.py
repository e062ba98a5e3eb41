"""Gradient of Dropout, which is in evaluation mode in all our graphs (see forward.prepare)."""

from __future__ import annotations

from .registry import gradient
from .scope import Scope


@gradient("Dropout", stop=(1, 2))
def dropout(s: Scope) -> None:
    """dX = dY, as nothing is dropped."""
    s.emit("Identity", [s.GO(0)], [s.GI(0)])
