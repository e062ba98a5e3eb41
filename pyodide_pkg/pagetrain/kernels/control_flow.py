"""If and Loop. Their sub-graphs are functions of their own inputs; what these read from outside is already in them, see executor.run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np

from ..errors import InvalidInputError
from .registry import kernel

Arrays = tuple[np.ndarray, ...]


@kernel("If", since=1, any_type=True)
def if_(cond: np.ndarray, *, else_branch: Callable[[], Arrays], then_branch: Callable[[], Arrays]) -> Arrays:
    """outputs = then_branch() where cond holds, else else_branch(). cond: one bool. Source: ONNX If-1 to -25."""
    return then_branch() if cond.item() else else_branch()


@kernel("Loop", since=1, told=("output_count",), any_type=True)
def loop(
    M: np.ndarray | None = None,
    cond: np.ndarray | None = None,
    *v_initial: np.ndarray,
    body: Callable[..., Arrays],
    output_count: int,
) -> Arrays:
    """(values at the end, stacked outputs): cond, values, outputs[t] = body(t, cond, values) while cond, for at most M steps t.

    Source: ONNX Loop-1 to -25. Raises InvalidInputError for no steps of a body with outputs: they have no shape then, as in Scan.
    """
    values, going, rows = v_initial, cond is None or bool(cond.item()), []
    for step in count() if M is None else range(int(M.item())):
        if not going:
            break
        proceed, *results = body(np.array(step, np.int64), np.array(True), *values)
        values, going = tuple(results[: len(v_initial)]), bool(proceed.item())
        rows.append(results[len(v_initial) :])
    if not rows and output_count > len(v_initial):
        raise InvalidInputError("the loop makes no step, so its stacked outputs have no shape.")
    return (*values, *(np.stack(column) for column in zip(*rows, strict=True)))
