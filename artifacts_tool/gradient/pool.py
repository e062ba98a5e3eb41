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
    spatial = [size for size in s.shape(s.I(0))[2:] if isinstance(size, int)]
    if len(spatial) == len(s.shape(s.I(0))) - 2:
        return s.constant("Scale", np.array([math.prod(spatial)], np.float32))
    sizes = [s.emit("Size", [name], [s.helper(f"{which}_size")]) for name, which in ((s.I(0), "x"), (s.O(0), "y"))]
    return s.emit("Div", sizes, [s.helper("Scale")])
