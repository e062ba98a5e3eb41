"""ScatterElements (Scatter) and ScatterND."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.indices import Places, along, tuples
from pagetrain.kernels.registry import kernel, per_element

Result = tuple[np.ndarray, ...]
_REDUCTIONS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@kernel("Scatter", since=9, workspace=per_element({1: 15}))
def scatter_9(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, axis: int = 0) -> Result:
    """As ScatterElements-11. Source: ONNX Scatter-9."""
    return scatter_elements(data, indices, updates, axis=axis)


@kernel("ScatterElements", since=11, workspace=per_element({1: 15}))
def scatter_elements_11(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, axis: int = 0) -> Result:
    """output = data, but output[indices[i, j, ..], j, ..] = updates[i, j, ..] for axis 0. Source: ONNX ScatterElements-11, -13."""
    return scatter_elements(data, indices, updates, axis=axis)


@kernel("ScatterElements", since=16, workspace=per_element({1: 15}))
def scatter_elements(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, axis: int = 0, reduction: str = "none") -> Result:
    """As ScatterElements-11; `reduction` joins an update with what is there: add, mul, max, min. Source: ONNX ScatterElements-16, -18."""
    return (_scattered(data, along(data.shape, indices, axis), updates, reduction),)


@kernel("ScatterND", since=11)
def scatter_nd_11(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> Result:
    """output = data, but output[indices[i..]] = updates[i..], the last axis of indices being a place. Source: ONNX ScatterND-11, -13."""
    return scatter_nd(data, indices, updates)


@kernel("ScatterND", since=16)
def scatter_nd(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, reduction: str = "none") -> Result:
    """As ScatterND-11; `reduction` joins an update with what is there: add, mul, max, min. Source: ONNX ScatterND-16, -18."""
    return (_scattered(data, tuples(data.shape, indices), updates, reduction),)


def _scattered(data: np.ndarray, places: Places, updates: np.ndarray, reduction: str) -> np.ndarray:
    """A copy of data with the updates at their places; without a reduction the last of several wins."""
    result = data.copy()
    if reduction == "none":
        result[places] = updates
    elif reduction in _REDUCTIONS:
        _REDUCTIONS[reduction].at(result, places, updates)
    else:
        raise InvalidInputError(f"The reduction {reduction!r} is not known; use none or one of {', '.join(_REDUCTIONS)}.")
    return result
