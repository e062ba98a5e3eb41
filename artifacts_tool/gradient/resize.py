"""Gradient of Resize and Upsample: the transposed linear map of each resampled axis, as a matrix product that any runtime has."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES
from pagetrain_ops._resampling import SIMPLE, Method, Sampling
from pagetrain_ops.resize import axis_samplings

from .registry import NONE_IN_ORT, gradient
from .resize_matrix import matrix_at_run_time
from .scope import Scope

ROI_SINCE = 11


@gradient("Upsample", stop=(1,), differs=NONE_IN_ORT)
@gradient("Resize", stop=(1, 2, 3), differs="generated, but no kernel on CPU runs it")
def resize(s: Scope) -> None:
    """dX = dY times the matrix M of each resampled axis, where Y = M X along it: a constant where the sizes are known.

    ORT has ResizeGrad for this, without a CPU kernel.
    """
    transposed = _transposed(s)
    if not transposed:
        s.emit("Identity", [s.GO(0)], [s.GI(0)])
    value = s.GO(0)
    for count, (axis, matrix) in enumerate(transposed.items(), 1):
        output = s.GI(0) if count == len(transposed) else s.helper(f"without_axis_{axis}")
        value = _along(s, value, axis, matrix, output)


def _along(s: Scope, value: str, axis: int, transposed: str, output: str) -> str:
    """output = value times the matrix along the axis."""
    rank = len(s.shape(s.I(0)))
    if axis == rank - 2:
        return s.emit("MatMul", [transposed, value], [output])
    matrix = s.emit("Transpose", [transposed], [s.helper(f"matrix_{axis}")], perm=(1, 0))
    if axis == rank - 1:
        return s.emit("MatMul", [value, matrix], [output])
    swapped = list(range(rank))
    swapped[axis], swapped[-1] = swapped[-1], swapped[axis]
    turned = s.emit("Transpose", [value], [s.helper(f"turned_{axis}")], perm=tuple(swapped))
    product = s.emit("MatMul", [turned, matrix], [s.helper(f"product_{axis}")])
    return s.emit("Transpose", [product], [output], perm=tuple(swapped))


def _transposed(s: Scope) -> dict[int, str]:
    """{axis: its matrix, transposed} for the axes that the node changes."""
    samplings = _samplings(s)
    if samplings is None:
        return _at_run_time(s)
    found = {}
    for axis, sampling in samplings.items():
        size = s.shape(s.I(0))[axis]
        assert isinstance(size, int), "an axis that is resampled has a known size"
        matrix = sampling.matrix(size).astype(NUMPY_DTYPES[s.element(s.I(0))])
        found[axis] = s.constant(f"transposed_{axis}", np.ascontiguousarray(matrix.T))
    return found


def _at_run_time(s: Scope) -> dict[int, str]:
    """For pictures (N, C, ..) of any size. Raises InvalidInputError for a crop, an aspect ratio to be kept, and other axes."""
    shape, result = s.shape(s.I(0)), s.shape(s.O(0))
    axes: tuple[int, ...] = tuple(axis % len(shape) for axis in s.attribute("axes", tuple(range(len(shape)))))
    spatial = {axis: index for index, axis in enumerate(axes) if axis >= 2}
    refused = (
        s.attribute("keep_aspect_ratio_policy", "stretch") != "stretch",
        s.attribute("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize",
        "scales" in s.node.attributes,
        "axes" in s.node.attributes and len(spatial) < len(axes),
    )
    if any(refused):
        raise InvalidInputError(
            f"The gradient of {s.node.label} must know the sizes of {s.I(0)!r} and its scales; give the model fixed ones."
        )
    return {
        axis: matrix_at_run_time(s, axis, index) for axis, index in spatial.items() if shape[axis] is None or shape[axis] != result[axis]
    }


def _samplings(s: Scope) -> dict[int, Sampling] | None:
    """The sampling of each axis that the node changes, None where not all is known. Axes that keep a symbolic size count as 1."""
    shape = s.shape(s.I(0))
    old = s.node.since_version < ROI_SINCE
    roi, scales, sizes = (None, s.I(1), "") if old else (s.constants.get(s.I(1)), s.I(2), s.I(3))
    axes: tuple[int, ...] = s.attribute("axes", tuple(range(len(shape))))
    policy, targets = s.attribute("keep_aspect_ratio_policy", "stretch"), None
    factors = np.array(s.attribute("scales", ()), np.float32) if "scales" in s.node.attributes else s.constants.get(scales)
    if factors is None or not factors.size:
        factors, targets = None, _sizes(s, axes, s.constants.get(sizes), policy)
        if targets is None:
            return None
    elif any(not isinstance(shape[axis], int) and factor != 1 for axis, factor in zip(axes, factors, strict=True)):
        return None
    if s.I(1) and not old and roi is None:
        return None
    known = [size if isinstance(size, int) else 1 for size in shape]
    return axis_samplings(known, roi, factors, targets, _method(s, old), axes, policy)


def _sizes(s: Scope, axes: tuple[int, ...], wanted: np.ndarray | None, policy: str) -> np.ndarray | None:
    """The sizes that the axes get, as far as all are known; 1 for one that keeps a symbolic size, as batch and channels do."""
    shape, result = s.shape(s.I(0)), s.shape(s.O(0))
    if policy != "stretch":
        return wanted if all(isinstance(shape[axis], int) for axis in axes) else None
    found = []
    for axis in axes:
        size, target = shape[axis], result[axis]
        if isinstance(size, int) and isinstance(target, int):
            found.append(target)
        elif (size is not None and size == target) or axis < 2:
            found.append(size if isinstance(size, int) else 1)
        else:
            return None
    return np.array(found)


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
