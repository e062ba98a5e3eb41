"""Models as ORT-format files: pagetrain.ortformat's writer, told what the schemas of the ops are."""

from __future__ import annotations

from collections.abc import Iterator

from pagetrain.graph import Graph, Model, Node
from pagetrain.ortformat.model import OpSchema, dump, op_id

from .op_schemas import schema_of


def to_ort(model: Model) -> bytes:
    """The .ort file of a model, not optimised. Raises InvalidInputError naming all ops without a schema, or all values without a type."""
    schemas: dict[str, OpSchema] = {}
    for node in _nodes(model.graph):
        schema = schema_of(node.op_type, node.domain, node.since_version)
        if schema is not None:
            schemas[op_id(node)] = schema
    return dump(model, schemas)


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for attribute in node.attributes.values():
            if isinstance(attribute.value, Graph):
                yield from _nodes(attribute.value)
