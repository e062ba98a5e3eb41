"""Windows of ceil_mode over pictures of unknown size: how far the last one reaches, and what it counts, computed at run time."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import NUMPY_DTYPES

from .expression import calculate, choice, mask, number
from .places import counted, int64_constant, shape_of, unsqueeze
from .scope import Scope
from .windows import Geometry


def reached_planes(s: Scope, geometry: Geometry, planes: str) -> str:
    """Zeros like (N * C, 1, d1..), as large as all windows together reach if that is larger."""
    rank, shape = len(geometry.kernel), shape_of(s, planes, "planes")
    sizes = _spatial(s, shape, rank, "sizes")
    strides, rest = int64_constant(s, geometry.strides, "strides"), []
    for axis in range(rank):
        extent = (geometry.kernel[axis] - 1) * geometry.dilations[axis] + 1
        rest.append(extent - geometry.strides[axis] - geometry.pads[axis])
    outputs = _spatial(s, shape_of(s, s.O(0), "Y"), rank, "outputs")
    moved = calculate(s, "Mul", [outputs, strides], "moved")
    reach = calculate(s, "Add", [moved, int64_constant(s, tuple(rest), "rest")], "reach")
    shorter = calculate(s, "Less", [reach, sizes], "shorter")
    larger = choice(s, shorter, sizes, reach, planes, s.helper("larger"), "larger")
    front = s.emit("Gather", [shape, int64_constant(s, (0, 1), "front_axes")], [s.helper("front")], axis=0)
    return calculate(
        s, "Expand", [number(s, 0, s.I(0), "empty"), s.emit("Concat", [front, larger], [s.helper("reached")], axis=0)], "zeros"
    )


def cropped(s: Scope, geometry: Geometry, value: str, planes: str) -> str:
    """The value without what lies beyond the picture."""
    rank = len(geometry.kernel)
    starts, axes = int64_constant(s, (0,) * rank, "crop_starts"), int64_constant(s, tuple(range(2, rank + 2)), "crop_axes")
    ends = _spatial(s, shape_of(s, planes, "crop"), rank, "crop_ends")
    return calculate(s, "Slice", [value, starts, ends, axes], "cropped")


def window_counts(s: Scope, geometry: Geometry) -> str:
    """What the mean of each window divided by, (1, 1, e1..): the product over the axes of how many of its places count."""
    rank = len(geometry.kernel)
    outputs, sizes = shape_of(s, s.O(0), "counted_Y"), shape_of(s, s.I(0), "counted_X")
    total = ""
    for axis in range(rank):
        counts = _axis_counts(
            s, geometry, axis, _entry(s, outputs, axis + 2, f"outputs_{axis}"), _entry(s, sizes, axis + 2, f"size_{axis}")
        )
        shape = s.constant(f"counts_shape_{axis}", np.array([-1 if place == axis + 2 else 1 for place in range(rank + 2)], np.int64))
        along = calculate(s, "Reshape", [counts, shape], f"counts_along_{axis}")
        total = calculate(s, "Mul", [total, along], f"counts_until_{axis}") if total else along
    return total


def _axis_counts(s: Scope, geometry: Geometry, axis: int, outputs: str, size: str) -> str:
    """How many places of each window along one axis count: of the picture, with count_include_pad of its explicit pads, too."""
    included, rank = s.attribute("count_include_pad", 0), len(geometry.kernel)
    pads = s.attribute("pads", (0,) * (2 * rank)) if included and s.attribute("auto_pad", "NOTSET") == "NOTSET" else (0,) * (2 * rank)
    stride = s.constant(f"stride_{axis}", np.array(geometry.strides[axis]))
    starts = calculate(s, "Mul", [counted(s, outputs, f"windows_{axis}"), stride], f"starts_{axis}")
    s.refuse_huge(geometry.kernel[axis])
    taps = np.arange(geometry.kernel[axis]) * geometry.dilations[axis] - geometry.pads[axis]
    places = calculate(s, "Add", [unsqueeze(s, starts, 1, f"starts_{axis}"), s.constant(f"taps_{axis}", taps[None])], f"places_{axis}")
    end = calculate(s, "Add", [size, s.constant(f"end_pad_{axis}", np.array(pads[rank + axis]))], f"end_{axis}")
    inside = calculate(s, "Less", [places, end], f"before_end_{axis}")
    after = calculate(s, "Greater", [places, s.constant(f"start_{axis}", np.array(-pads[axis] - 1))], f"after_start_{axis}")
    both = mask(s, calculate(s, "And", [inside, after], f"inside_{axis}"), s.I(0), f"inside_mask_{axis}")
    ones = s.constant(f"taps_ones_{axis}", np.ones((geometry.kernel[axis], 1), NUMPY_DTYPES[s.element(s.I(0))]))
    return calculate(s, "MatMul", [both, ones], f"counts_{axis}")


def _spatial(s: Scope, shape: str, rank: int, name: str) -> str:
    """The entries of a shape behind batch and channels."""
    return s.emit("Gather", [shape, int64_constant(s, tuple(range(2, rank + 2)), f"{name}_axes")], [s.helper(name)], axis=0)


def _entry(s: Scope, shape: str, axis: int, name: str) -> str:
    return s.emit("Gather", [shape, s.constant(f"{name}_axis", np.array(axis))], [s.helper(name)], axis=0)
