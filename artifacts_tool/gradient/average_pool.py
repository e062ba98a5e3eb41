"""Gradients of pooling by sums: AveragePool, LpPool, GlobalLpPool.

What a window gives back to its pixels is a convolution backwards with a filter of ones, over one channel at a time: ConvGrad has X's shape
from X itself. ORT's AveragePoolGrad has not: it needs fixed sizes, and is wrong for SAME pads and for overlapping windows of three axes.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES

from .expression import calculate, choice, compared, number, ones_as
from .open_windows import cropped, reached_planes, window_counts
from .registry import NONE_IN_ORT, gradient
from .scope import Scope
from .unary import sign
from .windows import Geometry, fixed_sizes, geometry_of, ones_filter, planes


@gradient(
    "AveragePool",
    differs="takes the pads of SAME_UPPER and SAME_LOWER as 0, is wrong with three axes and with dilations, "
    "and crashes where sizes are symbolic",
)
def average_pool(s: Scope) -> None:
    """dX = dY / (what the mean divided by), added to every pixel of its window."""
    geometry = geometry_of(s)
    share = calculate(s, "Div", [s.GO(0), _counts(s, geometry)], "share")
    _spread(s, geometry, share, s.GI(0))


@gradient("LpPool", differs=NONE_IN_ORT)
def lp_pool(s: Scope) -> None:
    """dX = sign(X) |X|^(p-1) * (dY / Y^(p-1), added to every pixel of its window); 0 where Y is 0."""
    p = s.attribute("p", 2)
    spread = _spread(s, geometry_of(s), _by_norm(s, p), s.helper("spread"))
    s.emit("Mul", [_slope(s, p), spread], [s.GI(0)])


@gradient("GlobalLpPool", differs=NONE_IN_ORT)
def global_lp_pool(s: Scope) -> None:
    """dX = sign(X) |X|^(p-1) dY / Y^(p-1); 0 where Y is 0."""
    p = s.attribute("p", 2)
    s.emit("Mul", [_slope(s, p), _by_norm(s, p)], [s.GI(0)])


def _by_norm(s: Scope, p: int) -> str:
    """dY / Y^(p-1), 0 where Y is 0."""
    if p == 1:
        return s.GO(0)
    power = s.O(0) if p == 2 else calculate(s, "Pow", [s.O(0), number(s, p - 1, s.I(0), "norm_exponent")], "norm_power")
    quotient = calculate(s, "Div", [s.GO(0), power], "quotient")
    some = compared(s, "Greater", s.O(0), 0, "some")
    return choice(s, some, quotient, number(s, 0, s.I(0), "zero"), s.I(0), s.helper("share"), "share")


def _slope(s: Scope, p: int) -> str:
    """sign(X) |X|^(p-1)."""
    if p == 2:
        return s.I(0)
    if p == 1:
        return sign(s, s.I(0))
    size = calculate(s, "Pow", [calculate(s, "Abs", [s.I(0)], "absolute"), number(s, p - 1, s.I(0), "exponent")], "power")
    return calculate(s, "Mul", [sign(s, s.I(0)), size], "slope")


def _counts(s: Scope, geometry: Geometry) -> str:
    """What the mean of each window divided by."""
    if geometry.open_ended:
        return window_counts(s, geometry)
    sizes = fixed_sizes(s)
    if sizes is not None and geometry.outputs is not None:
        counts = [_axis_counts(s, geometry, axis, size, geometry.outputs[axis]) for axis, size in enumerate(sizes)]
        s.refuse_huge(*geometry.outputs)
        return s.constant("counts", reduce(np.multiply.outer, counts).astype(NUMPY_DTYPES[s.element(s.I(0))]))
    if s.attribute("count_include_pad", 0) or not (any(geometry.pads) or geometry.auto_pad.startswith("SAME")):
        return number(s, math.prod(geometry.kernel), s.I(0), "count")
    ones = ones_as(s, planes(s, s.I(0), "counted"), s.I(0), "ones")
    summed = s.emit("Conv", [ones, ones_filter(s, geometry, "counter")], [s.helper("counts_planes")], copied=geometry.attributes)
    return s.emit("Reshape", [summed, s.emit("Shape", [s.O(0)], [s.helper("Y_shape")])], [s.helper("counts")])


def _axis_counts(s: Scope, geometry: Geometry, axis: int, size: int, output: int) -> np.ndarray:
    begin, end = 0, size
    if s.attribute("count_include_pad", 0):
        none = (0,) * len(geometry.pads)  # not those of the geometry, to which ceil_mode added
        pads = geometry.pads if s.attribute("auto_pad", "NOTSET").startswith("SAME") else s.attribute("pads", none)
        begin, end = -pads[axis], size + pads[len(geometry.kernel) + axis]
    s.refuse_huge(output, geometry.kernel[axis])
    starts = np.arange(output) * geometry.strides[axis] - geometry.pads[axis]
    pixels = starts[:, None] + np.arange(geometry.kernel[axis]) * geometry.dilations[axis]
    return np.asarray(((pixels >= begin) & (pixels < end)).sum(axis=1))


def _spread(s: Scope, geometry: Geometry, share: str, output: str) -> str:
    """output = each share, added to every pixel of its window."""
    picture = planes(s, s.I(0), "X")
    reached = reached_planes(s, geometry, picture) if geometry.open_ended else picture
    inputs = [planes(s, share, "share"), reached, ones_filter(s, geometry, "filter")]
    typed = s.typed(s.I(0), (None, 1, *[None] * len(geometry.kernel)))
    spread = s.emit("ConvGrad", inputs, [s.helper("dX_planes", typed)], domain=MS_DOMAIN, copied=geometry.attributes)
    if geometry.open_ended:
        spread = cropped(s, geometry, spread, picture)
    return s.emit("Reshape", [spread, s.emit("Shape", [s.I(0)], [s.helper("dX_shape")])], [output])
