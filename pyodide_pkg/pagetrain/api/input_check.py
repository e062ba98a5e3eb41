"""checked(): does an array fit what the graph says of a value?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError
from ..graph import NUMPY_DTYPES, Shape, TensorType, ValueInfo


def checked_feeds(feeds: Any) -> Mapping[str, Any]:
    """The feeds themselves. Raises InvalidInputError unless they are a mapping."""
    if not isinstance(feeds, Mapping):
        raise InvalidInputError(f"Inputs are handed in as {{name: array}}, got {type(feeds).__name__}.")
    return feeds


def checked(what: str, given: Any, value: ValueInfo | None, sizes: dict[str, tuple[int, str]]) -> np.ndarray:
    """`given` as an array, if it has the element type and shape of `value`; a value without type fits all.

    Lists of numbers have no element type; as in onnxruntime they get the value's, but only if that holds them all.

    what: how messages name it, "Input 'x'". sizes: symbolic dimension -> (size, what set it); the first input with "batch" sets it for
    those checked later in the same call. Raises InvalidInputError, ShapeMismatchError with what was expected and what came.
    """
    array = _array(what, given)
    if value is None or not isinstance(value.type, TensorType):
        return array
    dtype = NUMPY_DTYPES.get(value.type.element)
    if dtype is not None and isinstance(given, list | tuple | int | float):
        array = _converted(array, dtype)
    if dtype is not None and array.dtype != dtype:
        raise InvalidInputError(f"{what} must be {dtype}, got {array.dtype} {array.shape}; convert it with astype(np.{dtype}).")
    if value.type.shape is not None:
        _check_shape(what, array.shape, value.type.shape, sizes)
    return array


def _array(what: str, given: Any) -> np.ndarray:
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:  # a list of lists of several lengths, mostly
        raise InvalidInputError(f"{what} must be an array, and is none: {error}") from error


def _converted(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The numbers in that type; as they are where it would change them by more than a rounding."""
    if numbers.dtype.kind not in "biuf":
        return numbers
    with np.errstate(all="ignore"):
        converted = numbers.astype(dtype)
    held = converted == numbers if dtype.kind in "biu" else np.isfinite(converted) == np.isfinite(numbers)
    return converted if held.all() else numbers


def _check_shape(what: str, got: tuple[int, ...], expected: Shape, sizes: dict[str, tuple[int, str]]) -> None:
    if len(got) != len(expected):
        raise ShapeMismatchError(f"{what} must have {len(expected)} axes, {_text(expected)}, got shape {got}.")
    for axis, (size, wanted) in enumerate(zip(got, expected, strict=True)):
        if isinstance(wanted, int) and size != wanted:
            raise ShapeMismatchError(f"{what} must have shape {_text(expected)}, got {got}: axis {axis} is {size} instead of {wanted}.")
        if isinstance(wanted, str):
            known, setter = sizes.setdefault(wanted, (size, what))
            if size != known:
                raise ShapeMismatchError(f"{what} {got} has {wanted} = {size} at axis {axis}; {setter} has {known}.")


def _text(shape: Shape) -> str:
    return f"({', '.join('?' if size is None else str(size) for size in shape)})"
