"""Weights in files beside a model, as onnx.proto's external_data describes them, seen as views of the mapped files.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto, TensorProto.external_data) and onnx/onnx:docs/ExternalData.md.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..errors import FormatError
from ..packing import packed_size, restored
from .tensors import Elsewhere


class ExternalData:
    """Gives each tensor its values. A file is mapped once, so weights cost no memory before they are read, and none but the cache then."""

    def __init__(self, folder: Path) -> None:
        """folder: that of the model, which no location may leave."""
        self._folder = folder.resolve()
        self._files: dict[str, np.ndarray] = {}

    def __call__(self, tensor: Elsewhere) -> np.ndarray:
        """The values, read-only. Raises FormatError for a place outside the folder, or not wholly inside its file."""
        if tensor.dtype.hasobject:
            raise FormatError(f"The tensor {tensor.name!r} holds texts, which cannot be in a second file; export the model again.")
        location = tensor.entries.get("location", "")
        data = self._file(location, tensor.name)
        size = packed_size(tensor.dtype, math.prod(tensor.shape))
        offset, length = (_number(tensor, key, default) for key, default in (("offset", 0), ("length", size)))
        if length != size or offset + size > len(data):
            raise FormatError(
                f"The tensor {tensor.name!r} of {size} bytes has its values in {length} bytes from {offset} on of {location!r}, "
                f"which has {len(data)}; copy the model's files again."
            )
        return restored(data[offset : offset + size].data, tensor.dtype, tensor.shape)

    def _file(self, location: str, name: str) -> np.ndarray:
        if location not in self._files:
            self._files[location] = _mapped(self._inside(location, name))
        return self._files[location]

    def _inside(self, location: str, name: str) -> Path:
        """The file of a location, links followed."""
        try:
            path = (self._folder / location).resolve()
            if not location or not path.is_relative_to(self._folder):
                raise FormatError(f"The tensor {name!r} has its values in {location!r}, which is not in the model's folder; move it there.")
            if not path.is_file():
                raise FormatError(f"The tensor {name!r} has its values in {location!r}, which is no file in the model's folder.")
        except (ValueError, OSError, RuntimeError) as error:  # a zero byte, a name too long, links in a circle
            raise FormatError(f"The tensor {name!r} has its values in {location[:80]!r}, which is no file name.") from error
        return path


def _mapped(path: Path) -> np.ndarray:
    return np.memmap(path, np.uint8, "r") if path.stat().st_size else np.empty(0, np.uint8)


def _number(tensor: Elsewhere, key: str, default: int) -> int:
    text = tensor.entries.get(key, str(default))
    if not (text.isascii() and text.isdecimal()) or len(text) > 19:
        raise FormatError(f"The tensor {tensor.name!r} has the {key} {text[:40]!r} in its file of values; it must be a number of bytes.")
    return int(text)
