"""Gradients of pooling."""

from __future__ import annotations

import math

import numpy as np

from pagetrain.graph import MS_DOMAIN

from .reduce import spread_over_input
from .registry import gradient
from .scope import Scope


@gradient("GlobalAveragePool")
def global_average_pool(s: Scope) -> None:
    """dX = dY / (number of pixels), spread over the pixels."""
    scaled = s.helper("scaled_dY", s.types.get(s.O(0)))
    s.emit("Scale", [s.GO(0), _pixels(s)], [scaled], domain=MS_DOMAIN, scale_down=1)
    spread_over_input(s, scaled)


def _pixels(s: Scope) -> str:
    """The number of pixels per channel: a constant, or computed from the sizes where they are symbolic."""
    sizes = (s.shape_if_known(s.I(0)) or (None,) * 3)[2:]
    spatial = [size for size in sizes if isinstance(size, int)]
    if len(spatial) == len(sizes):
        return s.constant("Scale", np.array([math.prod(spatial)], np.float32))
    both = [s.emit("Size", [name], [s.helper(f"{which}_size")]) for name, which in ((s.I(0), "x"), (s.O(0), "y"))]
    return s.emit("Div", both, [s.helper("Scale")])
