"""Gradients of activations made of pieces. At a kink the slope is that of the lower piece, as in ORT's Relu."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .expression import calculate, choice, compared, mask, number
from .reduce import sum_to
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("LeakyRelu", differs="wrong for a negative alpha")
def leaky_relu(s: Scope) -> None:
    """dX = dY where X > 0, else alpha * dY. Y has the sign of X unless alpha is negative."""
    alpha = s.attribute("alpha", 0.01)
    s.emit("LeakyReluGrad", [s.GO(0), s.O(0) if alpha >= 0 else s.I(0)], [s.GI(0)], domain=MS_DOMAIN, alpha=alpha)


@gradient("PRelu", differs=NONE_IN_ORT)
def prelu(s: Scope) -> None:
    """dX = dY where X > 0, else slope * dY; dslope = X * dY where X <= 0, summed to its shape."""
    positive = compared(s, "Greater", s.I(0), 0, "positive")
    if s.GI(0):
        sloped = calculate(s, "Mul", [s.GO(0), s.I(1)], "sloped")
        choice(s, positive, s.GO(0), sloped, s.I(0), s.GI(0), "dX")
    if s.GI(1):
        negative = mask(s, calculate(s, "Not", [positive], "not_positive"), s.I(0), "negative")
        product = calculate(s, "Mul", [calculate(s, "Mul", [s.GO(0), s.I(0)], "product"), negative], "PreReduceGrad1")
        sum_to(s, product, s.shape_if_known(s.O(0)), s.I(1), s.GI(1), "operand_1")


@gradient("ThresholdedRelu", differs=NONE_IN_ORT)
def thresholded_relu(s: Scope) -> None:
    """dX = dY where X > alpha, else 0."""
    inside = compared(s, "Greater", s.I(0), s.attribute("alpha", 1.0), "inside")
    s.emit("Mul", [s.GO(0), mask(s, inside, s.I(0), "mask")], [s.GI(0)])


def _exponential(s: Scope, above: float, factor: float, offset: float) -> None:
    """dX = dY * above where X > 0, else dY * (factor * Y + offset)."""
    scaled = calculate(s, "Mul", [s.O(0), number(s, factor, s.I(0), "factor")], "scaled")
    below = calculate(s, "Add", [scaled, number(s, offset, s.I(0), "offset")], "below")
    positive = compared(s, "Greater", s.I(0), 0, "positive")
    slope = choice(s, positive, number(s, above, s.I(0), "above"), below, s.I(0), s.helper("slope"), "slope")
    s.emit("Mul", [s.GO(0), slope], [s.GI(0)])


@gradient("Elu", differs=NONE_IN_ORT)
def elu(s: Scope) -> None:
    """dX = dY where X > 0, else dY * (Y + alpha), which is dY * alpha * exp(X)."""
    _exponential(s, 1, 1, s.attribute("alpha", 1.0))


@gradient("Selu", differs=NONE_IN_ORT)
def selu(s: Scope) -> None:
    """dX = gamma * dY where X > 0, else dY * (Y + gamma * alpha)."""
    gamma = s.attribute("gamma", 1.0507010221481323)
    _exponential(s, gamma, 1, gamma * s.attribute("alpha", 1.6732631921768188))


@gradient("Celu", differs=NONE_IN_ORT)
def celu(s: Scope) -> None:
    """dX = dY where X > 0, else dY * (Y / alpha + 1), which is dY * exp(X / alpha)."""
    _exponential(s, 1, 1 / s.attribute("alpha", 1.0), 1)


@gradient("HardSigmoid", differs=NONE_IN_ORT)
def hard_sigmoid(s: Scope) -> None:
    """dX = alpha * dY where 0 < Y < 1, else 0."""
    inside = _between(s, s.O(0), 0, 1)
    slope = calculate(s, "Mul", [mask(s, inside, s.I(0), "mask"), number(s, s.attribute("alpha", 0.2), s.I(0), "alpha")], "slope")
    s.emit("Mul", [s.GO(0), slope], [s.GI(0)])


def _between(s: Scope, value: str, low: float, high: float) -> str:
    bounds = (("Greater", low, "above"), ("Less", high, "below"))
    return calculate(s, "And", [compared(s, comparison, value, bound, name) for comparison, bound, name in bounds], "inside")


@gradient("HardSwish", differs=NONE_IN_ORT)
def hard_swish(s: Scope) -> None:
    """dX = dY * (X / 3 + 1/2) where -3 < X < 3, else dY above and 0 below."""
    third = calculate(s, "Mul", [s.I(0), number(s, 1 / 3, s.I(0), "third")], "scaled")
    line = calculate(s, "Add", [third, number(s, 0.5, s.I(0), "half")], "line")
    outside = mask(s, compared(s, "Greater", s.I(0), 0, "positive"), s.I(0), "step")
    slope = choice(s, _between(s, s.I(0), -3, 3), line, outside, s.I(0), s.helper("slope"), "slope")
    s.emit("Mul", [s.GO(0), slope], [s.GI(0)])


@gradient("Shrink", differs=NONE_IN_ORT)
def shrink(s: Scope) -> None:
    """dX = dY where |X| > lambd, else 0."""
    size = calculate(s, "Abs", [s.I(0)], "size")
    outside = calculate(s, "Greater", [size, number(s, s.attribute("lambd", 0.5), s.I(0), "lambd")], "outside")
    s.emit("Mul", [s.GO(0), mask(s, outside, s.I(0), "mask")], [s.GI(0)])
