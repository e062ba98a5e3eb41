"""load_model(): a graph, however it is handed in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from .. import onnxformat
from ..graph import Model
from ..onnxformat.tensors import Values, refuse_external
from ..ortformat import model as codec
from ..ortformat.schema import MODEL_IDENTIFIER
from ..topology import sound

ModelSource = Model | bytes | bytearray | memoryview | str | os.PathLike[str]


def load_model(source: ModelSource) -> Model:
    """The model itself, or the one in the bytes or at the path of an .onnx or ORT-format file: the bytes say which. Raises FormatError.

    Weights that an .onnx file has in files beside it are read from there if its path is given.
    """
    if isinstance(source, Model):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return _parsed(source, refuse_external)
    return _parsed(Path(source).read_bytes(), onnxformat.ExternalData(Path(source).parent))


def _parsed(data: bytes | bytearray | memoryview, external: Values) -> Model:
    view = memoryview(data).cast("B")
    if view[4:8] == MODEL_IDENTIFIER:
        return codec.load(view)
    model = onnxformat.load(view, external)
    return replace(model, graph=sound(model.graph))
