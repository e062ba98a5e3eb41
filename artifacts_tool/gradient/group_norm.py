"""Gradients of normalizations over pixels, groups, chosen axes and neighbouring channels."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES

from .expression import calculate, choice, compared, number
from .normalization import back, centred, inverse_root, mean, per_channel, sum_per_channel
from .reduce import reduce_sum
from .registry import NONE_IN_ORT, gradient
from .scope import Scope
from .unary import sign

EPSILON = 1e-5
SCALE_PER_CHANNEL_SINCE = 21


@gradient("InstanceNormalization", differs=NONE_IN_ORT)
def instance_normalization(s: Scope) -> None:
    """With n = (input - mean) inv, means over the pixels, and g = dY scale:

    dX = inv (g - mean(g) - n mean(g n)), dscale = sum dY n, dB = sum dY.
    """
    rank = len(s.shape(s.I(0)))
    axes = tuple(range(2, rank))
    deviations = centred(s, s.I(0), axes)
    inverse = inverse_root(s, deviations, axes, s.attribute("epsilon", EPSILON))
    normal = calculate(s, "Mul", [deviations, inverse], "normal")
    if s.GI(0):
        g = calculate(s, "Mul", [s.GO(0), per_channel(s, s.I(1), rank, "scale")], "g")
        back(s, g, normal, inverse, axes, s.GI(0))
    if s.GI(1):
        sum_per_channel(s, calculate(s, "Mul", [s.GO(0), normal], "dY_normal"), rank, s.GI(1), "dscale")
    if s.GI(2):
        sum_per_channel(s, s.GO(0), rank, s.GI(2), "dB")


@gradient("GroupNormalization", differs=NONE_IN_ORT)
def group_normalization(s: Scope) -> None:
    """As InstanceNormalization, over groups of channels: (N, groups, pixels). Scale and bias are per group before version 21."""
    per_group = s.node.since_version < SCALE_PER_CHANNEL_SINCE
    rank = len(s.shape(s.I(0)))
    deviations = centred(s, _grouped(s, s.I(0), "X"), (2,))
    inverse = inverse_root(s, deviations, (2,), s.attribute("epsilon", EPSILON))
    normal = calculate(s, "Mul", [deviations, inverse], "normal")
    dY = _grouped(s, s.GO(0), "dY") if per_group else s.GO(0)
    if s.GI(0):
        g = calculate(s, "Mul", [dY, per_channel(s, s.I(1), 3 if per_group else rank, "scale")], "g")
        grouped = back(s, g if per_group else _grouped(s, g, "g"), normal, inverse, (2,), s.helper("dX_grouped"))
        _as_input(s, grouped, s.GI(0), "dX")
    if s.GI(1):
        at_channels = normal if per_group else _as_input(s, normal, s.helper("normal_per_channel"), "normal")
        product = calculate(s, "Mul", [dY, at_channels], "dY_normal")
        sum_per_channel(s, product, 3 if per_group else rank, s.GI(1), "dscale")
    if s.GI(2):
        sum_per_channel(s, dY, 3 if per_group else rank, s.GI(2), "dbias")


def _grouped(s: Scope, value: str, name: str) -> str:
    shape = s.constant(f"{name}_grouped_shape", np.array([0, s.attribute("num_groups", 1), -1], np.int64))
    return s.emit("Reshape", [value, shape], [s.helper(f"{name}_grouped")])


def _as_input(s: Scope, value: str, output: str, name: str) -> str:
    return s.emit("Reshape", [value, s.emit("Shape", [s.I(0)], [s.helper(f"{name}_shape")])], [output])


@gradient("MeanVarianceNormalization", differs=NONE_IN_ORT)
def mean_variance_normalization(s: Scope) -> None:
    """dX = (dY - mean(dY) - Y mean(dY Y)) / (sqrt(var) + 1e-9).

    Strictly the second mean is divided by sqrt(var) alone: that differs by 1e-9 of it, and is not 0 / 0 where X is constant.
    """
    axes: tuple[int, ...] = s.attribute("axes", (0, 2, 3))
    deviations = centred(s, s.I(0), axes)
    square = mean(s, calculate(s, "Mul", [deviations, deviations], "square"), axes, "variance")
    deviation = calculate(s, "Add", [calculate(s, "Sqrt", [square], "deviation"), number(s, 1e-9, s.I(0), "epsilon")], "divisor")
    back(s, s.GO(0), s.O(0), calculate(s, "Reciprocal", [deviation], "inverse"), axes, s.GI(0))


@gradient("LpNormalization", differs=NONE_IN_ORT)
def lp_normalization(s: Scope) -> None:
    """dX = (dY - slope sum(dY Y)) / norm, slope = Y for p = 2, sign(X) for p = 1; 0 where the norm is 0."""
    first = s.attribute("p", 2) == 1
    axes = (s.attribute("axis", -1) % len(s.shape(s.I(0))),)
    size = calculate(s, "Abs", [s.I(0)], "size") if first else calculate(s, "Mul", [s.I(0), s.I(0)], "size")
    total = reduce_sum(s, size, axes, s.helper("total"), "total", keepdims=1)
    norm = total if first else calculate(s, "Sqrt", [total], "norm")
    along = reduce_sum(s, calculate(s, "Mul", [s.GO(0), s.O(0)], "dY_Y"), axes, s.helper("along"), "along", keepdims=1)
    slope = sign(s, s.I(0)) if first else s.O(0)
    rest = calculate(s, "Sub", [s.GO(0), calculate(s, "Mul", [slope, along], "parallel")], "rest")
    positive = compared(s, "Greater", norm, 0, "positive")
    choice(s, positive, calculate(s, "Div", [rest, norm], "quotient"), number(s, 0, s.I(0), "zero"), s.I(0), s.GI(0), "dX")


@gradient("LRN", differs=NONE_IN_ORT)
def lrn(s: Scope) -> None:
    """With d = bias + alpha / size * sum of X^2 over the channels around:

    dX = dY d^-beta - 2 alpha beta / size * X * (sum of dY Y / d over the channels in whose window X stands).
    """
    size = s.attribute("size", 1)
    alpha, beta, bias = s.attribute("alpha", 1e-4), s.attribute("beta", 0.75), s.attribute("bias", 1.0)
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    total = _over_channels(s, calculate(s, "Mul", [s.I(0), s.I(0)], "square"), before, after, "total")
    scaled = calculate(s, "Mul", [total, number(s, alpha / size, s.I(0), "alpha")], "scaled")
    divisor = calculate(s, "Add", [scaled, number(s, bias, s.I(0), "bias")], "divisor")
    own = calculate(s, "Div", [s.GO(0), calculate(s, "Pow", [divisor, number(s, beta, s.I(0), "beta")], "power")], "own")
    share = calculate(s, "Div", [calculate(s, "Mul", [s.GO(0), s.O(0)], "dY_Y"), divisor], "share")
    around = calculate(s, "Mul", [s.I(0), _over_channels(s, share, after, before, "around")], "through_square")
    others = calculate(s, "Mul", [around, number(s, 2 * alpha * beta / size, s.I(0), "factor")], "others")
    s.emit("Sub", [own, others], [s.GI(0)])


def _over_channels(s: Scope, value: str, before: int, after: int, name: str) -> str:
    """The sum over the channels from `before` before to `after` after each: a convolution of (N, 1, C, pixels) with ones."""
    channels = s.shape(s.I(0))[1]
    if not isinstance(channels, int):
        raise InvalidInputError(f"The gradient of {s.node.label} needs a fixed number of channels, got {channels!r}.")
    plane = s.constant(f"{name}_plane_shape", np.array([0, 1, channels, -1], np.int64))
    s.refuse_huge(before + 1 + after)
    ones = s.constant(f"{name}_filter", np.ones((1, 1, before + 1 + after, 1), NUMPY_DTYPES[s.element(s.I(0))]))
    planes = [s.emit("Reshape", [value, plane], [s.helper(f"{name}_planes")]), ones]
    summed = s.emit("Conv", planes, [s.helper(f"{name}_sums")], pads=(before, 0, after, 0))
    return s.emit("Reshape", [summed, s.emit("Shape", [s.I(0)], [s.helper(f"{name}_shape")])], [s.helper(name)])
