"""The type of every value of a graph, as far as the graph says, and how to say a shape."""

from __future__ import annotations

from pagetrain.graph import ELEMENT_TYPES, Graph, Shape, TensorType


def value_types(graph: Graph) -> dict[str, TensorType]:
    """{value name: type} of inputs, outputs, inner values and initializers. Sequences are left out."""
    found = {tensor.name: TensorType(ELEMENT_TYPES[tensor.data.dtype], tensor.data.shape) for tensor in graph.initializers}
    for value in (*graph.value_info, *graph.outputs, *graph.inputs):
        if isinstance(value.type, TensorType):
            found[value.name] = value.type
    return found


def shape_text(shape: Shape | None) -> str:
    """A shape for an error message: (N, 3, ?, 224)."""
    return "of unknown rank" if shape is None else "(" + ", ".join("?" if size is None else str(size) for size in shape) + ")"
