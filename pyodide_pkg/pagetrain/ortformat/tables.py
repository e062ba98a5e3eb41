"""Generic reader and builder of the tables in schema.py, over flatbuffers; knows no ORT.

A table is a plain dict, field name -> value: scalars as int, float or bool, str, bytes (a view of the buffer), tables as dicts, structs
as tuples, vectors as lists. An absent field reads as its default, or None where it is not a scalar; None is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from struct import Struct, unpack_from
from typing import Any, NamedTuple, NewType

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
_CODES = {"bool": "<?", "i8": "<b", "u8": "<B", "i32": "<i", "u32": "<I", "i64": "<q", "f32": "<f"}  # struct's
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
_STRUCT_FORMS = {kind: Struct("<" + "".join(_CODES[field.type][1:] for field in fields)) for kind, fields in STRUCTS.items()}
_MAX_LAYOUTS = 250  # kept at a time, of up to 3 kB each: a sound file has a few for each kind of table, and one with more is only slower


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
    reader = _Reader(buffer)
    try:
        return reader.table(root, reader.number(_OFFSET, 0))
    except _Damage as damage:
        where = ".".join(reversed(damage.path)).replace(".[", "[") or "the start"
        raise FormatError(f"The {what} is damaged or cut short: at {where}, {damage}. Copy or make the file again.") from None


class _Damage(Exception):
    """What is wrong with the file; path: where, from the inside outwards."""

    def __init__(self, why: str, *path: str) -> None:
        super().__init__(why)
        self.path = list(path)


class _Layout(NamedTuple):
    """What a vtable says, checked once and made ready for all tables that share it, as writers let those of equal shape.

    size: of such a table, in bytes. names: of its fields, in the order of the values: first `absent`, of those that it has not; then what
    `forms` take out of it, scalars as they are, for all else an offset; more than one only if fields overlap. references: (name, place in
    the table, how it is read, kind) of what stands behind an offset.
    """

    size: int
    names: tuple[str, ...]
    absent: tuple[Any, ...]
    forms: list[Callable[[memoryview, int], tuple[Any, ...]]]
    references: list[tuple[str, int, Callable[[str, int], Any], str]]


class _Reader:
    """Bounds-checked reading. `budget`: the bytes that may still be visited."""

    def __init__(self, buffer: memoryview) -> None:
        self.buffer = buffer
        self.size = len(buffer)
        self.depth = 0
        self.tables = 0
        self.budget = 2 * len(buffer) + 64  # twice: writers may share an object now and then; short texts, which they do share, count once
        self.strings: dict[int, str] = {}
        self.layouts: dict[tuple[str, int], _Layout] = {}

    def number(self, form: Struct, position: int) -> int:
        if not 0 <= position <= self.size - form.size:
            raise _Damage(f"byte {position} lies outside the file of {self.size} bytes")
        return int(form.unpack_from(self.buffer, position)[0])

    def charge(self, size: int) -> None:
        self.budget -= size
        if self.budget < 0:
            raise _Damage("the parts add up to more bytes than the file has")

    def table(self, kind: str, position: int) -> Fields:
        self.depth += 1
        self.tables += 1
        if self.depth > MAX_DEPTH or self.tables > MAX_TABLES:
            raise _Damage(f"there are more than {MAX_TABLES} tables, or more than {MAX_DEPTH} inside one another")
        vtable = position - self.number(_BACK, position)
        size, names, values, forms, references = self.layouts.get((kind, vtable)) or self.new_layout(kind, vtable, position)
        if position + size > self.size:
            raise _Damage(f"the {kind} at byte {position} leaves the file")
        self.charge(size + _TABLE_COST)
        for unpack in forms:
            values += unpack(self.buffer, position)
        fields = dict(zip(names, values))  # noqa: B905 - as many of one as of the other, and saying so takes as long as the rest
        name = ""
        try:
            for name, place, follow, what in references:
                fields[name] = follow(self.union_kind(name, what, fields) if what in UNIONS else what, position + place + fields[name])
        except _Damage as damage:
            damage.path.append(name)
            raise
        self.depth -= 1
        return fields

    def new_layout(self, kind: str, vtable: int, position: int) -> _Layout:
        vtable_size, size = self.number(_SHORT, vtable), self.number(_SHORT, vtable + 2)
        if vtable + vtable_size > self.size or vtable_size < 4 or size < _WORD:
            raise _Damage(f"the {kind} at byte {position} leaves the file")
        known = TABLES[kind]
        places = unpack_from(f"<{min((vtable_size - 4) // 2, len(known))}H", self.buffer, vtable + 4)
        found = [(place, field) for place, field in zip(places, known, strict=False) if place and field.name != SKIPPED]
        for place, field in found:
            if place < _WORD or place + _form(field).size > size:
                raise _Damage(f"a field's offset {place} leaves its table of {size} bytes", field.name)
        there = {field.name for _, field in found}
        absent = {field.name: _absent(field) for field in known if field.name not in there and field.name != SKIPPED}
        forms = list(_forms(sorted(found, key=itemgetter(0))))
        names = (*absent, *(name for _, names in forms for name in names))
        references = [(field.name, place, self.reader_of(field), field.type) for place, field in found if not field.is_scalar]
        layout = _Layout(size, names, tuple(absent.values()), [form.unpack_from for form, _ in forms], references)
        if len(self.layouts) >= _MAX_LAYOUTS:
            self.layouts.clear()
        self.layouts[kind, vtable] = layout
        return layout

    def reader_of(self, field: Field) -> Callable[[str, int], Any]:
        if not field.is_vector:
            return {"str": self.string, "bytes": self.bytes}.get(field.type, self.table)
        return self.numbers if field.type in _SCALARS or field.type in STRUCTS else self.items

    def union_kind(self, name: str, union: str, fields: Fields) -> str:
        kinds, number = UNIONS[union], fields[f"{name}_type"]
        if not 1 <= number <= len(kinds):
            raise _Damage(f"the kind {number} is unknown (1 to {len(kinds)} are known)")
        return kinds[number - 1]

    def span(self, place: int, width: int) -> tuple[int, int]:
        """Start and end of the items of the vector at `place`, inside the buffer."""
        count = self.number(_OFFSET, place)
        if count * width > self.size - place - _WORD:
            raise _Damage(f"a vector of {count} items leaves the file of {self.size} bytes")
        self.charge(_WORD + count * width)
        return place + _WORD, place + _WORD + count * width

    def bytes(self, _: str, place: int) -> memoryview:
        start, end = self.span(place, 1)
        return self.buffer[start:end]

    def numbers(self, kind: str, place: int) -> list[Any]:
        """A vector of scalars or structs."""
        form = _SCALARS.get(kind) or _STRUCT_FORMS[kind]
        start, end = self.span(place, form.size)
        items = form.iter_unpack(self.buffer[start:end])
        return list(items) if kind in STRUCTS else [number for (number,) in items]

    def items(self, kind: str, place: int) -> list[Any]:
        """A vector of texts or tables."""
        start, end = self.span(place, _WORD)
        follow = self.string if kind == "str" else self.table
        items: list[Any] = []
        try:
            for (offset,) in _OFFSET.iter_unpack(self.buffer[start:end]):
                items.append(follow(kind, start + _WORD * len(items) + offset))
        except _Damage as damage:
            damage.path.append(f"[{len(items)}]")
            raise
        return items

    def string(self, _: str, place: int) -> str:
        text = self.strings.get(place)
        if text is None:
            start, end = self.span(place, 1)
            if end >= self.size or self.buffer[end] != 0:
                raise _Damage("a text does not end with a zero byte")
            try:
                text = self.strings[place] = str(self.buffer[start:end], "utf-8")
            except UnicodeDecodeError:
                raise _Damage("a text is not UTF-8") from None
        elif len(text) >= _LONG_TEXT:
            self.charge(len(text))
        return text


def _form(field: Field) -> Struct:
    return _SCALARS[field.type] if field.is_scalar else _OFFSET


def _forms(fields: list[tuple[int, Field]]) -> Iterator[tuple[Struct, list[str]]]:
    """What takes these fields out of a table at once, and their names. fields: (place in the table, field), in order of places."""
    while fields:
        code, end, names, overlapping = "<", 0, [], []
        for place, field in fields:
            if place < end:
                overlapping.append((place, field))
                continue
            form = _form(field)
            code += f"{place - end}x{form.format[1:]}"
            names.append(field.name)
            end = place + form.size
        yield Struct(code), names
        fields = overlapping


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
