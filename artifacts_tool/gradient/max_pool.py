"""Gradients of pooling by maximum."""

from __future__ import annotations

import math

import numpy as np

from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES

from .expression import calculate, mask, number, ones_as
from .reduce import reduce_sum
from .registry import NONE_IN_ORT, gradient
from .scope import Scope
from .windows import geometry_of, planes

INDICES_SINCE = 8


@gradient("MaxPool", reads={1: "mask"}, differs="the process crashes where sizes are symbolic; wrong with storage_order 1")
def max_pool(s: Scope) -> None:
    """dX = dY added up at the Indices of the maxima. MaxPoolGrad, as in ORT, where X has a known size; else over flat values."""
    if s.node.since_version < INDICES_SINCE:
        _without_indices(s)
    elif all(isinstance(size, int) for size in (s.shape_if_known(s.I(0)) or ("?", "?"))[1:]):
        s.emit("MaxPoolGrad", [s.GO(0), s.O(1)], [s.GI(0)], copied=s.node.attributes)
    else:
        _over_flat_values(s)


def _over_flat_values(s: Scope) -> None:
    indices = s.O(1)
    if s.attribute("storage_order", 0):  # indices in the order of memory are needed
        indices = s.helper("indices")
        row_major = {name: value for name, value in s.node.attributes.items() if name != "storage_order"}
        s.emit("MaxPool", [s.I(0)], [s.helper("Y"), indices], copied=row_major)
    row = s.constant("row", np.array([-1], np.int64))
    flat = [s.emit("Reshape", [name, row], [s.helper(f"flat_{which}")]) for name, which in ((s.GO(0), "dY"), (indices, "indices"))]
    size = s.emit("Reshape", [s.emit("Size", [s.I(0)], [s.helper("size")]), row], [s.helper("flat_size")])
    typed = s.typed(s.I(0), (None,))
    spread = s.emit("GatherElementsGrad", [flat[0], size, flat[1]], [s.helper("flat_dX", typed)], domain=MS_DOMAIN, axis=0)
    s.emit("Reshape", [spread, s.emit("Shape", [s.I(0)], [s.helper("shape")])], [s.GI(0)])


def _without_indices(s: Scope) -> None:
    """Before MaxPool has Indices (opset 8): every place of every window, by a convolution with one filter for each place of the window.

    dY goes to the places that are in the picture and hold the maximum; equal ones share it.
    """
    geometry = geometry_of(s)
    s.refuse_huge(*geometry.kernel, *geometry.kernel)
    places = np.eye(math.prod(geometry.kernel)).reshape(-1, 1, *geometry.kernel)
    filters = s.constant("places", places.astype(NUMPY_DTYPES[s.element(s.I(0))]))
    picture, maxima = planes(s, s.I(0), "X"), planes(s, s.O(0), "Y")
    values = s.emit("Conv", [picture, filters], [s.helper("values")], copied=geometry.attributes)
    present = s.emit("Conv", [ones_as(s, picture, s.I(0), "ones"), filters], [s.helper("present")], copied=geometry.attributes)
    lost = mask(s, calculate(s, "Less", [values, maxima], "lost"), s.I(0), "lost_mask")
    won = calculate(s, "Mul", [present, calculate(s, "Sub", [number(s, 1, s.I(0), "one"), lost], "not_lost")], "won")
    count = reduce_sum(s, won, (1,), s.helper("count"), "count", keepdims=1)
    share = calculate(s, "Mul", [won, calculate(s, "Div", [planes(s, s.GO(0), "dY"), count], "share")], "shares")
    typed = s.typed(s.I(0), (None, 1, *[None] * len(geometry.kernel)))
    spread = s.emit("ConvGrad", [share, picture, filters], [s.helper("dX_planes", typed)], domain=MS_DOMAIN, copied=geometry.attributes)
    s.emit("Reshape", [spread, s.emit("Shape", [s.I(0)], [s.helper("dX_shape")])], [s.GI(0)])


@gradient("GlobalMaxPool", differs=NONE_IN_ORT)
def global_max_pool(s: Scope) -> None:
    """dX = dY where X is the maximum; equal maxima share it."""
    places = mask(s, calculate(s, "Equal", [s.I(0), s.O(0)], "is_maximum"), s.I(0), "maxima")
    axes = tuple(range(2, len(s.shape(s.I(0)))))
    count = reduce_sum(s, places, axes, s.helper("count"), "count", keepdims=1)
    s.emit("Mul", [places, calculate(s, "Div", [s.GO(0), count], "share")], [s.GI(0)])
