"""float16 and bfloat16: calculated in float32 and rounded once for each op, as onnxruntime does on processors without kernels for them.

numpy has no bfloat16, and multiplies float16 without BLAS: ten to a hundred times slower than float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

import numpy as np

from ..graph import NUMPY_DTYPES, ElementType
from .registry import Arrays, KernelFunction

HALVES = tuple(NUMPY_DTYPES[element] for element in (ElementType.FLOAT16, ElementType.BFLOAT16) if element in NUMPY_DTYPES)
NUMBERS = (np.ndarray, np.generic)  # numpy gives one number without axes as a scalar of its own
WIDE = np.dtype(np.float32)


def widened(value: Any) -> Any:
    """The value, in float32 where it is half precision."""
    return value.astype(WIDE) if _is_half(value) else value


def by_float32(run: KernelFunction, typed_by: Sequence[int] = ()) -> KernelFunction:
    """The kernel for half precision, too: such inputs become float32, and a float32 result gets the type back that the op says it has.

    That is the type of the first input of floats, or of the one at typed_by[position of the result]; and what this one has of its own where
    it is no half precision: a float32 number to the power of a float16 one stays float32. Calls without such inputs stay as they are.
    """

    @wraps(run)
    def run_wide(*inputs: Any, **attributes: Any) -> Arrays:
        for value in inputs:  # nearly always none is: no generator here, it would cost a tenth of a small step
            if isinstance(value, NUMBERS) and value.dtype.itemsize == 2 and value.dtype in HALVES:
                break
        else:
            return run(*inputs, **attributes)
        results = run(*map(widened, inputs), **attributes)
        with np.errstate(over="ignore"):  # beyond 65504 is infinity
            return tuple(_narrowed(value, inputs, typed_by[at : at + 1]) for at, value in enumerate(results))

    return run_wide


def _narrowed(result: Any, inputs: Sequence[Any], typed_by: Sequence[int]) -> Any:
    """The result, in half precision where the input at this position is, or the first one of floats if none is said or given."""
    said = [inputs[at] for at in typed_by if at < len(inputs)]
    model = next((value for value in (*said, *inputs) if _is_half(value) or _is_float(value)), None)
    narrows = _is_half(model) and isinstance(result, NUMBERS) and result.dtype == WIDE
    return result.astype(model.dtype) if model is not None and narrows else result


def _is_half(value: Any) -> bool:
    return isinstance(value, NUMBERS) and value.dtype in HALVES


def _is_float(value: Any) -> bool:
    return isinstance(value, NUMBERS) and value.dtype.kind == "f"
