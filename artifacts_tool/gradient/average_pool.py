"""Gradients of pooling by sums: AveragePool, LpPool, GlobalLpPool.

What a window gives back to its pixels is a convolution backwards with a filter of ones, over one channel at a time: ConvGrad has X's shape
from X itself. ORT's AveragePoolGrad has not: it needs fixed sizes, and is wrong for SAME pads and for overlapping windows of three axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES, Attribute

from .expression import calculate, choice, compared, number
from .registry import NONE_IN_ORT, gradient
from .scope import Scope, attribute_of


@gradient(
    "AveragePool",
    differs="takes the pads of SAME_UPPER and SAME_LOWER as 0, is wrong with three axes and with dilations, "
    "and crashes where sizes are symbolic",
)
def average_pool(s: Scope) -> None:
    """dX = dY / (what the mean divided by), added to every pixel of its window."""
    geometry = _geometry(s)
    share = calculate(s, "Div", [s.GO(0), _counts(s, geometry)], "share")
    _spread(s, geometry, share, s.GI(0))


@gradient("LpPool", differs=NONE_IN_ORT)
def lp_pool(s: Scope) -> None:
    """dX = sign(X) |X|^(p-1) * (dY / Y^(p-1), added to every pixel of its window); 0 where Y is 0."""
    p = s.attribute("p", 2)
    spread = _spread(s, _geometry(s), _by_norm(s, p), s.helper("spread"))
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
    positive = compared(s, "Greater", s.O(0), 0, "positive")
    return choice(s, positive, quotient, number(s, 0, s.I(0), "zero"), s.I(0), s.helper("share"), "share")


def _slope(s: Scope, p: int) -> str:
    """sign(X) |X|^(p-1)."""
    if p == 2:
        return s.I(0)
    if p == 1:
        return calculate(s, "Sign", [s.I(0)], "sign")
    size = calculate(s, "Pow", [calculate(s, "Abs", [s.I(0)], "absolute"), number(s, p - 1, s.I(0), "exponent")], "power")
    return calculate(s, "Mul", [calculate(s, "Sign", [s.I(0)], "sign"), size], "slope")


@dataclass(frozen=True)
class _Geometry:
    """The window. `pads` are explicit and `outputs` known where the sizes of X are; else auto_pad says them."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    auto_pad: str
    pads: tuple[int, ...]
    outputs: tuple[int, ...] | None = None

    @property
    def attributes(self) -> dict[str, Attribute]:
        """Of a convolution with this window."""
        ints = {"kernel_shape": self.kernel, "strides": self.strides, "dilations": self.dilations}
        ints |= {} if self.auto_pad.startswith("SAME") else {"pads": self.pads}
        return {name: attribute_of(value) for name, value in ints.items()} | {"auto_pad": attribute_of(self.auto_pad)}


def _geometry(s: Scope) -> _Geometry:
    kernel = s.attribute("kernel_shape", ())
    ones, zeros = (1,) * len(kernel), (0,) * (2 * len(kernel))
    auto_pad = s.attribute("auto_pad", "NOTSET") or "NOTSET"
    pads = s.attribute("pads", zeros) if auto_pad == "NOTSET" else zeros
    given = _Geometry(kernel, s.attribute("strides", ones), s.attribute("dilations", ones), auto_pad, pads)
    sizes = _fixed(s, s.I(0))
    if sizes is None and s.attribute("ceil_mode", 0):
        raise InvalidInputError(f"The gradient of {s.node.op_type} {s.node.name!r} with ceil_mode needs fixed sizes; fix the input size.")
    return given if sizes is None else _explicit(given, sizes, s.attribute("ceil_mode", 0))


def _explicit(given: _Geometry, sizes: tuple[int, ...], ceil_mode: int) -> _Geometry:
    begins, ends, outputs = [], [], []
    rank = len(sizes)
    for axis, size in enumerate(sizes):
        extent, stride = (given.kernel[axis] - 1) * given.dilations[axis] + 1, given.strides[axis]
        begin, end = given.pads[axis], given.pads[rank + axis]
        if given.auto_pad.startswith("SAME"):
            output = -(-size // stride)
            total = max((output - 1) * stride + extent - size, 0)
            begin = total // 2 if given.auto_pad == "SAME_UPPER" else total - total // 2
        else:
            room = size + begin + end - extent
            output = (-(-room // stride) if ceil_mode else room // stride) + 1
            output -= (output - 1) * stride >= size + begin
        begins.append(begin)
        ends.append(max(end, (output - 1) * stride + extent - size - begin))
        outputs.append(output)
    return _Geometry(given.kernel, given.strides, given.dilations, "NOTSET", (*begins, *ends), tuple(outputs))


def _fixed(s: Scope, value: str) -> tuple[int, ...] | None:
    spatial = s.shape(value)[2:]
    sizes = tuple(size for size in spatial if isinstance(size, int))
    return sizes if len(sizes) == len(spatial) else None


def _counts(s: Scope, geometry: _Geometry) -> str:
    """What the mean of each window divided by."""
    sizes = _fixed(s, s.I(0))
    if sizes is not None and geometry.outputs is not None:
        counts = [_axis_counts(s, geometry, axis, size, geometry.outputs[axis]) for axis, size in enumerate(sizes)]
        return s.constant("counts", reduce(np.multiply.outer, counts).astype(NUMPY_DTYPES[s.element(s.I(0))]))
    if s.attribute("count_include_pad", 0) or not (any(geometry.pads) or geometry.auto_pad.startswith("SAME")):
        return number(s, math.prod(geometry.kernel), s.I(0), "count")
    shape = s.emit("Shape", [_planes(s, s.I(0), "counted")], [s.helper("ones_shape")])
    ones = s.emit("Expand", [number(s, 1, s.I(0), "one"), shape], [s.helper("ones")])
    planes = s.emit("Conv", [ones, _filter(s, geometry, "counter")], [s.helper("counts_planes")], copied=geometry.attributes)
    return s.emit("Reshape", [planes, s.emit("Shape", [s.O(0)], [s.helper("Y_shape")])], [s.helper("counts")])


def _axis_counts(s: Scope, geometry: _Geometry, axis: int, size: int, output: int) -> np.ndarray:
    begin, end = 0, size
    if s.attribute("count_include_pad", 0):
        pads = s.attribute("pads", geometry.pads) if s.attribute("auto_pad", "NOTSET") == "NOTSET" else geometry.pads
        begin, end = -pads[axis], size + pads[len(geometry.kernel) + axis]  # without what ceil_mode added
    starts = np.arange(output) * geometry.strides[axis] - geometry.pads[axis]
    pixels = starts[:, None] + np.arange(geometry.kernel[axis]) * geometry.dilations[axis]
    return np.asarray(((pixels >= begin) & (pixels < end)).sum(axis=1))


def _spread(s: Scope, geometry: _Geometry, share: str, output: str) -> str:
    """output = each share, added to every pixel of its window."""
    planes = [_planes(s, share, "share"), _planes(s, s.I(0), "X"), _filter(s, geometry, "filter")]
    typed = s.typed(s.I(0), (None, 1, *s.shape(s.I(0))[2:]))
    spread = s.emit("ConvGrad", planes, [s.helper("dX_planes", typed)], domain=MS_DOMAIN, copied=geometry.attributes)
    return s.emit("Reshape", [spread, s.emit("Shape", [s.I(0)], [s.helper("dX_shape")])], [output])


def _planes(s: Scope, value: str, name: str) -> str:
    """(N * C, 1, d1..): each channel a picture of its own."""
    shape = s.constant(f"{name}_shape", np.array([-1, 1, *[0] * (len(s.shape(s.I(0))) - 2)], np.int64))
    return s.emit("Reshape", [value, shape], [s.helper(f"{name}_planes")])


def _filter(s: Scope, geometry: _Geometry, name: str) -> str:
    return s.constant(name, np.ones((1, 1, *geometry.kernel), NUMPY_DTYPES[s.element(s.I(0))]))
