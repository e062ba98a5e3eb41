"""What differs between a training and an evaluation graph: which statistics BatchNormalization goes by, and whether Dropout drops."""

from __future__ import annotations

from dataclasses import replace

from pagetrain.errors import UnsupportedOpError
from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, Attribute, AttributeType, Graph, Model, Node, ValueInfo

from .value_types import value_types

BY_BATCH_STATISTICS = "BatchNormInternal"
MODE_IS_AN_ATTRIBUTE_SINCE = 14  # version of BatchNormalization; before, a node that names more than Y is in training mode
STATISTICS = ("running_mean", "running_var", "saved_mean", "saved_inv_std")  # outputs behind Y


def normalizes_by_batch(node: Node) -> bool:
    """Whether the node is a BatchNormalization in training mode. Source: ONNX BatchNormalization-7, -9, -14; ORT batch_norm.h."""
    if not _is_batch_normalization(node):
        return False
    if node.since_version < MODE_IS_AN_ATTRIBUTE_SINCE:
        return any(node.outputs[1:])
    mode = node.attributes.get("training_mode")
    return mode is not None and mode.value == 1


def depends_on_mode(node: Node) -> bool:
    """Whether the node computes something else in training than in evaluation."""
    return normalizes_by_batch(node) or without_dropping(node) is not node


def by_running_statistics(node: Node) -> Node:
    """A batch normalization in evaluation mode; other nodes as they are."""
    if not _is_batch_normalization(node):
        return node
    off = {"training_mode": Attribute(AttributeType.INT, 0)} if "training_mode" in node.attributes else {}
    return replace(node, outputs=node.outputs[:1], attributes={**node.attributes, **off})


def without_dropping(node: Node) -> Node:
    """A dropout in evaluation mode, in sub-graphs too; other nodes as they are."""
    if node.op_type == "Dropout" and len(node.inputs) > 2:
        return replace(node, inputs=node.inputs[:2])
    changed = {}
    for name, attribute in node.attributes.items():
        if isinstance(attribute.value, Graph):
            nodes = tuple(without_dropping(inner) for inner in attribute.value.nodes)
            if any(new is not old for new, old in zip(nodes, attribute.value.nodes, strict=True)):
                changed[name] = replace(attribute, value=replace(attribute.value, nodes=nodes))
    return replace(node, attributes={**node.attributes, **changed}) if changed else node


def for_evaluation(graph: Graph) -> Graph:
    """The graph with every BatchNormalization by running statistics and no Dropout that drops."""
    nodes = tuple(without_dropping(by_running_statistics(node)) for node in graph.nodes)
    gone = {name for node in graph.nodes for name in node.outputs} - {name for node in nodes for name in node.outputs}
    return replace(graph, nodes=nodes, value_info=tuple(value for value in graph.value_info if value.name not in gone))


def for_training(model: Model, every: bool = False) -> Model:
    """The model with each BatchNormalization in training mode as ORT's BatchNormInternal, which overwrites the running statistics.

    every: those in evaluation mode too, as ORT trains. Raises UnsupportedOpError for one with statistics per position (spatial=0).
    """
    types = value_types(model.graph)
    nodes = tuple(_by_batch_statistics(node) if every or normalizes_by_batch(node) else node for node in model.graph.nodes)
    statistics = ((name, node.inputs[3]) for node in nodes if node.op_type == BY_BATCH_STATISTICS for name in node.outputs[1:])
    known = tuple(ValueInfo(name, types[like]) for name, like in statistics if like in types and name not in types)
    return replace(model, graph=replace(model.graph, nodes=nodes, value_info=(*model.graph.value_info, *known)))


def _is_batch_normalization(node: Node) -> bool:
    return node.op_type == "BatchNormalization" and node.domain == ONNX_DOMAIN


def _by_batch_statistics(node: Node) -> Node:
    if not _is_batch_normalization(node):
        return node
    if (spatial := node.attributes.get("spatial")) is not None and spatial.value == 0:
        raise UnsupportedOpError(
            f"{node.label} has statistics per position (spatial=0), which cannot be measured in training; "
            "export the model in evaluation mode, or with a newer opset.",
            (f"{node.domain}:{node.op_type}:{node.since_version}",),
        )
    kept = {name: value for name, value in node.attributes.items() if name in ("epsilon", "momentum")}
    named = (*node.outputs, "", "", "", "")
    return replace(
        node,
        op_type=BY_BATCH_STATISTICS,
        name=f"{node.name}_{BY_BATCH_STATISTICS}" if node.name else "",
        domain=MS_DOMAIN,
        since_version=1,
        outputs=(node.outputs[0], *(named[index] or f"{node.outputs[0]}_{name}" for index, name in enumerate(STATISTICS, 1))),
        attributes={**kept, "training_mode": Attribute(AttributeType.INT, 1)},
    )
