"""The linear map of a resampled axis, computed at run time: what Resize makes of the identity matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .expression import calculate
from .places import int64_constant, shape_of
from .scope import Scope

SIZES_SINCE = 11
EMPTY_INPUTS_SINCE = 13
LEFT_OUT = ("axes", "keep_aspect_ratio_policy", "extrapolation_value")


def matrix_at_run_time(s: Scope, axis: int, index: int) -> str:
    """(input size, output size), transposed, of the node's `axis` (2 or higher), the index-th that its scales or sizes speak of.

    The columns of the identity matrix lie along axis 1, as channels, its rows along `axis`.
    """
    name, rank = f"axis_{axis}", len(s.shape(s.I(0)))
    size = _entry(s, shape_of(s, s.I(0), name), axis, f"{name}_size")
    square = s.emit("Concat", [size, size], [s.helper(f"{name}_square")], axis=0)
    zeros = calculate(s, "ConstantOfShape", [square], f"{name}_zeros")
    identity = s.emit("EyeLike", [zeros], [s.helper(f"{name}_identity")], dtype=int(s.element(s.I(0))))
    ones = int64_constant(s, (1,), f"{name}_one")
    shape = _vector(s, [size if place in (1, axis) else ones for place in range(rank)], f"{name}_identity_shape")
    wide = calculate(s, "Reshape", [identity, shape], f"{name}_channels")
    attributes = {key: value for key, value in s.node.attributes.items() if key not in LEFT_OUT}
    resized = s.emit(s.node.op_type, [wide, *_targets(s, axis, index, size, ones, name)], [s.helper(f"{name}_resized")], copied=attributes)
    flat = _vector(s, [size, int64_constant(s, (-1,), f"{name}_rest")], f"{name}_matrix_shape")
    return calculate(s, "Reshape", [resized, flat], f"{name}_matrix")


def _targets(s: Scope, axis: int, index: int, size: str, ones: str, name: str) -> list[str]:
    """The inputs behind X: scales or sizes, 1 or unchanged for the other axes."""
    rank = len(s.shape(s.I(0)))
    old = s.node.since_version < SIZES_SINCE
    scales = s.I(1) if old else s.I(2)
    if old or not s.I(3):
        one = s.constant(f"{name}_scale_one", np.ones(1, np.float32))
        scale = _entry(s, scales, index, f"{name}_scale")
        vector = _vector(s, [scale if place == axis else one for place in range(rank)], f"{name}_scales")
        return [vector] if old else [_nothing(s, f"{name}_roi"), vector]
    target = _entry(s, shape_of(s, s.O(0), f"{name}_output"), axis, f"{name}_target")
    vector = _vector(s, [target if place == axis else size if place == 1 else ones for place in range(rank)], f"{name}_sizes")
    return [_nothing(s, f"{name}_roi"), _nothing(s, f"{name}_no_scales"), vector]


def _nothing(s: Scope, name: str) -> str:
    """An input left out; before opset 13 an empty tensor."""
    return "" if s.node.since_version >= EMPTY_INPUTS_SINCE else s.constant(name, np.empty(0, np.float32))


def _entry(s: Scope, vector: str, place: int, name: str) -> str:
    """One element of a tensor of one axis, still with that axis."""
    return s.emit("Gather", [vector, int64_constant(s, (place,), f"{name}_place")], [s.helper(name)], axis=0)


def _vector(s: Scope, entries: Sequence[str], name: str) -> str:
    return s.emit("Concat", entries, [s.helper(name)], axis=0)
