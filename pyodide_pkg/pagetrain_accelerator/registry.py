"""@accelerated: which ops the side module takes. Declaring is registering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pagetrain.backend import Offers, Runner
from pagetrain.graph import ONNX_DOMAIN

from .library import Library

if TYPE_CHECKING:
    from pagetrain.kernels import Kernel

Maker = Callable[[Library, "Kernel", Mapping[int, np.ndarray], Mapping[str, Any]], Runner | None]
MAKERS: dict[tuple[str, str], Maker] = {}  # (domain, op_type): what makes its runners


def accelerated(op_type: str, domain: str = ONNX_DOMAIN) -> Callable[[Maker], Maker]:
    """Registers what makes the runners of an op: called with the library and what backend.py says of an offer."""

    def register(maker: Maker) -> Maker:
        MAKERS[domain, op_type] = maker
        return maker

    return register


def offers(library: Library) -> Offers:
    """All of them, computing with this library: what backend.register takes."""
    return {op: partial(maker, library) for op, maker in MAKERS.items()}
