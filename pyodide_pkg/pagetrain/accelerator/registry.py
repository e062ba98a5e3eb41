"""@accelerated: which ops the side module takes. Declaring is registering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import Offer, Runner
from ..graph import ONNX_DOMAIN
from .library import Library

if TYPE_CHECKING:
    from ..kernels import Kernel

Maker = Callable[[Library, "Kernel", Mapping[int, np.ndarray], Mapping[str, Any]], Runner | None]
_MAKERS: dict[tuple[str, str], Maker] = {}


def accelerated(op_type: str, domain: str = ONNX_DOMAIN) -> Callable[[Maker], Maker]:
    """Registers what makes the runners of an op; see backend.py for what it is handed, after the library."""

    def register(maker: Maker) -> Maker:
        _MAKERS[domain, op_type] = maker
        return maker

    return register


def offers(library: Library) -> dict[tuple[str, str], Offer]:
    """All of them, computing with this library: what backend.register takes."""
    return {op: partial(maker, library) for op, maker in _MAKERS.items()}
