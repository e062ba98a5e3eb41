"""Which memory a step may write its result into: that of an input that it is the last to read, and that nobody else holds.

Whether somebody does is known by CPython itself, when the step runs: an array that only the pass refers to is no feed, no initializer, no
fetch, nothing that an outer graph, a sequence or a backend keeps, and no view looks into it, since views refer to what they lie in. So no
kernel need say what it returns, and one that returns its input, or a part of it, by surprise does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from sys import getrefcount
from typing import Any

import numpy as np

Candidates = tuple[tuple[int, str], ...]  # (input position, value)

# Below, a new array costs less than to find out that none is needed, and there is no memory to speak of.
SMALLEST = 1 << 17  # bytes
_HALF = 2  # bytes of an element: half precision is calculated on copies in float32, see kernels/_half_precision.py


def candidates(positions: Collection[int], inputs: Sequence[str], dying: Collection[str]) -> Candidates:
    """The inputs at these positions that are `dying`: values that the pass made and the step is the last to read, but not twice."""
    return tuple((at, name) for at, name in enumerate(inputs) if at in positions and name in dying and inputs.count(name) == 1)


def is_worth(size: int, itemsize: int) -> bool:
    """Whether it is tried for an array of so many bytes, and so many to the element."""
    return size >= SMALLEST and itemsize != _HALF


def unshared(values: Mapping[str, Any], inputs: Sequence[Any], among: Candidates) -> Sequence[int]:
    """The positions of those of the candidates that `values` and `inputs` alone refer to, each once."""
    found = []
    for at, name in among:  # no variable for the array: it would be a reference, too; the size first: most graphs' arrays are small
        is_large = type(inputs[at]) is np.ndarray and inputs[at].nbytes >= SMALLEST and is_worth(inputs[at].nbytes, inputs[at].itemsize)
        if is_large and _references(values, name) == _ALONE and _is_own(inputs[at]):
            found.append(at)
    return found


def _references(values: Mapping[str, Any], name: str) -> int:
    return getrefcount(values[name])


def _is_own(value: np.ndarray) -> bool:
    """Whether it may be written, and is all of its memory: it owns that, or is the one view of all of an array that does, not backwards."""
    if value.base is None or not value.flags.writeable:
        return value.flags.writeable
    if _base_references(value) != _BASE_ALONE or type(value.base) is not np.ndarray:
        return False
    return value.base.flags.owndata and value.base.nbytes == value.nbytes and min(value.strides, default=0) >= 0


def _base_references(view: np.ndarray) -> int:
    return getrefcount(view.base)


def _counted() -> tuple[int, int]:
    """What this interpreter counts for an array that is in `values` and `inputs` alone, and for one that a single view lies in."""
    values = {"": np.empty((1, 1))[:]}
    inputs = [values[""]]
    return _references(values, ""), _base_references(inputs[0])


_ALONE, _BASE_ALONE = _counted()
