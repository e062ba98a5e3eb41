"""Gradient of Resize and Upsample: the transposed linear map of each resampled axis, as a matrix product that any runtime has."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES
from pagetrain.kernels._resampling import SIMPLE, Method, Sampling
from pagetrain.kernels.resize import axis_samplings

from .registry import gradient
from .scope import Scope

ROI_SINCE = 11


@gradient("Upsample", stop=(1,))
@gradient("Resize", stop=(1, 2, 3))
def resize(s: Scope) -> None:
    """dX = dY times the matrix M of each resampled axis, where Y = M X along it. Sizes and scales must be known.

    ORT has ResizeGrad for this, without a CPU kernel.
    """
    value, found = s.GO(0), _samplings(s)
    for count, (axis, sampling) in enumerate(found.items(), 1):
        output = s.GI(0) if count == len(found) else s.helper(f"without_axis_{axis}")
        size = s.shape(s.I(0))[axis]
        assert isinstance(size, int), "an axis that is resampled has a known size"
        value = _along(s, value, axis, sampling.matrix(size).astype(NUMPY_DTYPES[s.element(s.I(0))]), output)
    if not found:
        s.emit("Identity", [value], [s.GI(0)])


def _along(s: Scope, value: str, axis: int, matrix: np.ndarray, output: str) -> str:
    """output = value times the matrix along the axis."""
    rank = len(s.shape(s.I(0)))
    if axis == rank - 1:
        return s.emit("MatMul", [value, s.constant(f"matrix_{axis}", matrix)], [output])
    if axis == rank - 2:
        return s.emit("MatMul", [s.constant(f"matrix_{axis}", np.ascontiguousarray(matrix.T)), value], [output])
    swapped = list(range(rank))
    swapped[axis], swapped[-1] = swapped[-1], swapped[axis]
    turned = s.emit("Transpose", [value], [s.helper(f"turned_{axis}")], perm=tuple(swapped))
    product = s.emit("MatMul", [turned, s.constant(f"matrix_{axis}", matrix)], [s.helper(f"product_{axis}")])
    return s.emit("Transpose", [product], [output], perm=tuple(swapped))


def _samplings(s: Scope) -> dict[int, Sampling]:
    """The sampling of each axis that the node changes. Axes that keep a symbolic size stand in with the size 1."""
    shape, result = s.shape(s.I(0)), s.shape(s.O(0))
    old = s.node.since_version < ROI_SINCE
    roi, scales, sizes = (None, s.I(1), "") if old else (s.constants.get(s.I(1)), s.I(2), s.I(3))
    axes: tuple[int, ...] = s.attribute("axes", tuple(range(len(shape))))
    factors = np.array(s.attribute("scales", ()), np.float32) if s.node.op_type == "Upsample" and not scales else s.constants.get(scales)
    policy, targets = s.attribute("keep_aspect_ratio_policy", "stretch"), None
    if factors is None or not factors.size:
        if not sizes:
            raise _unknown(s, "the scales")
        factors, targets = None, s.constants.get(sizes)
        if policy == "stretch":
            targets = np.array([_size(s, shape[axis], result[axis]) for axis in axes])
        elif targets is None or not all(isinstance(shape[axis], int) for axis in axes):
            raise _unknown(s, "the sizes")
    elif any(not isinstance(shape[axis], int) and factor != 1 for axis, factor in zip(axes, factors, strict=True)):
        raise _unknown(s, "the sizes")
    known = [size if isinstance(size, int) else 1 for size in shape]
    return axis_samplings(known, roi, factors, targets, _method(s, old), axes, policy)


def _size(s: Scope, size: int | str | None, target: int | str | None) -> int:
    if isinstance(size, int) and isinstance(target, int):
        return target
    if size == target and size is not None:
        return 1
    raise _unknown(s, "the sizes")


def _unknown(s: Scope, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"The gradient of {s.node.op_type} {s.node.name!r} must know {what} of the axes that it changes; give the model fixed ones."
    )


def _method(s: Scope, old: bool) -> Method:
    if old:
        return Method(s.attribute("mode", "nearest"), "asymmetric", SIMPLE)
    return Method(
        s.attribute("mode", "nearest"),
        s.attribute("coordinate_transformation_mode", "half_pixel"),
        s.attribute("nearest_mode", "round_prefer_floor"),
        s.attribute("cubic_coeff_a", -0.75),
        bool(s.attribute("exclude_outside", 0)),
        bool(s.attribute("antialias", 0)),
    )
