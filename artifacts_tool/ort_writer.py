"""Models as ORT-format files: pagetrain.ortformat's writer, told what the schemas of the ops are."""

from __future__ import annotations

from collections.abc import Iterator

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Graph, Model, Node
from pagetrain.ortformat.model import OpSchema, dump_pieces, op_id

from .forward import lift_constants
from .functions import with_ort_functions_expanded
from .onnx_io import infer_types
from .op_schemas import schema_of

MOST_BYTES = 2**31 - 1  # of a flatbuffers file


def to_ort(model: Model) -> bytes:
    """The .ort file of a model, in one piece: not optimised, but for functions that ONNX Runtime cannot run from such a file."""
    return b"".join(ort_pieces("model.ort", model))


def ort_pieces(name: str, model: Model, most_bytes: int = MOST_BYTES) -> list[memoryview]:
    """The .ort file of a model in pieces; large weights are not copied. name: the file's.

    Raises InvalidInputError naming all ops without a schema, or all values without a type; and for weights of more than `most_bytes`.
    """
    size = sum(tensor.data.nbytes for tensor in model.graph.initializers)
    if size > most_bytes:
        raise InvalidInputError(
            f"{name} would hold weights of {size} bytes, and a .ort file ends at {most_bytes}; put them in frozen_params, so that they "
            "are in the checkpoint, or leave ort_format out."
        )
    expanded = with_ort_functions_expanded(model)
    model = model if expanded is model else infer_types(lift_constants(expanded))
    schemas: dict[str, OpSchema] = {}
    for node in _nodes(model.graph):
        schema = schema_of(node.op_type, node.domain, node.since_version)
        if schema is not None:
            schemas[op_id(node)] = schema
    return dump_pieces(model, schemas)


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for attribute in node.attributes.values():
            if isinstance(attribute.value, Graph):
                yield from _nodes(attribute.value)
