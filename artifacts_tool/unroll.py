"""RNN, GRU and LSTM written out, step by step, in standard ops: so they have gradients. The number of steps must be fixed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pagetrain.graph import ONNX_DOMAIN, Graph, Model, Node, Tensor

from .onnx_io import infer_types
from .recurrent_steps import Unrolling
from .value_types import value_types

RECURRENT = ("GRU", "LSTM", "RNN")


def unrolled(model: Model, trained: Collection[str]) -> Model:
    """The typed model with every recurrent node that depends on a `trained` value written out, and typed again.

    Raises InvalidInputError for nodes with an open number of steps, with sequence_lens, clip, or activations with parameters.
    """
    types, reached = value_types(model.graph), set(trained)
    nodes: list[Node] = []
    constants: list[Tensor] = []
    for node in model.graph.nodes:
        if reached.isdisjoint(node.inputs):
            nodes.append(node)
            continue
        reached.update(name for name in node.outputs if name)
        if is_recurrent(node):
            written = Unrolling(node, types[node.inputs[0]], types[node.inputs[2]], model.opset_import[ONNX_DOMAIN]).write()
            nodes += written.nodes
            constants += written.constants
        else:
            nodes.append(node)
    if not constants:
        return model
    graph = replace(model.graph, nodes=tuple(nodes), initializers=(*model.graph.initializers, *constants))
    return infer_types(replace(model, graph=_without_stale_types(graph)))


def is_recurrent(node: Node) -> bool:
    """Whether the node is one that can be written out."""
    return node.domain == ONNX_DOMAIN and node.op_type in RECURRENT


def _without_stale_types(graph: Graph) -> Graph:
    made = {name for node in graph.nodes for name in node.outputs}
    return replace(graph, value_info=tuple(value for value in graph.value_info if value.name in made))
