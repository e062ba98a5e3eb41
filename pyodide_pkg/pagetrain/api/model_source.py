"""load_model(): a graph, however it is handed in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ..graph import Model
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
        return _parsed(in_one_piece(source))
    return _parsed(memoryview(Path(source).read_bytes()), Path(source).parent)


def in_one_piece(data: bytes | bytearray | memoryview) -> memoryview:
    """Its bytes; copied only if they are not one after the other, as those of a view with steps."""
    view = memoryview(data)
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())


def _parsed(view: memoryview, folder: Path | None = None) -> Model:
    if view[4:8] == MODEL_IDENTIFIER:  # the reader of the other format need not be imported
        from ..ortformat import model as codec

        return codec.load(view)
    from .. import onnxformat

    model = onnxformat.load(view, onnxformat.ExternalData(folder)) if folder else onnxformat.load(view)
    return replace(model, graph=sound(model.graph))
