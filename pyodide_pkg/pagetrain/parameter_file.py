"""parameters.bin as it streams in: bytes go straight to where the arrays are."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from .errors import FormatError, StateError
from .manifest import Manifest, Stored

_STORED_DTYPES: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2"), "int8": np.dtype("i1")}


class ParameterFile:
    """Takes parameters.bin in chunks of any size into one buffer; float32 parameters are then views of it, the others are converted."""

    def __init__(self, manifest: Manifest) -> None:
        entry = manifest.files["parameters"]
        self._parameters = manifest.parameters
        self._expected_sha256 = entry.sha256
        self._buffer = np.empty(entry.bytes, np.uint8)
        self._digest = hashlib.sha256()
        self.received = 0
        self._broken = ""

    @property
    def done(self) -> bool:
        """Whether all bytes are in and their hash is right."""
        return self.received == self._buffer.size and not self._broken and self._digest.hexdigest() == self._expected_sha256

    def feed(self, chunk: bytes | bytearray | memoryview) -> bool:
        """Takes the next bytes; True when the file is complete.

        Raises: FormatError for more bytes than the manifest says, or a wrong hash at the end; the file is then unusable.
        """
        view = np.frombuffer(chunk, np.uint8)
        if self.received + view.size > self._buffer.size:
            self._broken = f"parameters: more than the {self._buffer.size} bytes that the manifest announces."
        if not self._broken:
            self._buffer[self.received : self.received + view.size] = view
            self._digest.update(chunk)
            self.received += view.size
            if self.received == self._buffer.size and not self.done:
                self._broken = (
                    f"parameters: the sha256 is {self._digest.hexdigest()}, expected {self._expected_sha256}; load the file again."
                )
        if self._broken:
            raise FormatError(self._broken)
        return self.done

    def arrays(self) -> dict[str, np.ndarray]:
        """{name: float32 array} of all parameters. Raises StateError before `done`."""
        if not self.done:
            raise StateError(f"The model's parameters are not loaded yet: {self.received} of {self._buffer.size} bytes.")
        return {one.name: self._array(one) for one in self._parameters}

    def _array(self, one: Stored) -> np.ndarray:
        count, dtype = math.prod(one.shape), _STORED_DTYPES[one.stored]
        values: np.ndarray = self._buffer[one.offset : one.offset + count * dtype.itemsize].view(dtype).reshape(one.shape)
        if one.stored == "float32":
            return values
        if one.stored == "float16":
            return values.astype(np.float32)
        scales = np.frombuffer(self._buffer[one.offset + count : one.offset + one.bytes].tobytes(), "<f4")  # copied: it may lie unaligned
        return np.asarray(values.astype(np.float32) * scales.reshape(-1, *(1,) * (values.ndim - 1)))
