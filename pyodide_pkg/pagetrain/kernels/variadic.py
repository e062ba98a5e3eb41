"""Ops of any number of operands, with numpy broadcasting: Sum, Mean, Max, Min."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .registry import kernel
from .spare import Spare, room, room_for_floats

Result = tuple[np.ndarray, ...]
_ALL = range(1 << 31)


@kernel("Sum", since=6, spares=_ALL)
def sum_(*data_0: np.ndarray, spare: Spare = ()) -> Result:
    """sum = data_0[0] + data_0[1] + ... Source: ONNX Sum-6, -8, -13."""
    return (_combined(np.add, data_0, spare),)


@kernel("Mean", since=6, spares=_ALL)
def mean(*data_0: np.ndarray, spare: Spare = ()) -> Result:
    """mean = (data_0[0] + data_0[1] + ...) / their number. Source: ONNX Mean-6, -8, -13."""
    total = _combined(np.add, data_0, spare)
    return (np.divide(total, len(data_0), out=room_for_floats((0,) if len(data_0) > 1 else spare, total)),)


@kernel("Max", since=6, spares=_ALL)
def max_(*data_0: np.ndarray, spare: Spare = ()) -> Result:
    """max = the largest of each place; NaN where one is NaN. Source: ONNX Max-6, -8, -12, -13."""
    return (_combined(np.maximum, data_0, spare),)


@kernel("Min", since=6, spares=_ALL)
def min_(*data_0: np.ndarray, spare: Spare = ()) -> Result:
    """min = the smallest of each place; NaN where one is NaN. Source: ONNX Min-6, -8, -12, -13."""
    return (_combined(np.minimum, data_0, spare),)


def _combined(combine: np.ufunc, operands: Sequence[np.ndarray], spare: Spare) -> np.ndarray:
    """All of them, from the left; what was made of the first ones is gone over."""
    total, is_spare = operands[0], 0 in spare
    for position, operand in enumerate(operands[1:], 1):
        either = [place for place, is_free in enumerate((is_spare, position in spare)) if is_free]
        total, is_spare = combine(total, operand, out=room(either, total, operand)), True
    return total
