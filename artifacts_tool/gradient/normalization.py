"""What the gradients of normalizations have in common: means over axes, the normalized input, and the way back through it."""

from __future__ import annotations

import numpy as np

from .expression import calculate, number
from .reduce import reduce_sum
from .scope import Scope

MEAN_AXES_ARE_AN_INPUT_SINCE = 18


def mean(s: Scope, value: str, axes: tuple[int, ...], name: str) -> str:
    """The mean of `value` over `axes`, which stay as size 1."""
    if s.opset < MEAN_AXES_ARE_AN_INPUT_SINCE:
        return s.emit("ReduceMean", [value], [s.helper(name)], axes=axes, keepdims=1)
    return s.emit("ReduceMean", [value, s.constant(f"{name}_axes", np.array(axes, np.int64))], [s.helper(name)], keepdims=1)


def centred(s: Scope, value: str, axes: tuple[int, ...]) -> str:
    """value - mean(value)."""
    return calculate(s, "Sub", [value, mean(s, value, axes, "mean")], "centred")


def inverse_root(s: Scope, value: str, axes: tuple[int, ...], epsilon: float) -> str:
    """1 / sqrt(mean(value^2) + epsilon)."""
    square = mean(s, calculate(s, "Mul", [value, value], "square"), axes, "mean_square")
    shifted = calculate(s, "Add", [square, number(s, epsilon, s.I(0), "epsilon")], "shifted")
    return calculate(s, "Reciprocal", [calculate(s, "Sqrt", [shifted], "deviation")], "inverse")


def back(s: Scope, g: str, normal: str, inverse: str, axes: tuple[int, ...], output: str, *, has_mean: bool = True) -> str:
    """output = inverse (g - mean(g) - normal mean(g normal)): the gradient by X of normal = (X - mean(X)) inverse, for one of g by normal.

    has_mean: whether the mean was subtracted at all.
    """
    along = mean(s, calculate(s, "Mul", [g, normal], "g_normal"), axes, "g_along")
    rest = calculate(s, "Sub", [g, calculate(s, "Mul", [normal, along], "g_parallel")], "g_rest")
    if has_mean:
        rest = calculate(s, "Sub", [rest, mean(s, g, axes, "g_mean")], "g_centred")
    return s.emit("Mul", [rest, inverse], [output])


def per_channel(s: Scope, value: str, rank: int, name: str) -> str:
    """(C,) as (C, 1..), to stand against values (N, C, d1..) of that rank."""
    shape = s.constant(f"{name}_per_channel_shape", np.array([-1, *[1] * (rank - 2)], np.int64))
    return s.emit("Reshape", [value, shape], [s.helper(f"{name}_per_channel")])


def sum_per_channel(s: Scope, value: str, rank: int, output: str, name: str) -> str:
    """output = the sum over all axes but 1."""
    return reduce_sum(s, value, (0, *range(2, rank)), output, name, keepdims=0)
