"""Gradients of GridSample and RoiAlign by the picture, in which both are linear: dY times the matrix that they make of the identity.

The matrix has a row for each element of one channel and a column for each place looked at, so that large pictures take much memory.
"""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, TensorType

from .expression import calculate
from .places import int64_constant, shape_of
from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("GridSample", differs=NONE_IN_ORT)
def grid_sample(s: Scope) -> None:
    """dX[n] = dY[n] M[n]^T, in any mode. Raises InvalidInputError for a grid that depends on a trained value."""
    if s.GI(1):
        raise _refusal(s, 1, "its grid")
    sizes = shape_of(s, s.I(0), "X")
    batch = s.emit("Gather", [sizes, int64_constant(s, (0,), "batch_axis")], [s.helper("batch")], axis=0)
    single, count, spatial = _identity(s, sizes)
    shape = s.emit("Concat", [batch, count, spatial], [s.helper("basis_shape")], axis=0)
    basis = calculate(s, "Expand", [single, shape], "basis")
    seen = s.emit("GridSample", [basis, s.I(1)], [s.helper("seen")], copied=s.node.attributes)
    s.emit("Reshape", [_weighted(s, seen), sizes], [s.GI(0)])


@gradient("RoiAlign", stop=(2,), differs=NONE_IN_ORT)
def roi_align(s: Scope) -> None:
    """dX[n] = the sum of dY[r] M[r]^T over the regions r of picture n, for averages.

    Raises InvalidInputError for maxima, and for regions that depend on a trained value.
    """
    if s.GI(1):
        raise _refusal(s, 1, "its regions")
    if s.attribute("mode", "avg") != "avg":
        raise InvalidInputError(f"The gradient of {s.node.label} with mode='max' is not supported; use avg.")
    sizes = shape_of(s, s.I(0), "X")
    single, count, _ = _identity(s, sizes)
    first = calculate(s, "Mul", [s.I(2), s.constant("none", np.array(0))], "first_picture")
    seen = s.emit("RoiAlign", [single, s.I(1), first], [s.helper("seen")], copied=s.node.attributes)
    pictures = s.emit("Gather", [sizes, int64_constant(s, (0, 1), "front_axes")], [s.helper("front")], axis=0)
    shape = s.emit("Concat", [pictures, count], [s.helper("flat_shape")], axis=0)
    summed = s.helper("flat_dX", TensorType(s.element(s.I(0)), (None, None, None)))
    s.emit("GatherGrad", [shape, s.I(2), _weighted(s, seen)], [summed], domain=MS_DOMAIN, axis=0)
    s.emit("Reshape", [summed, sizes], [s.GI(0)])


def _refusal(s: Scope, index: int, what: str) -> InvalidInputError:
    return InvalidInputError(f"{s.node.label} has no gradient by {what} {s.I(index)!r}, which depends on a trained value; freeze that.")


def _identity(s: Scope, sizes: str) -> tuple[str, str, str]:
    """(one picture with a channel for each element of a channel of X, 1 at that element; their number; the sizes that make it)."""
    axes, one = int64_constant(s, tuple(range(2, len(s.shape(s.I(0))))), "spatial_axes"), int64_constant(s, (1,), "one")
    spatial = s.emit("Gather", [sizes, axes], [s.helper("spatial")], axis=0)
    count = s.emit("ReduceProd", [spatial], [s.helper("elements")], keepdims=1)
    square = s.emit("Concat", [count, count], [s.helper("square")], axis=0)
    zeros = calculate(s, "ConstantOfShape", [square], "zeros")
    identity = s.emit("EyeLike", [zeros], [s.helper("identity")], dtype=int(s.element(s.I(0))))
    shape = s.emit("Concat", [one, count, spatial], [s.helper("single_shape")], axis=0)
    return calculate(s, "Reshape", [identity, shape], "single"), count, spatial


def _weighted(s: Scope, seen: str) -> str:
    """(.., C, elements): dY (.., C, places) times the matrix (.., elements, places) transposed."""
    flat = int64_constant(s, (0, 0, -1), "flat_places")
    matrix, dY = (calculate(s, "Reshape", [value, flat], f"{name}_flat") for value, name in ((seen, "seen"), (s.GO(0), "dY")))
    turned = s.emit("Transpose", [matrix], [s.helper("turned")], perm=(0, 2, 1))
    return calculate(s, "MatMul", [dY, turned], "weighted")
