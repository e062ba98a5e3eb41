"""TensorProto -> Tensor.

Source: field numbers of onnx.proto (onnx/onnx:onnx/onnx.proto), and which field holds which element type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError
from ..graph import NUMPY_DTYPES, ElementType, Tensor
from ..packing import is_packed, packed_size, restored
from ..protobuf import Message, message, signed_numbers
from .fields import number, octets, text, texts

MAX_RANK = 32  # numpy 1's limit
_MOST_BYTES = np.iinfo(np.intp).max  # zero sizes not counted
_FLOAT_DATA, _INT32_DATA, _INT64_DATA, _DOUBLE_DATA, _UINT64_DATA = 4, 5, 7, 10, 11
EXTERNAL = 1  # of data_location
_WIDE = {  # element types that do not stand in int32_data where a tensor has no raw_data
    ElementType.FLOAT: _FLOAT_DATA, ElementType.COMPLEX64: _FLOAT_DATA,
    ElementType.DOUBLE: _DOUBLE_DATA, ElementType.COMPLEX128: _DOUBLE_DATA,
    ElementType.INT64: _INT64_DATA, ElementType.UINT32: _UINT64_DATA, ElementType.UINT64: _UINT64_DATA,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A tensor whose values are in another file. `entries`: location, offset, length."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    entries: Mapping[str, str]


Values = Callable[[Elsewhere], np.ndarray]


def refuse_external(tensor: Elsewhere) -> np.ndarray:
    """Raises FormatError: the values are in a file, and nobody said in which folder."""
    raise FormatError(f"The tensor {tensor.name!r} has its values in a file beside the model's; give the path of the model instead.")


def read_tensor(fields: Message, external: Values) -> Tensor:
    """The Tensor, read-only. Its values are a copy: a model does not hold its file. external: the values of one that has them elsewhere.

    Raises FormatError for an element type that numpy has not, and for values of another size than the shape says.
    """
    name, shape = text(fields, 8), tuple(signed_numbers(fields.get(1, [])).tolist())
    dtype = _dtype(number(fields, 2), name)
    if min(shape, default=0) < 0 or len(shape) > MAX_RANK or math.prod(max(size, 1) for size in shape) * dtype.itemsize > _MOST_BYTES:
        raise FormatError(f"The tensor {name!r} has the impossible shape {shape[:MAX_RANK]}.")
    if number(fields, 14) == EXTERNAL:
        entries = [message(octets(entry)) for entry in fields.get(13, [])]
        data = external(Elsewhere(name, dtype, shape, {text(entry, 1): text(entry, 2) for entry in entries}))
    elif dtype.hasobject:
        data = _texts(fields, name, shape)
    else:
        data = restored(_raw(fields, name, dtype, math.prod(shape)), dtype, shape)
    return Tensor(name, data, text(fields, 12))


def _dtype(number: int, name: str) -> np.dtype:
    try:
        element = ElementType(number)
    except ValueError:
        raise FormatError(f"The tensor {name!r} has the unknown element type {number}.") from None
    if element == ElementType.STRING:
        return np.dtype(object)
    if element not in NUMPY_DTYPES:
        raise FormatError(f"The tensor {name!r} holds {element.name}, which numpy has not; install ml_dtypes, or convert it first.")
    return NUMPY_DTYPES[element]


def _texts(fields: Message, name: str, shape: tuple[int, ...]) -> np.ndarray:
    found = texts(fields, 6)
    if len(found) != math.prod(shape):
        raise FormatError(f"The tensor {name!r} has {len(found)} texts; its shape {shape} needs {math.prod(shape)}.")
    array = np.empty(len(found), object)
    array[:] = found
    array.flags.writeable = False
    return array.reshape(shape)


def _raw(fields: Message, name: str, dtype: np.dtype, count: int) -> bytes:
    """The values as raw_data holds them, of the size that the shape asks for."""
    raw = bytes(octets(fields[9][-1])) if 9 in fields else b""
    raw = raw or _typed(fields, dtype, count)
    expected = packed_size(dtype, count)
    if len(raw) != expected:
        raise FormatError(f"The tensor {name!r} has {len(raw)} bytes of values; its shape and type {dtype} need {expected} bytes.")
    return raw


def _typed(fields: Message, dtype: np.dtype, count: int) -> bytes:
    """The values of the field that is meant for their type, as raw_data holds them."""
    field = next((field for element, field in _WIDE.items() if NUMPY_DTYPES[element] == dtype), _INT32_DATA)
    values = fields.get(field, [])
    if field in (_FLOAT_DATA, _DOUBLE_DATA):
        return b"".join(octets(value) for value in values)  # packed or not: one little-endian number behind the other
    integers = signed_numbers(values)
    if is_packed(dtype):  # each number of int32_data is one byte of raw_data
        return integers.astype(np.uint8).tobytes()
    width = np.dtype(f"<u{dtype.itemsize}")  # bits of floats as of integers
    return integers.astype(width).tobytes()
