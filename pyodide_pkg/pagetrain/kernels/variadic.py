"""Ops of any number of operands, with numpy broadcasting: Sum, Mean, Max, Min."""

from __future__ import annotations

from functools import reduce

import numpy as np

from .registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("Sum", since=6)
def sum_(*data_0: np.ndarray) -> Result:
    """sum = data_0[0] + data_0[1] + ... Source: ONNX Sum-6, -8, -13."""
    return (reduce(np.add, data_0),)


@kernel("Mean", since=6)
def mean(*data_0: np.ndarray) -> Result:
    """mean = (data_0[0] + data_0[1] + ...) / their number. Source: ONNX Mean-6, -8, -13."""
    return (reduce(np.add, data_0) / len(data_0),)


@kernel("Max", since=6)
def max_(*data_0: np.ndarray) -> Result:
    """max = the largest of each place; NaN where one is NaN. Source: ONNX Max-6, -8, -12, -13."""
    return (reduce(np.maximum, data_0),)


@kernel("Min", since=6)
def min_(*data_0: np.ndarray) -> Result:
    """min = the smallest of each place; NaN where one is NaN. Source: ONNX Min-6, -8, -12, -13."""
    return (reduce(np.minimum, data_0),)
