"""Where a sound flatbuffers file keeps its structure: what a mutation had better hit."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from pagetrain.ortformat import tables
from pagetrain.ortformat.schema import STRUCTS


@dataclass
class Places:
    """Byte positions. offsets, lengths: of 32 bits; entries of vtables: of 16; numbers: (position, bytes) of scalars and vectors' items."""

    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)


def places_of(data: bytes, root: str) -> Places:
    """Notes every place that the reader looks at."""
    reader = _Noting(memoryview(data), "file")
    reader.table(root, reader.follow(0))
    return reader.places


class _Noting(tables._Reader):
    def __init__(self, buffer: memoryview, what: str) -> None:
        super().__init__(buffer, what)
        self.places = Places()

    def follow(self, position: int) -> int:
        self.places.offsets.append(position)
        return super().follow(position)

    def span(self, place: int, width: int) -> tuple[int, int]:
        self.places.lengths.append(place)
        return super().span(place, width)

    def header(self, kind: str, position: int) -> tuple[int, int, int]:
        vtable, vtable_size, table_size = super().header(kind, position)
        self.places.numbers.append((position, 4))  # the distance to the vtable
        self.places.entries += range(vtable, vtable + vtable_size, 2)
        return vtable, vtable_size, table_size

    def number(self, form: Struct, position: int) -> Any:
        self.places.numbers.append((position, form.size))
        return super().number(form, position)

    def vector(self, kind: str, place: int) -> list[Any]:
        items = super().vector(kind, place)
        if kind in tables._SCALARS:
            width = tables._SCALARS[kind].size
            self.places.numbers += ((place + 4 + index * width, width) for index in range(len(items)))
        elif kind in STRUCTS:
            self.places.numbers += ((place + 4 + index * 4, 4) for index in range(3 * len(items)))
        return items
