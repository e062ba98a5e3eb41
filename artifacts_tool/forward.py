"""The forward graph made ready: constants as initializers, batch normalization in evaluation mode, parameters as inputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from pagetrain.errors import FormatError
from pagetrain.graph import MS_DOMAIN, Attribute, AttributeType, Graph, Model, Node, Tensor, ValueInfo

from .conditionals import without_conditionals
from .folding import fold_constants
from .parameters import Parameter
from .value_types import value_types

INITIALIZERS_APART_SINCE = 4  # IR version
BY_BATCH_STATISTICS = "BatchNormInternal"


def prepare(model: Model, parameters: Collection[str] = ()) -> Model:
    """The model with constants folded, no initializer among its inputs, and batch normalization in evaluation mode.

    parameters: names of values that are no constants, because they are or may be trained. Evaluation mode in the training graph too: a
    frozen backbone keeps its statistics, so its values are a function of the picture alone.
    """
    model = lift_constants(without_conditionals(lift_constants(model)))
    graph = model.graph
    nodes = tuple(_by_running_statistics(node) for node in graph.nodes)
    return replace(model, graph=fold_constants(replace(graph, nodes=nodes), parameters))


def lift_constants(model: Model) -> Model:
    """The model with Constant nodes as initializers, and no initializer among its inputs, which IR versions before 4 do not allow."""
    graph = model.graph
    constants = tuple(_constant(node) for node in graph.nodes if _is_constant(node))
    initializers = (*graph.initializers, *constants)
    held = {tensor.name for tensor in initializers}
    return replace(
        model,
        ir_version=max(model.ir_version, INITIALIZERS_APART_SINCE),
        graph=replace(
            graph,
            nodes=tuple(node for node in graph.nodes if not _is_constant(node)),
            inputs=tuple(value for value in graph.inputs if value.name not in held),
            initializers=initializers,
        ),
    )


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
    (kind, attribute), *_ = node.attributes.items()
    name, value = node.outputs[0], attribute.value
    if isinstance(value, Tensor):
        return Tensor(name, value.data)
    dtypes = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    if kind not in dtypes:
        raise FormatError(f"Constant {node.name!r} holds {kind}, which cannot be an initializer; take it out of the model.")
    return Tensor(name, np.array(value, dtype=dtypes[kind]))


def _by_running_statistics(node: Node) -> Node:
    """A batch normalization in evaluation mode: before version 14 that is the one with a single output."""
    if node.op_type != "BatchNormalization" or node.domain:
        return node
    off = {"training_mode": Attribute(AttributeType.INT, 0)} if "training_mode" in node.attributes else {}
    return replace(node, outputs=node.outputs[:1], attributes={**node.attributes, **off})


def with_batch_statistics(model: Model) -> Model:
    """The model with every BatchNormalization by the statistics of the batch, which are written into the running ones, as ORT trains."""
    types = value_types(model.graph)
    nodes = tuple(_by_batch_statistics(node) for node in model.graph.nodes)
    statistics = ((name, node.inputs[3]) for node in nodes if node.op_type == BY_BATCH_STATISTICS for name in node.outputs[1:])
    known = tuple(ValueInfo(name, types[like]) for name, like in statistics if like in types)
    return replace(model, graph=replace(model.graph, nodes=nodes, value_info=(*model.graph.value_info, *known)))


def _by_batch_statistics(node: Node) -> Node:
    if node.op_type != "BatchNormalization" or node.domain:
        return node
    kept = {name: value for name, value in node.attributes.items() if name in ("epsilon", "momentum")}
    suffixes = ("running_mean", "running_var", "saved_mean", "saved_inv_std")
    return replace(
        node,
        op_type=BY_BATCH_STATISTICS,
        name=f"{node.name}_{BY_BATCH_STATISTICS}" if node.name else "",
        domain=MS_DOMAIN,
        since_version=1,
        outputs=(node.outputs[0], *(f"{node.outputs[0]}_{suffix}" for suffix in suffixes)),
        attributes={**kept, "training_mode": Attribute(AttributeType.INT, 1)},
    )


def without_dropping(node: Node) -> Node:
    """A dropout in evaluation mode; other nodes as they are."""
    if node.op_type == "Dropout" and len(node.inputs) > 2:
        return replace(node, inputs=node.inputs[:2])
    return node
