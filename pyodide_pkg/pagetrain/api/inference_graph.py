"""inference_graph: an eval graph cut down to what some outputs need, with the parameters' values inside, and with types for these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .. import executor
from ..errors import InvalidInputError, PagetrainError
from ..graph import ELEMENT_TYPES, NUMPY_DTYPES, Graph, Node, Tensor, TensorType, ValueInfo
from ..plan import bind
from ..topology import reads
from .output_shapes import output_shapes

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
    cut = replace(
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
    return cut if all(value.type for value in cut.outputs) else _with_types(cut)


def _with_types(graph: Graph) -> Graph:
    """The graph with a type for each output that ORT's files leave without, and ONNX wants: what a run on one row of zeros gives.

    They stay without where zeros cannot be run.
    """
    plan = bind(graph)
    try:
        made = executor.run(plan, {value.name: _zeros(value.type) for value in graph.inputs if isinstance(value.type, TensorType)})
    except (KeyError, PagetrainError):  # the former for a type that numpy has not
        return graph
    shapes = output_shapes(plan, graph.inputs)
    types = {
        name: TensorType(ELEMENT_TYPES[array.dtype], shapes.get(name, (None,) * array.ndim))
        for name, array in made.items()
        if isinstance(array, np.ndarray)
    }
    return replace(graph, outputs=tuple(value if value.type else replace(value, type=types.get(value.name)) for value in graph.outputs))


def _zeros(known: TensorType) -> np.ndarray:
    return np.zeros([size if isinstance(size, int) else 1 for size in known.shape or ()], NUMPY_DTYPES[known.element])


def _upstream(nodes: Sequence[Node], outputs: Sequence[str]) -> tuple[Node, ...]:
    needed, found = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.outputs):
            needed.update(reads(node))
            found.append(node)
    return tuple(reversed(found))
