"""If and Loop. Their sub-graphs are functions of their own inputs; what these read from outside is already in them, see executor.run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, SequenceType, TensorType
from pagetrain.kernels.registry import kernel

Arrays = tuple[np.ndarray, ...]


@kernel("If", since=1, any_type=True)
def if_(cond: np.ndarray, *, else_branch: Callable[[], Arrays], then_branch: Callable[[], Arrays]) -> Arrays:
    """outputs = then_branch() where cond holds, else else_branch(). cond: one bool. Source: ONNX If-1 to -25."""
    return then_branch() if cond.item() else else_branch()


@kernel("Loop", since=1, told=("body_types",), any_type=True)
def loop(
    M: np.ndarray | None = None,
    cond: np.ndarray | None = None,
    *v_initial: np.ndarray,
    body: Callable[..., Arrays],
    body_types: Sequence[TensorType | SequenceType | None],
) -> Arrays:
    """(values at the end, stacked outputs): cond, values, outputs[t] = body(t, cond, values) while cond, for at most M steps t.

    Without any step the stacked outputs have no rows, and the type and sizes that the body declares, open ones being 0, as in onnxruntime.
    Source: ONNX Loop-1 to -25. Raises InvalidInputError where the body does not declare them.
    """
    values, going, rows = v_initial, cond is None or bool(cond.item()), list[Arrays]()
    for step in count() if M is None else range(int(M.item())):
        if not going:
            break
        proceed, *results = body(np.array(step, np.int64), np.array(True), *values)
        values, going = tuple(results[: len(v_initial)]), bool(proceed.item())
        rows.append(tuple(results[len(v_initial) :]))
    stacked = map(np.stack, zip(*rows, strict=True)) if rows else map(_nothing, body_types[1 + len(v_initial) :])
    return (*values, *stacked)


def _nothing(declared: TensorType | SequenceType | None) -> np.ndarray:
    """No rows of this type."""
    if not isinstance(declared, TensorType) or declared.element not in NUMPY_DTYPES:
        raise InvalidInputError("the loop makes no step, and its body declares no types of its outputs.")
    return np.empty((0, *(size if isinstance(size, int) else 0 for size in declared.shape or ())), NUMPY_DTYPES[declared.element])
