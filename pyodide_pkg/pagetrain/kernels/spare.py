"""room(): where an elementwise kernel may write its result instead of into a new array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Spare = Sequence[int]  # positions of inputs that nobody will read any more, in memory that is theirs alone: see spare_memory.py


def room(spare: Spare, *operands: np.ndarray) -> np.ndarray | None:
    """The operand that can hold what a ufunc makes of them all, for its `out`; None: numpy is to make a new array.

    spare: which of the operands may be written. It has the result's shape and element type, and its elements lie as those of a new array
    would, because the last bits of later sums hang on that.
    """
    for position in spare:
        own = operands[position]
        if type(own) is np.ndarray and all(other is own or _goes_into(other, own) for other in operands):
            return own
    return None


def room_for_floats(spare: Spare, X: np.ndarray) -> np.ndarray | None:
    """The same for a function of X that makes floats of whole numbers."""
    return room(spare, X) if spare and X.dtype.kind == "f" else None


def room_alike(spare: Spare, *operands: np.ndarray) -> np.ndarray | None:
    """The same where the elements of all operands must lie in the same order."""
    return room(spare, *operands) if spare and len({(own.shape, own.strides) for own in operands}) == 1 else None


def _goes_into(other: np.ndarray, own: np.ndarray) -> bool:
    """Whether `other` is broadcast to `own` without any change of own's shape, type or memory order."""
    if other.dtype != own.dtype:
        return False
    if other.shape == own.shape and other.strides == own.strides:
        return True
    if other.ndim > own.ndim or any(size not in (1, full) for size, full in zip(other.shape[::-1], own.shape[::-1], strict=False)):
        return False
    # numpy lays the result in C order if one operand demands it; numbers along one axis demand nothing.
    return own.flags.c_contiguous or sum(size > 1 for size in other.shape) <= 1
