"""TopK and Unique."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.registry import Specs, kernel

Result = tuple[np.ndarray, ...]


def _of_top(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the order of all elements, twice where it is read backwards."""
    return prod(inputs[0].shape) * (16 if attributes.get("largest", 1) else 9) if inputs[0] else 0


@kernel("TopK", since=1, workspace=_of_top)
def top_k_1(X: np.ndarray, *, axis: int = -1, k: int) -> Result:
    """As TopK-11, the largest in order. Source: ONNX TopK-1."""
    return _top(X, k, axis, largest=1)


@kernel("TopK", since=10, workspace=_of_top)
def top_k_10(X: np.ndarray, K: np.ndarray, *, axis: int = -1) -> Result:
    """As TopK-11, the largest in order. Source: ONNX TopK-10."""
    return _top(X, int(K.item()), axis, largest=1)


@kernel("TopK", since=11, workspace=_of_top)
def top_k(X: np.ndarray, K: np.ndarray, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Result:
    """Values = the K largest (smallest) elements along axis, in order; Indices = where they were, of equals the first.

    sorted=0 leaves the order free; it is the same here. Source: ONNX TopK-11, -24.
    """
    return _top(X, int(K.item()), axis, largest)


def _top(X: np.ndarray, k: int, axis: int, largest: int) -> Result:
    if largest:  # ascending and stable from the far end, read backwards: descending, equals in their order
        backwards = np.argsort(np.flip(X, axis), axis, kind="stable")
        indices = X.shape[axis] - 1 - np.flip(backwards, axis)
    else:
        indices = np.argsort(X, axis, kind="stable")
    first = np.take(indices, np.arange(k), axis)
    return np.take_along_axis(X, first, axis), first.astype(np.int64, copy=False)


@kernel("Unique", since=11)
def unique(X: np.ndarray, *, axis: int | None = None, sorted: int = 1) -> Result:
    """(Y, indices, inverse_indices, counts): the different elements of X, or its different slices along axis, ascending.

    indices: where each is first in X; inverse_indices: where each of X is in Y; all int64. sorted=0: in the order of first places.
    Source: ONNX Unique-11, -28.
    """
    Y, indices, inverse, counts = np.unique(X, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    inverse = inverse.ravel()  # numpy 2.0 gives it more axes
    if not sorted:
        order = np.argsort(indices)
        Y, indices, counts = np.take(Y, order, 0 if axis is None else axis), indices[order], counts[order]
        inverse = np.argsort(order)[inverse]
    return Y, indices.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
