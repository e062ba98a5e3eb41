"""Where a sound flatbuffers file keeps its structure: what a mutation had better hit."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from pagetrain.ortformat import tables
from pagetrain.ortformat.schema import SKIPPED, STRUCTS, TABLES

_WORD = 4  # bytes of an offset, of a length and of a number in a struct


@dataclass
class Places:
    """Byte positions. offsets, lengths: of 32 bits; entries of vtables: of 16; numbers: (position, bytes) of scalars and vectors' items."""

    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)


def places_of(data: bytes, root: str) -> Places:
    """Notes every place that the reader looks at."""
    reader = _Noting(memoryview(data))
    reader.table(root, reader.number(tables._OFFSET, 0))
    reader.places.offsets.append(0)
    return reader.places


class _Noting(tables._Reader):
    def __init__(self, buffer: memoryview) -> None:
        super().__init__(buffer)
        self.places = Places()

    def table(self, kind: str, position: int) -> tables.Fields:
        fields = super().table(kind, position)
        self._note_fields(kind, position, position - self.number(tables._BACK, position))
        return fields

    def _note_fields(self, kind: str, position: int, vtable: int) -> None:
        size = self.number(tables._SHORT, vtable)
        self.places.entries += range(vtable, vtable + size, 2)
        for entry, of in zip(range(vtable + 4, vtable + size, 2), TABLES[kind], strict=False):
            place = self.number(tables._SHORT, entry)
            if place and of.is_scalar:
                self.places.numbers.append((position + place, tables._SCALARS[of.type].size))
            elif place and of.name != SKIPPED:
                self.places.offsets.append(position + place)

    def number(self, form: Struct, position: int) -> int:
        self.places.numbers.append((position, form.size))
        return super().number(form, position)

    def span(self, place: int, width: int) -> tuple[int, int]:
        self.places.lengths.append(place)
        return super().span(place, width)

    def numbers(self, kind: str, place: int) -> list[Any]:
        items = super().numbers(kind, place)
        width = tables._SCALARS[kind].size if kind in tables._SCALARS else _WORD
        count = len(items) if kind in tables._SCALARS else len(STRUCTS[kind]) * len(items)
        self.places.numbers += ((place + _WORD + index * width, width) for index in range(count))
        return items

    def items(self, kind: str, place: int) -> list[Any]:
        items = super().items(kind, place)
        self.places.offsets += (place + _WORD + index * _WORD for index in range(len(items)))
        return items
