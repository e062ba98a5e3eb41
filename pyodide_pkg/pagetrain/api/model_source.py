"""load_model(): a graph, however it is handed in."""

from __future__ import annotations

import os
from pathlib import Path

from ..graph import Model
from ..ortformat import model as codec

ModelSource = Model | bytes | bytearray | memoryview | str | os.PathLike[str]


def load_model(source: ModelSource) -> Model:
    """The model itself, or the one in the bytes or at the path of an ORT-format file. Raises FormatError."""
    if isinstance(source, Model):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return codec.load(source)
    return codec.load(Path(source).read_bytes())
