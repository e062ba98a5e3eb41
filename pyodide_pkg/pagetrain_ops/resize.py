"""Resize and its forerunner Upsample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import Specs, kernel

from ._resampling import SIMPLE, Method, Sampling, sampling

Result = tuple[np.ndarray, ...]


def _of_resize(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the picture with one axis left to do, and of what is added up where elements are mixed."""
    return int(outputs[0].nbytes * (0.5 if attributes.get("mode", "nearest") == "nearest" else 2)) if outputs[0] else 0


@kernel("Upsample", since=7, workspace=_of_resize)
def upsample_7(X: np.ndarray, *, mode: str = "nearest", scales: Sequence[float]) -> Result:
    """As Resize-10. Source: ONNX Upsample-7."""
    return resize_10(X, np.asarray(scales, np.float32), mode=mode)


@kernel("Upsample", since=9, workspace=_of_resize)
def upsample(X: np.ndarray, scales: np.ndarray, *, mode: str = "nearest") -> Result:
    """As Resize-10. Source: ONNX Upsample-9."""
    return resize_10(X, scales, mode=mode)


@kernel("Resize", since=10, workspace=_of_resize)
def resize_10(X: np.ndarray, scales: np.ndarray, *, mode: str = "nearest") -> Result:
    """As Resize-18 with asymmetric coordinates. Source: ONNX Resize-10."""
    return (_resized(X, axis_samplings(X.shape, None, scales, None, Method(mode, "asymmetric", SIMPLE)), 0.0),)


@kernel("Resize", since=11, workspace=_of_resize)
def resize_11(
    X: np.ndarray,
    roi: np.ndarray,
    scales: np.ndarray,
    sizes: np.ndarray | None = None,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Result:
    """As Resize-18 over all axes. Source: ONNX Resize-11."""
    method = Method(mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, bool(exclude_outside))
    return (_resized(X, axis_samplings(X.shape, roi, scales, sizes, method), extrapolation_value),)


@kernel("Resize", since=13, workspace=_of_resize)
def resize_13(
    X: np.ndarray,
    roi: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Result:
    """As Resize-18 over all axes. Source: ONNX Resize-13."""
    method = Method(mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, bool(exclude_outside))
    return (_resized(X, axis_samplings(X.shape, roi, scales, sizes, method), extrapolation_value),)


@kernel("Resize", since=18, workspace=_of_resize)
def resize(
    X: np.ndarray,
    roi: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
    *,
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Result:
    """Y = X with each of `axes` (default: all) resampled by its scale, or to its size. Source: ONNX Resize-18, -19.

    What lies outside of roi's crop is extrapolation_value, with coordinate_transformation_mode tf_crop_and_resize alone.
    """
    method = Method(mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, bool(exclude_outside), bool(antialias))
    samplings = axis_samplings(X.shape, roi, scales, sizes, method, axes, keep_aspect_ratio_policy)
    return (_resized(X, samplings, extrapolation_value),)


def axis_samplings(
    shape: Sequence[int],
    roi: np.ndarray | None,
    scales: np.ndarray | None,
    sizes: np.ndarray | None,
    method: Method,
    axes: Sequence[int] | None = None,
    policy: str = "stretch",
) -> dict[int, Sampling]:
    """{axis: its sampling} for each axis that does not stay as it is. Raises InvalidInputError when neither scales nor sizes are given."""
    places = [axis % len(shape) for axis in (range(len(shape)) if axes is None else axes)]
    factors, targets = targets_of([shape[axis] for axis in places], scales, sizes, policy)
    crop = method.coordinates == "tf_crop_and_resize" and roi is not None and roi.size
    found = {}
    for index, axis in enumerate(places):
        part = (float(roi[index]), float(roi[index + len(places)])) if crop and roi is not None else (0.0, 1.0)
        if factors[index] != 1 or targets[index] != shape[axis] or part != (0.0, 1.0):
            found[axis] = sampling(shape[axis], targets[index], factors[index], method, part)
    return found


def targets_of(shape: Sequence[int], scales: np.ndarray | None, sizes: np.ndarray | None, policy: str) -> tuple[list[float], list[int]]:
    """Scale and output size of each axis; a policy other than stretch takes one scale for all."""
    if scales is not None and scales.size:
        return [float(scale) for scale in scales], [
            int(np.floor(np.float32(scale) * np.float32(size))) for scale, size in zip(scales, shape, strict=True)
        ]
    if sizes is None or not sizes.size:
        raise InvalidInputError("Resize needs scales or sizes, got neither.")
    factors = [int(target) / size for target, size in zip(sizes, shape, strict=True)]
    if policy == "stretch":
        return factors, [int(target) for target in sizes]
    factor = min(factors) if policy == "not_larger" else max(factors)
    return [factor] * len(shape), [int(np.floor(factor * size + 0.5)) for size in shape]


def _resized(X: np.ndarray, samplings: dict[int, Sampling], extrapolation_value: float) -> np.ndarray:
    for axis, axis_sampling in samplings.items():
        X = axis_sampling.apply(X, axis)
    for axis, axis_sampling in samplings.items():
        if axis_sampling.outside is not None and axis_sampling.outside.any():
            outside = axis_sampling.outside.reshape(-1, *[1] * (X.ndim - 1 - axis))
            X = np.where(outside, np.asarray(extrapolation_value, X.dtype), X)
    return X
