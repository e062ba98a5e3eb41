"""bfloat16, which numpy has not: calculated in float32 and rounded once for each op, as onnxruntime does where it has no kernel for it."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from ..graph import NUMPY_DTYPES, ElementType
from .registry import Arrays, KernelFunction

BFLOAT16 = NUMPY_DTYPES.get(ElementType.BFLOAT16)  # None without ml_dtypes


def by_float32(run: KernelFunction) -> KernelFunction:
    """The kernel for bfloat16, too: such inputs become float32, and then the float32 results bfloat16. Other calls stay as they are."""
    if BFLOAT16 is None:
        return run

    @wraps(run)
    def widened(*inputs: Any, **attributes: Any) -> Arrays:
        if not any(_is(value, BFLOAT16) for value in inputs):
            return run(*inputs, **attributes)
        results = run(*(value.astype(np.float32) if _is(value, BFLOAT16) else value for value in inputs), **attributes)
        return tuple(value.astype(BFLOAT16) if _is(value, np.dtype(np.float32)) else value for value in results)

    return widened


def _is(value: Any, dtype: np.dtype | None) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == dtype
