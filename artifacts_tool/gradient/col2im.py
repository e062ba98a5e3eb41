"""Gradients of what puts back together what windows took apart: Col2Im, MaxUnpool."""

from __future__ import annotations

import math

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, ElementType

from .places import numbered, put_back_some, shape_of
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("Col2Im", stop=(1, 2), differs=NONE_IN_ORT)
def col2im(s: Scope) -> None:
    """dinput = dY cut into blocks: a convolution with one filter for each place of a block."""
    block = s.constants.get(s.I(2))
    if block is None:
        raise InvalidInputError(f"The gradient of {s.node.label} must know the block_shape {s.I(2)!r}; make it a constant.")
    sizes = tuple(int(size) for size in block)
    filters = np.eye(math.prod(sizes), dtype=NUMPY_DTYPES[s.element(s.I(0))]).reshape(-1, 1, *sizes)
    plane = s.constant("plane_shape", np.array([-1, 1, *[0] * len(sizes)]))
    planes = s.emit("Reshape", [s.GO(0), plane], [s.helper("planes")])
    blocks = s.emit("Conv", [planes, s.constant("places", filters)], [s.helper("blocks")], copied=s.node.attributes)
    s.emit("Reshape", [blocks, shape_of(s, s.I(0), "input")], [s.GI(0)])


@gradient("MaxUnpool", stop=(1, 2), differs=NONE_IN_ORT)
def max_unpool(s: Scope) -> None:
    """dX = dY where X went. The op moves floats alone; doubles count far enough."""
    one = s.constant("one", np.array(1))
    numbers = s.emit("Add", [numbered(s), one], [s.helper("counted_from_one")])
    doubles = s.emit("Cast", [numbers], [s.helper("real_numbers")], to=int(ElementType.DOUBLE))
    moved = s.emit("MaxUnpool", [doubles, *s.node.inputs[1:]], [s.helper("moved_numbers")], copied=s.node.attributes)
    put_back_some(s, s.emit("Cast", [moved], [s.helper("moved")], to=int(ElementType.INT64)), 0)
