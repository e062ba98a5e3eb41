"""The type of every value of a graph, as far as the graph says."""

from __future__ import annotations

from pagetrain.graph import ELEMENT_TYPES, Graph, TensorType


def value_types(graph: Graph) -> dict[str, TensorType]:
    """{value name: type} of inputs, outputs, inner values and initializers. Sequences are left out."""
    found = {tensor.name: TensorType(ELEMENT_TYPES[tensor.data.dtype], tensor.data.shape) for tensor in graph.initializers}
    for value in (*graph.value_info, *graph.outputs, *graph.inputs):
        if isinstance(value.type, TensorType):
            found[value.name] = value.type
    return found
