"""parameters.bin as it streams in: bytes go straight to where the arrays are."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .errors import FormatError, StateError
from .manifest import Manifest, Stored

_AT_ONCE = 64 << 20  # bytes that are there before the first arrives; of larger files, twice what has arrived
_STORED_DTYPES: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2"), "int8": np.dtype("i1")}


class ParameterFile:
    """Takes parameters.bin in chunks of any size into one buffer; float32 parameters are then views of it, the others are converted."""

    def __init__(self, manifest: Manifest) -> None:
        entry = manifest.files["parameters"]
        self._parameters = manifest.parameters
        self._expected_sha256 = entry.sha256
        self._size = entry.bytes
        self._buffer = np.empty(min(self._size, _AT_ONCE), np.uint8)  # a manifest may announce more than ever comes
        self._digest = hashlib.sha256()
        self.received = self._checked = 0  # bytes
        self._broken = ""

    @property
    def done(self) -> bool:
        """Whether all bytes are in and their hash is right."""
        return self.received == self._size and not self._broken and self._has_its_hash()

    def _has_its_hash(self) -> bool:
        return 0 < self._checked == self._size or self._digest.hexdigest() == self._expected_sha256

    def feed(self, chunk: bytes | bytearray | memoryview, *, checked: bool = False) -> bool:
        """Takes the next bytes; True when the file is complete. checked: said of all of them, the hash is not computed once more.

        Raises: FormatError for more bytes than the manifest says, or a wrong hash at the end; the file is then unusable.
        """
        view = np.frombuffer(chunk, np.uint8)
        if self.received + view.size > self._size:
            self._broken = f"parameters: more than the {self._size} bytes that the manifest announces."
        if not self._broken:
            self._make_room(self.received + view.size)
            self._buffer[self.received : self.received + view.size] = view
            if checked:
                self._checked += view.size
            else:
                self._digest.update(chunk)
            self.received += view.size
            if self.received == self._size:
                self._broken = self._problem()
        if self._broken:
            raise FormatError(self._broken)
        return self.done

    def _make_room(self, size: int) -> None:
        if size > self._buffer.size:
            self._buffer.resize(min(self._size, max(size, 2 * self._buffer.size)), refcheck=False)  # no array is handed out before `done`

    def _problem(self) -> str:
        """What is wrong with the whole file, "" if nothing."""
        if not self._has_its_hash():
            return f"parameters: the sha256 is {self._digest.hexdigest()}, expected {self._expected_sha256}; load the file again."
        wrong = [one.name for one in self._parameters if one.stored == "int8" and not _are_sound(self._scales(one))]
        return f"parameters: the scales of {', '.join(map(repr, wrong))} are not all finite and small enough for float32." if wrong else ""

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """(name, float32 array) of each parameter, widened one at a time: let go of one before asking for the next, and memory stays small.

        Raises StateError before `done`.
        """
        if not self.done:
            raise StateError(f"The model's parameters are not loaded yet: {self.received} of {self._size} bytes.")
        return ((one.name, self._array(one)) for one in self._parameters)

    def _array(self, one: Stored) -> np.ndarray:
        dtype = _STORED_DTYPES[one.stored]
        values: np.ndarray = self._buffer[one.offset : one.offset + _count(one) * dtype.itemsize].view(dtype).reshape(one.shape)
        wide: np.ndarray = values.astype(np.float32, copy=False)
        return wide if one.stored != "int8" else np.multiply(wide, self._scales(one).reshape(-1, *(1,) * (wide.ndim - 1)), out=wide)

    def _scales(self, one: Stored) -> np.ndarray:
        start = one.offset + _count(one)
        return np.frombuffer(self._buffer[start : one.offset + one.bytes].tobytes(), "<f4")  # copied: they may lie unaligned


def _count(one: Stored) -> int:
    return math.prod(one.shape)


def _are_sound(scales: np.ndarray) -> bool:
    """Whether no int8 times its scale is NaN or beyond float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(scales * np.float32(128)).all())
