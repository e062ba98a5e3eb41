"""Models without their large weights, for what needs their types alone: ONNX's shape inference, and blocks that add nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pagetrain.graph import ELEMENT_TYPES, Attribute, Graph, Node, Tensor, TensorType, ValueInfo

LARGE = 1 << 16  # bytes; shapes, bounds and whatever else inference reads are far smaller


def is_large(tensor: Tensor) -> bool:
    """Whether the tensor is one to leave out."""
    return tensor.data.nbytes > LARGE


def without_large(graph: Graph) -> Graph:
    """The graph with large initializers as mere types, in sub-graphs too. What infers types may take it, nobody else."""
    return replace(
        graph,
        nodes=tuple(_lightened(node) for node in graph.nodes),
        initializers=tuple(tensor for tensor in graph.initializers if not is_large(tensor)),
        value_info=(*graph.value_info, *large_types(graph)),
    )


def large_types(graph: Graph) -> Iterator[ValueInfo]:
    """The types of the large initializers."""
    return (ValueInfo(t.name, TensorType(ELEMENT_TYPES[t.data.dtype], t.data.shape)) for t in graph.initializers if is_large(t))


def _lightened(node: Node) -> Node:
    if not any(isinstance(attribute.value, Graph) for attribute in node.attributes.values()):
        return node
    return replace(node, attributes={name: _light_attribute(attribute) for name, attribute in node.attributes.items()})


def _light_attribute(attribute: Attribute) -> Attribute:
    graph = attribute.value
    return replace(attribute, value=without_large(graph)) if isinstance(graph, Graph) else attribute
