"""A library that stands in for the C functions: it does what they would, and notes each call and which memory each array is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pagetrain_accelerator.library import SIGNATURES

from .meanings import MEANINGS, run


class NotRecordable(Exception):
    """The frozen part is not made of the known C functions alone: only Python can run it. The message says why."""


@dataclass(slots=True, eq=False)
class Buffer:
    """Memory that calls read or write. content: what is in it before the first call; None for what calls make or the picture fills."""

    bytes: int
    content: np.ndarray | None = None
    address: int = -1  # in the program's memory, when it is laid out


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place in a buffer."""

    buffer: Buffer
    offset: int


@dataclass(frozen=True, slots=True)
class Call:
    """One C call, or a loading of a buffer; pointers are Pointer or None, the rest numbers or text. writes: places of what it writes."""

    name: str
    arguments: tuple[Any, ...]
    writes: tuple[int, ...]

    @property
    def buffers(self) -> list[Buffer]:
        return [value.buffer for value in self.arguments if isinstance(value, Pointer)]

    @property
    def read(self) -> list[Buffer]:
        """Those that it only reads."""
        return [value.buffer for place, value in enumerate(self.arguments) if isinstance(value, Pointer) and place not in self.writes]


@dataclass(slots=True)
class Recording:
    """A Library (see pagetrain_accelerator.library). `calls` grows as it is used; arrays are kept, so that no address comes twice.

    computes: whether it also does what it is asked; who only wants the calls can do without.
    """

    computes: bool = True
    calls: list[Call] = field(default_factory=list)
    _made: dict[int, tuple[np.ndarray, Buffer]] = field(default_factory=dict)  # by the address where the owner of the memory begins
    _given: dict[tuple[int, int], tuple[np.ndarray, Buffer]] = field(default_factory=dict)  # by address and size

    def call(self, name: str, *arguments: Any) -> None:
        """Notes the call and does it. Raises NotRecordable for a function that belongs to no frozen part, or an array with gaps."""
        if name not in MEANINGS:
            raise NotRecordable(f"it calls {name}, which no program may")
        signature, writes = SIGNATURES[name], MEANINGS[name].writes
        noted = [
            value if value is None or kind != "p" else self._written(value) if place in writes else self._read(value)
            for place, (kind, value) in enumerate(zip(signature, arguments, strict=True))
        ]
        self.calls.append(Call(name, tuple(noted), writes))
        if self.computes:
            run(name, {place: _floats(value) for place, value in enumerate(arguments) if isinstance(value, np.ndarray)}, arguments)

    def made(self, array: np.ndarray) -> Pointer | None:
        """Where a call has made this array, which may have any strides; None if none has."""
        owner = _owner(array)
        found = self._made.get(owner.ctypes.data)
        return None if found is None else Pointer(found[1], array.ctypes.data - owner.ctypes.data)

    def given(self, array: np.ndarray) -> Pointer:
        """Declares an array whose values come from outside."""
        place = array.ctypes.data, array.nbytes
        if place not in self._given:
            self._given[place] = array, Buffer(array.nbytes, array.copy())
        return Pointer(self._given[place][1], 0)

    def _read(self, array: np.ndarray) -> Pointer:
        return self.made(array) or self.given(array)

    def _written(self, array: np.ndarray) -> Pointer:
        owner = _owner(array)
        if owner.ctypes.data not in self._made:
            self._made[owner.ctypes.data] = owner, Buffer(owner.nbytes)
        return Pointer(self._made[owner.ctypes.data][1], array.ctypes.data - owner.ctypes.data)


def _owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _floats(array: np.ndarray) -> np.ndarray:
    if not array.flags.c_contiguous:
        raise NotRecordable(f"it hands an array with gaps to a C function: shape {array.shape}, strides {array.strides}")
    flat = array.reshape(-1)
    return flat.view(np.float32) if flat.dtype.itemsize == 4 else flat
