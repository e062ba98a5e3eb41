"""converted(): an array as another element type, as ONNX's Cast says."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidInputError
from ..graph import ELEMENT_TYPES, NUMPY_DTYPES, ElementType

_FLOAT8_MAX = {
    ElementType.FLOAT8E4M3FN: 448.0,
    ElementType.FLOAT8E4M3FNUZ: 240.0,
    ElementType.FLOAT8E5M2: 57344.0,
    ElementType.FLOAT8E5M2FNUZ: 57344.0,
}
_E8M0_NAN, _E8M0_MAX = 255, 254
_FLOAT_BIAS = 127


def dtype_of(element: int) -> np.dtype:
    """The numpy type of an element type. Raises InvalidInputError for one that numpy has not, nor ml_dtypes, where it is installed."""
    if element not in NUMPY_DTYPES:
        supported = ", ".join(known.name for known in NUMPY_DTYPES)
        raise InvalidInputError(f"Cast to element type {element} is not supported; use one of {supported}.")
    return NUMPY_DTYPES[ElementType(element)]


def converted(X: np.ndarray, dtype: np.dtype, saturate: bool = True, round_mode: str = "up") -> np.ndarray:
    """X as `dtype`. Floats lose their fraction on the way to an integer, integers their upper bits on the way to a smaller one.

    A float beyond a small integer goes by way of int64, so that it too wraps around, on every platform alike; the specification leaves it
    open. saturate: a float beyond an 8-bit float becomes its largest number instead of NaN or infinity. round_mode: of 8-bit exponents
    (FLOAT8E8M0), which hold powers of two alone: up, down or nearest.
    """
    element = ELEMENT_TYPES.get(dtype)
    if element == ElementType.FLOAT8E8M0 and X.dtype != dtype:
        return _exponents(X.astype(np.float32), saturate, round_mode).view(dtype)
    if element in _FLOAT8_MAX and saturate and X.dtype != dtype:
        limit = _FLOAT8_MAX[element]
        return np.clip(X.astype(np.float32), -limit, limit).astype(dtype)
    if X.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < 4:
        return X.astype(np.int64).astype(dtype)
    return X.astype(dtype, copy=False)


def _exponents(X: np.ndarray, saturate: bool, round_mode: str) -> np.ndarray:
    """The biased exponent of each positive float32, rounded to a whole one; 255 stands for NaN."""
    bits = X.view(np.uint32)
    exponents, fractions = (bits >> 23 & 0xFF).astype(np.int32), bits & 0x7FFFFF
    if round_mode == "nearest":
        above = (fractions > 0x400000) | ((fractions == 0x400000) & (exponents > 0))
    else:
        above = (fractions > 0) & (round_mode == "up")
    rounded = exponents + above
    beyond = (rounded > _E8M0_MAX) & ~np.isnan(X)
    return np.where(np.isnan(X), _E8M0_NAN, np.where(beyond, _E8M0_MAX if saturate else _E8M0_NAN, rounded)).astype(np.uint8)
