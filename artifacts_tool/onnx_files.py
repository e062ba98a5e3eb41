"""A model as .onnx files in pieces, so that weights are written from where they are; with external data where one message is too small."""

from __future__ import annotations

from dataclasses import replace

from pagetrain import onnxformat
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Model
from pagetrain.onnxformat.writer import Pieces, size_of
from pagetrain.packing import stored

MOST_BYTES = 2**31 - 1  # of a protobuf message
EXTERNAL_FROM = 1024  # bytes of a tensor that goes to the file beside the model
PAGE = 4096  # alignment there, so that readers can map each tensor


def onnx_files(name: str, model: Model, most_bytes: int = MOST_BYTES) -> dict[str, Pieces]:
    """{file name: content}: the model, and <name>.data with its large weights when one message of `most_bytes` cannot hold them.

    Raises InvalidInputError when it cannot even so.
    """
    pieces: Pieces = onnxformat.dump_pieces(model)
    if size_of(pieces) <= most_bytes:
        return {name: pieces}
    location = f"{name}.data"
    light, data = _with_external_data(model, location)
    if size_of(light) > most_bytes:
        raise InvalidInputError(f"{name} would have {size_of(light)} bytes without its weights; such a file can hold {most_bytes}.")
    return {name: light, location: data}


def _with_external_data(model: Model, location: str) -> tuple[Pieces, Pieces]:
    """(the model with references instead of its large weights, the content of the file `location`)."""
    large = [tensor for tensor in model.graph.initializers if tensor.data.nbytes >= EXTERNAL_FROM]
    kept = replace(model.graph, initializers=tuple(tensor for tensor in model.graph.initializers if tensor.data.nbytes < EXTERNAL_FROM))
    references: list[bytes] = []
    pieces: list[bytes | memoryview] = []
    size = 0
    for tensor in large:
        padding, values = bytes(-size % PAGE), stored(tensor.data)
        pieces += [padding, values]
        references.append(onnxformat.reference(tensor, location, size + len(padding), len(values)))
        size += len(padding) + len(values)
    return onnxformat.dump_pieces(replace(model, graph=kept), references), pieces
