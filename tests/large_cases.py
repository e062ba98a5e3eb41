"""Op cases with one of their sizes made large, as plans of one step: for what shows only where arrays outweigh all else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagetrain import executor
from pagetrain.graph import ELEMENT_TYPES, Attribute, AttributeType, Graph, Node, Tensor, TensorType, ValueInfo
from pagetrain.plan import Plan, bind
from tests.cases.case import Case

LARGE = 1_000_000  # bytes that the largest array has at least, where the case lets it grow so far
_GROWN = (4, 16, 64, 256, 1024, 4096, 16384)
_MOST = 8_000_000  # bytes of all inputs
_SHAPE_LIKE = 64  # elements of a list of whole numbers: axes, a shape, lengths


@dataclass(frozen=True)
class Large:
    """`name`: which size was made how many times as large. given: {input that tells shapes or counts: itself}."""

    case: Case
    name: str
    plan: Plan
    feeds: Mapping[str, Any]
    given: Mapping[str, Any]

    def run(self) -> dict[str, Any]:
        """One pass."""
        return executor.run(self.plan, self.feeds)


def large_cases(case: Case, *, constant: bool = False, half: bool = False) -> Iterator[Large]:
    """One for each size of the case that can grow alone. constant: all arrays but the first are initializers; half: float16 for float32."""
    arrays = [None if given is None else np.asarray(given) for given in case.inputs]
    sizes = sorted({size for array in arrays if array is not None and not _tells(array) for size in array.shape if size > 1})
    for size in sizes:
        found = None
        for times in _GROWN:
            grown = [array if array is None or _tells(array) else _tiled(array, size, times) for array in arrays]
            if sum(array.nbytes for array in grown if array is not None) > _MOST:
                break
            made = _large(case, f"{size}x{times}", grown, constant, half)
            try:
                results = made.run()
            except Exception:  # sizes hang on each other, or on an attribute
                break
            found = made if made.plan.steps else None
            if max(np.asarray(one).nbytes for one in (*(a for a in grown if a is not None), *results.values())) >= LARGE:
                break
        if found:
            yield found


def as_it_is(case: Case) -> Large:
    """The case in the sizes that it has."""
    return _large(case, "as it is", [None if given is None else np.asarray(given) for given in case.inputs], constant=False, half=False)


def _tells(array: np.ndarray) -> bool:
    return array.dtype.kind in "iub" and array.ndim < 2 and array.size <= _SHAPE_LIKE


def _tiled(array: np.ndarray, size: int, times: int) -> np.ndarray:
    return np.tile(array, [times if one == size else 1 for one in array.shape]) if array.ndim else array


def _large(case: Case, name: str, arrays: list[np.ndarray | None], constant: bool, half: bool) -> Large:
    named = {f"i{at}": array for at, array in enumerate(arrays) if array is not None}
    if half:
        named = {name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in named.items()}
    telling = [name for name, array in named.items() if _tells(array)]
    others = [name for name in named if name not in telling]
    kept = [] if not others else [*telling, *(others[1:] if constant else [])]  # else the step would be computed when it is bound
    fed = {name: array for name, array in named.items() if name not in kept}
    inputs = tuple(ValueInfo(name, TensorType(ELEMENT_TYPES[array.dtype], array.shape)) for name, array in fed.items())
    outputs = tuple(f"o{at}" for at in range(case.outputs))
    attributes = {name: _attribute(value) for name, value in case.attributes.items()}
    places = tuple(f"i{at}" if array is not None else "" for at, array in enumerate(arrays))
    node = Node(case.op_type, places, outputs, "node", case.domain, attributes, case.since)
    constants = tuple(Tensor(name, named[name]) for name in kept)
    plan = bind(Graph("large", (node,), inputs, tuple(ValueInfo(name, None) for name in outputs), constants))
    return Large(case, name, plan, fed, {name: fed[name] for name in telling if name in fed})


def _attribute(value: Any) -> Attribute:
    if isinstance(value, np.ndarray):
        return Attribute(AttributeType.TENSOR, Tensor("", value))
    if isinstance(value, tuple | list):
        kinds = {float: AttributeType.FLOATS, str: AttributeType.STRINGS}
        return Attribute(next((kinds[type(one)] for one in value if type(one) in kinds), AttributeType.INTS), tuple(value))
    kinds = {float: AttributeType.FLOAT, str: AttributeType.STRING, Graph: AttributeType.GRAPH}
    return Attribute(kinds.get(type(value), AttributeType.INT), value)
