"""The Tensor table, which models and checkpoints share: fields <-> numpy array."""

from __future__ import annotations

import math

import numpy as np

from ..errors import FormatError
from ..graph import ELEMENT_TYPES, NUMPY_DTYPES, ElementType
from ..packing import packed_size, restored, stored
from .tables import Fields

MAX_RANK = 32  # numpy 1's limit
_LIMIT = 2**31 - 1  # bytes, zero sizes not counted: numpy's own limit where sizes have 32 bits, as in Pyodide


def element_type(number: int, what: str) -> ElementType:
    """The element type that a file gives by number. `what` names the value in the error."""
    try:
        return ElementType(number)
    except ValueError:
        raise FormatError(f"{what} has the unknown element type {number}.") from None


def element_type_of(dtype: np.dtype) -> ElementType:
    """The element type of an array of that dtype that is to be written; dtype object holds texts."""
    return ElementType.STRING if dtype.hasobject else ELEMENT_TYPES[dtype]


def dtype_of(tensor: Fields, what: str) -> np.dtype:
    """The numpy dtype of a Tensor table."""
    element = element_type(tensor["data_type"], what)
    if element == ElementType.STRING:
        return np.dtype(object)
    if element not in NUMPY_DTYPES:
        raise FormatError(f"{what} has element type {element.name}, which numpy has not; install ml_dtypes, or convert it to FLOAT first.")
    return NUMPY_DTYPES[element]


def to_array(tensor: Fields, what: str, external: memoryview | None = None) -> np.ndarray:
    """The tensor's values, read-only; they share the file's memory where they are aligned there. Raises FormatError.

    external: the content of the second file, of a checkpoint that has one.
    """
    offset = tensor["external_data_offset"]
    if offset != -1 and external is None:
        raise FormatError(f"{what} has its values in a second file (.data), which the checkpoint's path alone can name; give the path.")
    dtype, dims = dtype_of(tensor, what), _dims(tensor, what)
    if math.prod(max(size, 1) for size in dims) * dtype.itemsize > (_LIMIT if offset == -1 else np.iinfo(np.intp).max):
        raise FormatError(f"{what} has the impossible shape {dims}.")
    if dtype.hasobject:
        return _texts(tensor, dims, what)
    count = math.prod(dims)
    raw, expected = tensor["raw_data"], packed_size(dtype, count)
    if offset != -1 and external is not None:
        if not 0 <= offset <= len(external) - expected:
            raise FormatError(f"{what} has {expected} bytes from {offset} on in the .data file, which has {len(external)}; copy it again.")
        raw = external[offset : offset + expected]
    if raw is None or len(raw) != expected:
        found = "no values" if raw is None else f"{len(raw)} bytes of values"
        raise FormatError(f"{what} has {found}; its shape {dims} and type {dtype} need {expected} bytes.")
    return restored(raw, dtype, dims)


def _dims(tensor: Fields, what: str) -> tuple[int, ...]:
    dims = tensor["dims"]
    if dims is None:
        raise FormatError(f"{what} has no shape.")
    if len(dims) > MAX_RANK or min(dims, default=0) < 0:
        raise FormatError(f"{what} has an impossible shape of {len(dims)} dimensions: {str(dims[:MAX_RANK])[1:-1]}.")
    return tuple(dims)


def _texts(tensor: Fields, dims: tuple[int, ...], what: str) -> np.ndarray:
    texts = tensor["string_data"] or []
    if len(texts) != math.prod(dims):
        raise FormatError(f"{what} has {len(texts)} texts; its shape {dims} needs {math.prod(dims)}.")
    array = np.empty(len(texts), object)
    array[:] = texts
    array = array.reshape(dims)
    array.flags.writeable = False
    return array


def to_fields(name: str, array: np.ndarray) -> Fields:
    """The Tensor table of an array."""
    fields = {"name": name, "dims": list(array.shape), "data_type": int(element_type_of(array.dtype))}
    if array.dtype.hasobject:
        return {**fields, "string_data": list(array.ravel())}
    return {**fields, "raw_data": stored(array)}


def nominal_fields(name: str, dtype: np.dtype) -> Fields:
    """The Tensor table of which only name and type are known."""
    return {"name": name, "dims": [], "data_type": int(element_type_of(dtype)), "raw_data": b""}
