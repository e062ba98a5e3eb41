"""What code says of itself: docstrings and signatures as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def text_of(documented: Any) -> str:
    """The docstring in one line."""
    return " ".join(str(documented.__doc__ or "").split())


def signature_of(function: Callable[..., Any]) -> str:
    """The parameters with their defaults, without self, cls and types."""
    parameters = list(inspect.signature(function).parameters.values())
    bare = [p.replace(annotation=p.empty) for p in parameters if p.name not in ("self", "cls")]
    return str(inspect.Signature(bare))
