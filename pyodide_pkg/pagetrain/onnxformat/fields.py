"""The values of a message's fields, of the kind that is meant to stand there."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ..errors import FormatError
from ..protobuf import Message, message, signed


def octets(value: int | memoryview) -> memoryview:
    """Raises FormatError for a number."""
    if isinstance(value, int):
        raise FormatError("The model is damaged: a number stands where bytes should.")
    return value


def number(fields: Message, field: int, default: int = 0) -> int:
    """An integer or enum; of several the last counts."""
    value = fields[field][-1] if field in fields else default
    if not isinstance(value, int):
        raise FormatError("The model is damaged: bytes stand where a number should.")
    return signed(value)


def float32(value: int | memoryview) -> float:
    """A number of 32 bits."""
    data = octets(value)
    if len(data) != struct.calcsize("<f"):
        raise FormatError("The model is damaged: a float has not four bytes.")
    return float(struct.unpack("<f", data)[0])


def decoded(value: int | memoryview) -> str:
    """A text."""
    data = bytes(octets(value))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError(f"The model is damaged: the text {data!r:.80} is not UTF-8.") from None


def text(fields: Message, field: int) -> str:
    """A text, "" if there is none; of several the last counts."""
    return decoded(fields[field][-1]) if field in fields else ""


def texts(fields: Message, field: int) -> tuple[str, ...]:
    """A repeated text."""
    return tuple(decoded(value) for value in fields.get(field, []))


def single(fields: Message, field: int) -> Message | None:
    """A message, merged if it stands there in several parts; None if it does not."""
    return message(*map(octets, fields[field])) if field in fields else None


def messages(fields: Message, field: int) -> Iterator[Message]:
    """A repeated message, taken apart one after the other."""
    return (message(octets(value)) for value in fields.get(field, []))
