"""RNN, GRU and LSTM as Scans, which have a gradient: for any number of steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ONNX_DOMAIN, Graph, Model, Node, Tensor, TensorType

from .gradient.path import trace
from .gradient.scan_form import SCAN_SINCE
from .node_writer import NodeWriter
from .onnx_io import infer_types
from .op_schemas import since_version
from .recurrent_node import GATES, recurrent_node
from .recurrent_scan import ScanWriter
from .value_types import value_types

CHANGED = ("Scan", "Upsample")  # what these mean in opsets 7 and 8 cannot be said in opset 9


def with_scans(model: Model, trained: Collection[str], loss: str) -> Model:
    """The typed model with a Scan for every recurrent node between the `trained` values and the loss, and typed again.

    Scan as it is needed exists from opset 9 on: a model of an older one becomes one of opset 9, in which its ops mean the same.
    Raises InvalidInputError where they do not, and for nodes of unknown size; UnsupportedOpError for unknown activations.
    """
    path = trace(model.graph, value_types(model.graph), trained, [loss])
    if not any(is_recurrent(node) for node in path.nodes):
        return model
    model = _with_scan(model)
    types, opset = value_types(model.graph), model.opset_import[ONNX_DOMAIN]
    nodes: list[Node] = []
    constants: list[Tensor] = []
    for node in model.graph.nodes:
        if is_recurrent(node) and path.values.intersection(node.outputs):
            steps = steps_of(node, types, opset)
            nodes += steps.nodes
            constants += steps.constants
        else:
            nodes.append(node)
    graph = replace(model.graph, nodes=tuple(nodes), initializers=(*model.graph.initializers, *constants))
    return infer_types(replace(model, graph=graph))


def steps_of(node: Node, types: Mapping[str, TensorType], opset: int) -> NodeWriter:
    """The nodes and constants that take the recurrent node's place. Raises what with_scans raises for a node."""
    read = recurrent_node(node, types[node.inputs[0]], types.get(node.inputs[2]))
    writer = NodeWriter(f"{read.name}_steps", max(opset, SCAN_SINCE), read.dtype)
    ScanWriter(read, writer).write()
    return writer


def is_recurrent(node: Node) -> bool:
    """Whether the node becomes a Scan in order to be trained."""
    return node.domain == ONNX_DOMAIN and node.op_type in GATES


def _with_scan(model: Model) -> Model:
    """The model in opset 9, if it has an older one."""
    if model.opset_import[ONNX_DOMAIN] >= SCAN_SINCE:
        return model
    nodes = tuple(_raised(node, model.opset_import[ONNX_DOMAIN]) for node in model.graph.nodes)
    return replace(model, opset_import={**model.opset_import, ONNX_DOMAIN: SCAN_SINCE}, graph=replace(model.graph, nodes=nodes))


def _raised(node: Node, opset: int) -> Node:
    """The node as one of opset 9."""
    if node.domain != ONNX_DOMAIN:
        return node
    spatial = node.attributes.get("spatial")
    inner = any(isinstance(attribute.value, Graph) for attribute in node.attributes.values())
    if node.op_type in CHANGED or inner or (spatial is not None and spatial.value != 1):
        raise InvalidInputError(
            f"{node.label} and a recurrent op in one model of opset {opset} cannot be trained; export it with a newer one."
        )
    attributes = {name: value for name, value in node.attributes.items() if name != "spatial"}
    return replace(node, attributes=attributes, since_version=since_version(node.op_type, ONNX_DOMAIN, SCAN_SINCE))
