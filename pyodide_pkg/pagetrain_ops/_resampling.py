"""Resampling of one axis: which input elements an output element is made of, and how much of each.

Source: ONNX Resize-19. Coordinates are float32, as in onnxruntime: on ties between two neighbours the rounding decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pagetrain.errors import InvalidInputError

SIMPLE = "simple"  # the nearest_mode of versions before 11: down when growing, up when shrinking


@dataclass(frozen=True, slots=True)
class Sampling:
    """Output element i = sum of weights[i, t] * input element indices[i, t]; `outside`: those that lie beyond the input (crops alone)."""

    indices: np.ndarray
    weights: np.ndarray
    outside: np.ndarray | None = None

    def apply(self, X: np.ndarray, axis: int) -> np.ndarray:
        """X with this axis resampled; whole numbers lose their fraction."""
        if self.indices.shape[1] == 1:
            return np.take(X, self.indices[:, 0], axis)
        column = (-1, *[1] * (X.ndim - 1 - axis))
        weights = self.weights if X.dtype.kind != "f" else self.weights.astype(X.dtype)
        taps = zip(self.indices.T, weights.T, strict=True)
        return np.asarray(sum(np.take(X, places, axis) * weight.reshape(column) for places, weight in taps)).astype(X.dtype, copy=False)

    def matrix(self, size: int) -> np.ndarray:
        """(outputs, size): the linear map. Rows of outputs beyond the input are 0."""
        matrix = np.zeros((len(self.indices), size))
        np.add.at(matrix, (np.arange(len(self.indices))[:, None], self.indices), self.weights)
        if self.outside is not None:
            matrix[self.outside] = 0
        return matrix


@dataclass(frozen=True, slots=True)
class Method:
    """Resize's attributes that say how."""

    mode: str = "nearest"
    coordinates: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic_coeff_a: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False


def sampling(size: int, output_size: int, scale: float, method: Method, roi: tuple[float, float]) -> Sampling:
    """The sampling of an axis of `size` elements to output_size. Raises InvalidInputError for an unknown mode."""
    x = _coordinates(size, output_size, scale, method.coordinates, roi)
    outside = (x < 0) | (x > size - 1) if method.coordinates == "tf_crop_and_resize" else None
    if method.mode == "nearest":
        indices = np.clip(_nearest(x, scale, method.nearest), 0, size - 1).astype(np.intp)[:, None]
        return Sampling(indices, np.ones(indices.shape), outside)
    if method.mode not in ("linear", "cubic"):
        raise InvalidInputError(f"The mode {method.mode!r} of Resize is not known; use nearest, linear or cubic.")
    kernel, support = (_triangle, 1) if method.mode == "linear" else (partial(cubic, a=method.cubic_coeff_a), 2)
    width = min(scale, 1) if method.antialias else 1  # of the kernel in output elements: antialias stretches it over more input elements
    reach = int(np.ceil(support / width))
    indices = np.floor(x)[:, None] + np.arange(1 - reach, 1 + reach)
    weights = kernel((indices - x[:, None]) * width)
    if method.mode == "cubic" and method.exclude_outside:
        weights = np.where((indices < 0) | (indices >= size), 0, weights)
    if method.exclude_outside or method.antialias:
        weights = weights / weights.sum(axis=1, keepdims=True)
    return Sampling(np.clip(indices, 0, size - 1).astype(np.intp), weights, outside)


def _coordinates(size: int, output_size: int, scale: float, mode: str, roi: tuple[float, float]) -> np.ndarray:
    """Where each output element lies on the input axis.

    length is the specification's length_resized, scale * size with its fraction, as in onnx's node tests of align_corners and its
    reference; onnxruntime takes the whole number of elements for it.
    """
    i, factor = np.arange(output_size, dtype=np.float32), np.float32(scale)
    length = float(np.float32(scale * size))
    x: np.ndarray
    match mode:
        case "half_pixel":
            x = (i + 0.5) / factor - 0.5
        case "half_pixel_symmetric":
            x = size / 2 * (1 - output_size / (factor * size)) + (i + 0.5) / factor - 0.5
        case "pytorch_half_pixel":
            x = (i + 0.5) / factor - 0.5 if length > 1 else 0 * i
        case "align_corners":
            x = i * ((size - 1) / (length - 1)) if length > 1 else 0 * i
        case "asymmetric":
            x = i / factor
        case "tf_half_pixel_for_nn":
            x = (i + 0.5) / factor
        case "tf_crop_and_resize":
            start, end = roi
            x = (size - 1) * (start + i * ((end - start) / (length - 1)) if length > 1 else 0 * i + (start + end) / 2)
        case _:
            raise InvalidInputError(f"The coordinate_transformation_mode {mode!r} of Resize is not known.")
    return x


def _nearest(x: np.ndarray, scale: float, mode: str) -> np.ndarray:
    """Coordinates rounded to whole ones."""
    match mode:
        case "round_prefer_floor":
            return np.asarray(np.ceil(x - 0.5))
        case "round_prefer_ceil":
            return np.asarray(np.floor(x + 0.5))
        case "floor":
            return np.asarray(np.floor(x))
        case "ceil":
            return np.asarray(np.ceil(x))
        case _ if mode == SIMPLE:
            return np.asarray(np.ceil(x) if scale < 1 else np.floor(x))
    raise InvalidInputError(f"The nearest_mode {mode!r} of Resize is not known.")


def _triangle(distance: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(0, 1 - np.abs(distance)))


def cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' piecewise cubic: (a+2)d^3 - (a+3)d^2 + 1 up to 1, a d^3 - 5a d^2 + 8a d - 4a up to 2."""
    d = np.abs(distance)
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))
