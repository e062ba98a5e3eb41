"""ValueInfoProto -> ValueInfo.

Source: field numbers of onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from ..errors import FormatError
from ..graph import NAMELESS, Dimension, ElementType, SequenceType, TensorType, ValueInfo
from ..protobuf import Message
from .fields import messages, number, single, text

_TENSOR, _SEQUENCE = 1, 4
_OTHERS = {5: "map", 7: "opaque", 8: "sparse tensor", 9: "optional"}


def read_value_info(fields: Message) -> ValueInfo:
    """Name and type of a value; no type where the file says none. Raises FormatError for maps, optional and sparse ones."""
    name, kind = text(fields, 1), single(fields, 2) or {}
    known: TensorType | SequenceType | None = None
    if others := [word for field, word in _OTHERS.items() if field in kind]:
        raise FormatError(f"The value {name!r} is of kind {others[0]}; pagetrain has tensors and sequences of tensors.")
    if tensor := single(kind, _TENSOR):
        known = _tensor_type(tensor, name) if number(tensor, 1) else None
    elif (sequence := single(kind, _SEQUENCE)) is not None:
        known = SequenceType(_tensor_type(_element(sequence, name), name))
    return ValueInfo(name, known, text(fields, 3))


def _element(sequence: Message, name: str) -> Message:
    tensor = single(single(sequence, 1) or {}, _TENSOR)
    if tensor is None:
        raise FormatError(f"The value {name!r} is a sequence of something else than tensors, which pagetrain has not.")
    return tensor


def _tensor_type(fields: Message, name: str) -> TensorType:
    shape = single(fields, 2)
    try:
        element = ElementType(number(fields, 1))
    except ValueError:
        raise FormatError(f"The value {name!r} is of the unknown element type {number(fields, 1)}.") from None
    return TensorType(element, None if shape is None else tuple(map(_dimension, messages(shape, 1))))


def _dimension(fields: Message) -> Dimension:
    if 1 in fields:
        size = number(fields, 1)
        return size if size >= 0 else None  # some exporters write -1 for a size that is open
    name = text(fields, 2)
    return None if name in NAMELESS else name
