"""The wire format of protobuf, as far as ONNX files need it: numbers, and fields that say their length.

Source: protobuf encoding, "Base 128 Varints", "Length-Delimited Records".
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from .errors import FormatError

_VARINT, _FIXED64, _LENGTH_DELIMITED, _FIXED32 = 0, 1, 2, 5  # wire types
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
_MOST_OCTETS = 10  # of a number of 64 bits
_NEGATIVE = 1 << 64  # a negative number is written as its 64-bit two's complement


def varint(value: int) -> bytes:
    """Base-128, low groups first."""
    value = value + _NEGATIVE if value < 0 else value
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*groups, value))


def number(field: int, value: int) -> bytes:
    """An integer or enum field."""
    return varint(field << 3 | _VARINT) + varint(value)


def float32(field: int, value: float) -> bytes:
    """A float field."""
    return varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def opening(field: int, length: int) -> bytes:
    """What stands before the `length` bytes of a text, bytes or message field."""
    return varint(field << 3 | _LENGTH_DELIMITED) + varint(length)


def content(field: int, value: bytes) -> bytes:
    """A bytes or message field."""
    return opening(field, len(value)) + value


def text(field: int, value: str) -> bytes:
    """A text field; nothing for an empty text, which is the default."""
    return content(field, value.encode()) if value else b""


Message = dict[int, list[int | memoryview]]


def message(*parts: memoryview) -> Message:
    """{field number: its values in order} of one message: ints as they stand (0 to 2**64 - 1), everything else as bytes.

    Several parts are one message, as protobuf merges them. The bytes are views of the parts. Raises FormatError for bytes that are no
    message.
    """
    found: Message = {}
    for part in parts:
        position, end = 0, len(part)
        while position < end:
            key, position = _read_varint(part, position)
            kind = key & 7
            value: int | memoryview
            if kind == _VARINT:
                value, position = _read_varint(part, position)
            else:
                size, position = _read_varint(part, position) if kind == _LENGTH_DELIMITED else (_FIXED_SIZES.get(kind, -1), position)
                if size < 0 or size > end - position:
                    raise FormatError(f"Field {key >> 3} of a message is cut short, or of the unknown kind {kind}.")
                value = part[position : position + size]
                position += size
            found.setdefault(key >> 3, []).append(value)
    return found


def _read_varint(data: memoryview, position: int) -> tuple[int, int]:
    """(number, position behind it)."""
    value = 0
    for shift, octet in enumerate(data[position : position + _MOST_OCTETS]):
        value |= (octet & 0x7F) << 7 * shift
        if octet < 0x80:
            return value & (_NEGATIVE - 1), position + shift + 1
    raise FormatError("A number in a message is cut short, or has more than 64 bits.")


def signed(value: int) -> int:
    """The number that stands as its 64-bit two's complement."""
    return value - _NEGATIVE if value >= _NEGATIVE >> 1 else value


def signed_numbers(values: Sequence[int | memoryview]) -> np.ndarray:
    """The int64 array of a repeated integer field, whose numbers stand one by one, packed, or both."""
    parts = [np.array([value], np.uint64) if isinstance(value, int) else _unpacked(value) for value in values]
    return np.concatenate([np.empty(0, np.uint64), *parts]).view(np.int64)


def _unpacked(data: memoryview) -> np.ndarray:
    """The numbers of a packed field."""
    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets < 0x80) + 1
    if octets.size != (ends[-1] if ends.size else 0):
        raise FormatError("The last number of a packed field is cut short.")
    if not octets.size:
        return np.empty(0, np.uint64)
    starts = np.concatenate([[0], ends[:-1]])
    places = np.arange(octets.size) - np.repeat(starts, ends - starts)
    if places.max() >= _MOST_OCTETS:
        raise FormatError("A number of a packed field has more than 64 bits.")
    groups = (octets & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.bitwise_or.reduceat(groups, starts)
