"""with_types_of: what inference found out about a stand-in of a graph, told of the graph itself."""

from __future__ import annotations

import itertools
from dataclasses import replace

from pagetrain.graph import Attribute, AttributeType, Graph, Node, TensorType

from .light import is_large

LONG = 1 << 16


def with_types_of(graph: Graph, typed: Graph) -> Graph:
    """The graph with the types of one that was made from it and typed since; large initializers need none."""
    large = {tensor.name for tensor in graph.initializers if is_large(tensor)}
    return replace(
        graph,
        nodes=tuple(_node_with_types_of(node, other) for node, other in zip(graph.nodes, typed.nodes, strict=True)),
        inputs=typed.inputs,
        outputs=typed.outputs,
        value_info=tuple(value for value in typed.value_info if value.name not in large),
    )


def has_long_vector(graph: Graph) -> bool:
    """Whether a value of the graph has one axis, and more elements there than any shape has."""
    values = itertools.chain(graph.inputs, graph.value_info, graph.outputs)
    shapes = (value.type.shape for value in values if isinstance(value.type, TensorType))
    return any(shape is not None and len(shape) == 1 and isinstance(shape[0], int) and shape[0] > LONG for shape in shapes)


def _node_with_types_of(node: Node, other: Node) -> Node:
    """The node with typed sub-graphs; the very node if it has none."""
    typed: dict[str, Attribute] = {}
    for name, attribute in node.attributes.items():
        body = other.attributes[name].value if isinstance(attribute.value, Graph) else None
        if isinstance(attribute.value, Graph) and isinstance(body, Graph):
            typed[name] = Attribute(AttributeType.GRAPH, with_types_of(attribute.value, body))
    return replace(node, attributes={**node.attributes, **typed}) if typed else node
