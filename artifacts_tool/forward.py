"""The forward graph made ready: constants as initializers, no sub-graphs, parameters as inputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from pagetrain.errors import FormatError
from pagetrain.graph import Graph, Model, Node, Tensor

from .conditionals import without_conditionals
from .folding import fold_constants
from .functions import with_functions_expanded
from .mode import by_running_statistics, normalizes_by_batch
from .parameters import Parameter

INITIALIZERS_APART_SINCE = 4  # IR version


def prepare(model: Model, parameters: Collection[str] = ()) -> Model:
    """The model with constants folded, no initializer among its inputs, no If that can be done without, and functions
    that the trainer does not know expanded.

    parameters: names of values that are no constants, because they are or may be trained.
    """
    model = lift_constants(with_functions_expanded(lift_constants(model)))
    model = lift_constants(without_conditionals(model))
    graph = model.graph
    nodes = tuple(node if normalizes_by_batch(node) else by_running_statistics(node) for node in graph.nodes)
    return replace(model, graph=fold_constants(replace(graph, nodes=nodes), frozenset(parameters)))


def lift_constants(model: Model) -> Model:
    """The model with Constant nodes as initializers, and no initializer among its inputs, which IR versions before 4 do not allow."""
    return replace(model, ir_version=max(model.ir_version, INITIALIZERS_APART_SINCE), graph=_lifted(model.graph))


def _lifted(graph: Graph) -> Graph:
    """Sub-graphs too: each holds its own constants."""
    constants = tuple(_constant(node) for node in graph.nodes if _is_constant(node))
    initializers = (*graph.initializers, *constants)
    held = {tensor.name for tensor in initializers}
    return replace(
        graph,
        nodes=tuple(_with_lifted_bodies(node) for node in graph.nodes if not _is_constant(node)),
        inputs=tuple(value for value in graph.inputs if value.name not in held),
        initializers=initializers,
    )


def _with_lifted_bodies(node: Node) -> Node:
    if not any(isinstance(attribute.value, Graph) for attribute in node.attributes.values()):
        return node
    lifted = {
        name: replace(attribute, value=_lifted(attribute.value)) if isinstance(attribute.value, Graph) else attribute
        for name, attribute in node.attributes.items()
    }
    return replace(node, attributes=lifted)


def with_parameters_as_inputs(graph: Graph, parameters: Collection[Parameter]) -> Graph:
    """The graph with each parameter moved from the initializers (or from among the inputs) to the end of the inputs."""
    moved = {parameter.name for parameter in parameters}
    return replace(
        graph,
        inputs=(*(value for value in graph.inputs if value.name not in moved), *(parameter.value_info for parameter in parameters)),
        initializers=tuple(tensor for tensor in graph.initializers if tensor.name not in moved),
        value_info=tuple(value for value in graph.value_info if value.name not in moved),
    )


def _is_constant(node: Node) -> bool:
    return node.op_type == "Constant" and node.domain == ""


def _constant(node: Node) -> Tensor:
    if not node.attributes:
        raise FormatError(f"{node.label} holds no value; the model is damaged, export it again.")
    (kind, attribute), *_ = node.attributes.items()
    name, value = node.outputs[0], attribute.value
    if isinstance(value, Tensor):
        return Tensor(name, value.data)
    dtypes = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    if kind not in dtypes:
        raise FormatError(f"{node.label} holds {kind}, which cannot be an initializer; take it out of the model.")
    return Tensor(name, np.array(value, dtype=dtypes[kind]))
