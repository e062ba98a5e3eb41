"""The wire format of protobuf, as far as ONNX files need it: numbers, and fields that say their length.

Source: protobuf encoding, "Base 128 Varints", "Length-Delimited Records".
"""

from __future__ import annotations

import struct

_VARINT, _LENGTH_DELIMITED, _FIXED32 = 0, 2, 5  # wire types
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
