"""Generic reader and builder of the tables in schema.py, over flatbuffers; knows no ORT.

A table is a plain dict, field name -> value: scalars as int, float or bool, str, bytes (a view of the buffer), tables as dicts, structs
as tuples, vectors as lists. An absent field reads as its default, or None where it is not a scalar; None is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Any, NewType

import numpy as np

from ..errors import FormatError, InvalidInputError
from .schema import SKIPPED, STRUCTS, TABLES, UNIONS, Field

Fields = dict[str, Any]
Built = NewType("Built", int)  # a table that is in the buffer already

MAX_DEPTH = 64  # nested tables; the limit of flatbuffers' own verifier
MAX_TABLES = 500_000  # a training graph of 2000 nodes has about 100 000; each costs up to a kilobyte here
# What a table counts besides its bytes against a file of nothing but empty ones, each of which becomes a dict of up to a kilobyte. Sound
# files have 23 bytes and more for each table, all parts counted, so that with these, too, they stay below twice their size.
_TABLE_COST = 16
_CODES = {"bool": "<?", "i8": "<b", "u8": "<B", "i32": "<i", "u32": "<I", "i64": "<q", "f32": "<f"}  # of struct's and numpy's
_SCALARS = {kind: Struct(code) for kind, code in _CODES.items()}
_FLAGS = {
    "bool": "Bool",
    "i8": "Int8",
    "u8": "Uint8",
    "i32": "Int32",
    "u32": "Uint32",
    "i64": "Int64",
    "f32": "Float32",
}  # flatbuffers' names
_OFFSET, _BACK, _SHORT = Struct("<I"), Struct("<i"), Struct("<H")  # forwards from where it stands; back to the vtable; all in a vtable
_LONG_TEXT = 1024  # bytes from which a text counts each time it is used: no name is so long, and it goes into many messages
LARGE = 1 << 16  # bytes of a vector that is not copied
_WORD = 4  # bytes of an offset and of a vector's length


def read(data: bytes | bytearray | memoryview, root: str, identifier: bytes, what: str) -> Fields:
    """The root table in `data` and all it holds; `what` names the kind of file in errors.

    Raises FormatError where the bytes are not what `identifier` and the schema say.

    Nothing is trusted: every offset and length is checked against the buffer, nesting is limited, and as the parts of a sound file do not
    overlap, one that unfolds to much more than its own size (offsets that cross or circle) is refused before it costs time or memory.
    """
    buffer = memoryview(data).cast("B")
    if len(buffer) < 2 * _WORD or buffer[_WORD : 2 * _WORD] != identifier:
        found = bytes(buffer[_WORD : 2 * _WORD])
        raise FormatError(f"This file is no {what}: its bytes 4 to 7 are {found!r}, not {identifier!r}; give the right file.")
    reader = _Reader(buffer, what)
    return reader.table(root, reader.follow(0))


class _Reader:
    """Bounds-checked reading. `path` is where we are, for messages; `budget` the bytes that may still be visited."""

    def __init__(self, buffer: memoryview, what: str) -> None:
        self.buffer = buffer
        self.what = what
        self.path: list[str] = []
        self.depth = 0
        self.tables = 0
        self.budget = 2 * len(buffer) + 64  # twice: writers may share an object now and then; short texts, which they do share, count once
        self.strings: dict[int, str] = {}

    def damaged(self, why: str) -> FormatError:
        where = ".".join(self.path).replace(".[", "[") or "the start"
        return FormatError(f"The {self.what} is damaged or cut short: at {where}, {why}. Copy or make the file again.")

    def number(self, form: Struct, position: int) -> Any:
        if not 0 <= position <= len(self.buffer) - form.size:
            raise self.damaged(f"byte {position} lies outside the file of {len(self.buffer)} bytes")
        return form.unpack_from(self.buffer, position)[0]

    def follow(self, position: int) -> int:
        """The absolute place that the offset at `position` points to."""
        return position + int(self.number(_OFFSET, position))

    def charge(self, size: int) -> None:
        self.budget -= size
        if self.budget < 0:
            raise self.damaged("the parts add up to more bytes than the file has")

    def table(self, kind: str, position: int) -> Fields:
        self.depth += 1
        vtable, vtable_size, table_size = self.header(kind, position)
        fields: Fields = {}
        for slot, field in enumerate(TABLES[kind]):
            if field.name == SKIPPED:
                continue
            self.path.append(field.name)
            entry = 4 + 2 * slot
            offset = self.number(_SHORT, vtable + entry) if entry + 2 <= vtable_size else 0
            fields[field.name] = self.field(field, position, offset, table_size, fields)
            self.path.pop()
        self.depth -= 1
        return fields

    def header(self, kind: str, position: int) -> tuple[int, int, int]:
        """Place and size of the vtable of the table at `position`, and the table's size; both lie inside the buffer."""
        self.tables += 1
        if self.depth > MAX_DEPTH or self.tables > MAX_TABLES:
            raise self.damaged(f"there are more than {MAX_TABLES} tables, or more than {MAX_DEPTH} inside one another")
        vtable = position - self.number(_BACK, position)
        vtable_size = self.number(_SHORT, vtable)
        table_size = self.number(_SHORT, vtable + 2)
        if vtable + vtable_size > len(self.buffer) or position + table_size > len(self.buffer) or vtable_size < 4 or table_size < _WORD:
            raise self.damaged(f"the {kind} at byte {position} leaves the file")
        self.charge(table_size + _TABLE_COST)
        return vtable, vtable_size, table_size

    def field(self, field: Field, table: int, offset: int, table_size: int, before: Fields) -> Any:
        if offset == 0:
            return _absent(field)
        form = _SCALARS[field.type] if field.is_scalar else _OFFSET
        if offset < _WORD or offset + form.size > table_size:
            raise self.damaged(f"a field's offset {offset} leaves its table of {table_size} bytes")
        if field.is_scalar:
            return self.number(form, table + offset)
        place = self.follow(table + offset)
        if field.is_vector:
            return self.vector(field.type, place)
        return self.reference(self.union_kind(field, before), place)

    def union_kind(self, field: Field, before: Fields) -> str:
        if field.type not in UNIONS:
            return field.type
        kinds, number = UNIONS[field.type], before[f"{field.name}_type"]
        if not 1 <= number <= len(kinds):
            raise self.damaged(f"the kind {number} is unknown (1 to {len(kinds)} are known)")
        return kinds[number - 1]

    def reference(self, kind: str, place: int) -> Any:
        """What an offset leads to, apart from vectors."""
        if kind == "str":
            return self.string(place)
        if kind == "bytes":
            start, size = self.span(place, 1)
            return self.buffer[start : start + size]
        return self.table(kind, place)

    def span(self, place: int, width: int) -> tuple[int, int]:
        """Start and number of the items of the vector at `place`, all inside the buffer."""
        count = self.number(_OFFSET, place)
        if count * width > len(self.buffer) - place - _WORD:
            raise self.damaged(f"a vector of {count} items leaves the file of {len(self.buffer)} bytes")
        self.charge(_WORD + count * width)
        return place + _WORD, count

    def vector(self, kind: str, place: int) -> list[Any]:
        if kind in STRUCTS or kind in _CODES:
            dtype = np.dtype([(field.name, _CODES[field.type]) for field in STRUCTS[kind]] if kind in STRUCTS else _CODES[kind])
            start, count = self.span(place, dtype.itemsize)
            items: list[Any] = np.frombuffer(self.buffer, dtype, count, start).tolist() if count else []
            return items
        start, count = self.span(place, _WORD)
        return [self.item(kind, index, start + index * _WORD) for index in range(count)]

    def item(self, kind: str, index: int, position: int) -> Any:
        self.path.append(f"[{index}]")
        value = self.reference(kind, self.follow(position))
        self.path.pop()
        return value

    def string(self, place: int) -> str:
        if place not in self.strings:
            start, size = self.span(place, 1)
            if start + size >= len(self.buffer) or self.buffer[start + size] != 0:
                raise self.damaged("a text does not end with a zero byte")
            try:
                self.strings[place] = str(self.buffer[start : start + size], "utf-8")
            except UnicodeDecodeError:
                raise self.damaged("a text is not UTF-8") from None
        elif len(self.strings[place]) >= _LONG_TEXT:
            self.charge(len(self.strings[place]))
        return self.strings[place]


def _absent(field: Field) -> Any:
    if not field.is_scalar:
        return None
    return {"bool": bool, "f32": float}.get(field.type, int)(field.default)


class Writer:
    """Builds a buffer. The order in which fields are given decides the bytes, so equal calls give equal bytes."""

    def __init__(self, size: int = 1024, *, share_strings: bool = False) -> None:
        """size: a guess of the buffer's bytes, to save copies. share_strings: equal short texts are written once.

        Raises InvalidInputError for a size beyond 2 GB, where the format ends.
        """
        from flatbuffers import Builder, number_types  # for writing alone: its sources are longer than those of all our codecs

        if size > Builder.MAX_BUFFER_SIZE:
            raise InvalidInputError(f"A file of this format ends at 2 GB; the values alone make about {size} bytes.")
        self.builder = Builder(0)
        self.builder.Bytes = np.zeros(size, np.uint8).data  # unlike a bytearray, it costs no memory where nothing is written
        self.builder.head = size
        self._flags = {kind: getattr(number_types, f"{name}Flags") for kind, name in _FLAGS.items()}
        self._large: list[tuple[int, memoryview]] = []  # (distance of the first byte from the end, the bytes)
        self._share_strings = share_strings

    def table(self, kind: str, fields: Mapping[str, Any]) -> Built:
        """Writes a table; its own tables are dicts, or Built before. First all tables below it, then its texts and vectors, then itself."""
        known = {field.name: (slot, field) for slot, field in enumerate(TABLES[kind])}
        given = [(*known[name], value) for name, value in fields.items() if value is not None]
        below = [self._tables(field, value, fields) for _, field, value in given]
        values = [self._reference(field, value) for (_, field, _), value in zip(given, below, strict=True)]
        self.builder.StartObject(len(TABLES[kind]))
        for (slot, field, _), value in zip(given, values, strict=True):
            if field.is_scalar:
                self.builder.PrependSlot(self._flags[field.type], slot, value, field.default)
            else:
                self.builder.PrependUOffsetTRelativeSlot(slot, value, 0)
        return Built(self.builder.EndObject())

    def finish(self, root: Built, identifier: bytes) -> bytes:
        """The whole file."""
        return b"".join(self.pieces(root, identifier))

    def pieces(self, root: Built, identifier: bytes) -> list[memoryview]:
        """The whole file, one piece after another; long byte vectors are the values that were given, not copies."""
        self.builder.Finish(root, identifier)
        buffer, found, start = memoryview(self.builder.Bytes)[self.builder.Head() :], [], 0
        for distance, value in reversed(self._large):  # buffers grow towards the front
            place = len(buffer) - distance
            found += [buffer[start:place], value]
            start = place + len(value)
        return [*found, buffer[start:]]

    def _tables(self, field: Field, value: Any, fields: Mapping[str, Any]) -> Any:
        kind = UNIONS[field.type][fields[f"{field.name}_type"] - 1] if field.type in UNIONS else field.type
        if kind not in TABLES:
            return value
        if field.is_vector:
            return [self._built(kind, item) for item in value]
        return self._built(kind, value)

    def _built(self, kind: str, value: Any) -> Built:
        return self.table(kind, value) if isinstance(value, Mapping) else value

    def _reference(self, field: Field, value: Any) -> Any:
        """`value` as it stands in its table: scalars and Built as they are, the offset of everything else."""
        if field.is_vector:
            return self._vector(field.type, value)
        if field.type == "str":
            return self._text(value)
        if field.type == "bytes":
            return self._bytes(value)
        return value

    def _bytes(self, value: bytes | memoryview) -> int:
        """A byte vector. A long one takes its place in the buffer without being written there, so the place costs no memory."""
        if len(value) < LARGE:
            return int(self.builder.CreateByteVector(bytes(value)))
        self.builder.StartVector(1, len(value), 1)
        self.builder.head -= len(value)
        self._large.append((self.builder.Offset(), memoryview(value)))
        return int(self.builder.EndVector())

    def _text(self, value: str) -> int:
        try:
            share = self._share_strings and len(value) < _LONG_TEXT // 4  # of UTF-8, at most four bytes to a character
            return int(self.builder.CreateSharedString(value) if share else self.builder.CreateString(value))
        except UnicodeEncodeError:
            raise InvalidInputError(f"The text {value!r} cannot be written as UTF-8; remove the lone surrogate.") from None

    def _vector(self, kind: str, items: Any) -> int:
        if kind == "str":
            items = [self._text(item) for item in items]
        if kind in STRUCTS:
            return self._structs(kind, items)
        width = _SCALARS[kind].size if kind in _SCALARS else _WORD
        # An empty vector is aligned to its length alone, as in C++.
        self.builder.StartVector(width if items else _WORD, len(items), width if items else _WORD)
        for item in reversed(items):
            if kind in _SCALARS:
                self.builder.Prepend(self._flags[kind], item)
            else:
                self.builder.PrependUOffsetTRelative(item)
        return int(self.builder.EndVector())

    def _structs(self, kind: str, items: Any) -> int:
        flags = [self._flags[field.type] for field in STRUCTS[kind]]
        self.builder.StartVector(sum(flag.bytewidth for flag in flags), len(items), _WORD)
        for item in reversed(items):
            for flag, number in zip(reversed(flags), reversed(item), strict=True):
                self.builder.Prepend(flag, number)
        return int(self.builder.EndVector())
