"""inference_graph: an eval graph cut down to what some outputs need, with the parameters' values inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import InvalidInputError
from ..graph import Graph, Node, Tensor, ValueInfo
from ..topology import reads

NAME = "inference"  # files of ORT format do not keep the graph's name, and ONNX wants one


def inference_graph(graph: Graph, outputs: Sequence[str], values: Mapping[str, np.ndarray]) -> Graph:
    """The graph with these outputs, in this order; `values` {parameter: array} become initializers, inputs that no node needs go.

    Raises InvalidInputError for no output, and for one that is no value of the graph.
    """
    types = {value.name: value for value in (*graph.inputs, *graph.value_info, *graph.outputs)}
    made = {name for node in graph.nodes for name in node.outputs if name}
    unknown = [name for name in outputs if name not in made]
    if unknown or not outputs:
        wrong = ", ".join(map(repr, unknown)) or "nothing"
        raise InvalidInputError(f"An inference model cannot give {wrong}; name values that the nodes of the eval graph make.")
    nodes = _upstream(graph.nodes, outputs)
    read = {name for node in nodes for name in reads(node)}
    return replace(
        graph,
        name=graph.name or NAME,
        nodes=nodes,
        inputs=tuple(value for value in graph.inputs if value.name in read and value.name not in values),
        outputs=tuple(types.get(name, ValueInfo(name, None)) for name in outputs),
        initializers=(
            *(tensor for tensor in graph.initializers if tensor.name in read),
            *(Tensor(name, array) for name, array in values.items() if name in read),
        ),
        value_info=(),
    )


def _upstream(nodes: Sequence[Node], outputs: Sequence[str]) -> tuple[Node, ...]:
    needed, found = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.outputs):
            needed.update(reads(node))
            found.append(node)
    return tuple(reversed(found))
