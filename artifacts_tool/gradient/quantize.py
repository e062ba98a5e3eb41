"""Gradients of QuantizeLinear and DequantizeLinear: straight through where nothing is cut off, and by the scales.

Rounding counts as the identity (the straight-through estimator), cutting off has slope 0 beyond the range: Bengio et al. 2013,
arXiv:1308.3432; Jacob et al. 2018, arXiv:1712.05877. The two rules together give a scale the gradient of learned step size quantization:
round(x / scale) - x / scale inside the range, the bound outside; Esser et al. 2020, arXiv:1902.08153, without its factor for the step size.
The gradient by a quantized value is a float, of the type of the scale.
"""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, ElementType

from .expression import at_least, at_most, calculate, mask, number
from .places import shape_of
from .reduce import reduce_sum, sum_to
from .registry import gradient
from .scope import Scope

IN_ORT = "by x alone, and only for a pair of QuantizeLinear and DequantizeLinear with one scale for all"
CUT_OFF = (ElementType.UINT8, ElementType.INT8, ElementType.UINT16, ElementType.INT16)


@gradient("QuantizeLinear", stop=(2,), quantizes=True, differs=IN_ORT)
def quantize_linear(s: Scope) -> None:
    """dx = dY / scale where x is in the range, else 0; dscale = -sum dx x / scale."""
    lowest, highest, scale = _range(s)
    half = calculate(s, "Mul", [scale, number(s, 0.5, s.I(1), "half")], "half_step")
    above = at_least(s, s.I(0), calculate(s, "Sub", [lowest, half], "lower_bound"), "above")
    below = at_most(s, s.I(0), calculate(s, "Add", [highest, half], "upper_bound"), "below")
    inside = mask(s, calculate(s, "And", [above, below], "inside"), s.I(1), "mask")
    straight = calculate(s, "Div", [calculate(s, "Mul", [s.GO(0), inside], "passed"), scale], "straight")
    if s.GI(0):
        s.emit("Identity", [straight], [s.GI(0)])
    if s.GI(1):
        ratio = calculate(s, "Div", [s.I(0), scale], "ratio")
        _by_scale(s, calculate(s, "Neg", [calculate(s, "Mul", [straight, ratio], "by_each")], "minus"))


@gradient("DequantizeLinear", stop=(2,), differs=IN_ORT)
def dequantize_linear(s: Scope) -> None:
    """dx = dY scale; dscale = sum dY (x - zero point)."""
    one = s.emit("Cast", [_filled(s, 1, s.I(0), "one")], [s.helper("ones")], to=int(s.element(s.I(0))))
    scale = _dequantized(s, [one, s.I(1)], "scale")
    if s.GI(0):
        s.emit("Mul", [s.GO(0), scale], [s.GI(0)])
    if s.GI(1):
        steps = calculate(s, "Div", [s.O(0), scale], "steps")
        _by_scale(s, calculate(s, "Mul", [s.GO(0), steps], "by_each"))


def _range(s: Scope) -> tuple[str, str, str]:
    """(the lowest value that y can stand for, the highest, the scale), each in the shape of x."""
    made = s.element(s.O(0))
    if made not in CUT_OFF:
        raise InvalidInputError(f"The gradient of {s.node.label} to {made.name.lower()} is not supported; 8 and 16 bits are.")
    bounds = np.iinfo(NUMPY_DTYPES[made])
    ends = []
    for bound, name in ((bounds.min, "lowest"), (bounds.max, "highest")):
        wide = _filled(s, bound, s.I(0), name)
        ends.append(_dequantized(s, [s.emit("Cast", [wide], [s.helper(f"{name}_number")], to=int(made)), *s.node.inputs[1:]], name))
    span = calculate(s, "Sub", ends[::-1], "span")
    return ends[0], ends[1], calculate(s, "Div", [span, number(s, bounds.max - bounds.min, s.I(1), "span_steps")], "scale")


def _filled(s: Scope, value: int, like: str, name: str) -> str:
    """int32 numbers in the shape of a value; Expand knows them in all opsets that have quantization."""
    return s.emit("Expand", [s.constant(f"{name}_bound", np.array(value, np.int32)), shape_of(s, like, name)], [s.helper(f"{name}_wide")])


def _dequantized(s: Scope, inputs: list[str], name: str) -> str:
    """What whole numbers stand for, with the scales and zero points laid out as the node's."""
    layout = {key: value for key, value in s.node.attributes.items() if key in ("axis", "block_size")}
    return s.emit("DequantizeLinear", inputs, [s.helper(name)], copied=layout)


def _by_scale(s: Scope, by_each: str) -> None:
    """dscale = `by_each`, of the shape of x, summed over what has the same scale."""
    shape, rank = s.shape(s.I(1)), len(s.shape(s.I(0)))
    if s.attribute("block_size", 0):
        raise InvalidInputError(f"{s.node.label} has a scale for each block, which cannot be trained; freeze {s.I(1)!r}.")
    if len(shape) == 0 or shape == (1,):
        sum_to(s, by_each, s.shape(s.I(0)), s.I(1), s.GI(1), "scale")
        return
    axis = s.attribute("axis", 1) % rank
    reduce_sum(s, by_each, tuple(place for place in range(rank) if place != axis), s.GI(1), "scale", keepdims=0)
