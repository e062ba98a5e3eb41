"""float16 and bfloat16: calculated in float32 and rounded once for each op, as onnxruntime does on processors without kernels for them.

numpy has no bfloat16, and multiplies float16 without BLAS: ten to a hundred times slower than float32.
"""

from __future__ import annotations

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


def by_float32(run: KernelFunction) -> KernelFunction:
    """The kernel for half precision, too: such inputs become float32, and float32 results become of the first one's type.

    Calls without such inputs stay as they are.
    """

    @wraps(run)
    def run_wide(*inputs: Any, **attributes: Any) -> Arrays:
        for value in inputs:  # nearly always none is: no generator here, it would cost a tenth of a small step
            if isinstance(value, NUMBERS) and value.dtype.itemsize == 2 and value.dtype in HALVES:
                break
        else:
            return run(*inputs, **attributes)
        narrow = value.dtype
        results = run(*map(widened, inputs), **attributes)
        with np.errstate(over="ignore"):  # beyond 65504 is infinity
            return tuple(value.astype(narrow) if isinstance(value, NUMBERS) and value.dtype == WIDE else value for value in results)

    return run_wide


def _is_half(value: Any) -> bool:
    return isinstance(value, NUMBERS) and value.dtype in HALVES
