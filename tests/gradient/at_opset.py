"""A case's forward node and what its rule emits at another opset than the case's own."""

import numpy as np
import onnx
import onnx.checker

from artifacts_tool.gradient import differentiate
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.value_types import value_types
from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Model

from .projection import node, output_size, projected


def is_valid(nodes, opset):
    """Whether onnx's checker takes each node as one of the opset."""
    context = onnx.checker.C.CheckerContext()
    context.ir_version, context.opset_imports = 8, {"": opset, "com.microsoft": 1}
    for proto in proto_of(Model(Graph("g", tuple(nodes), (), ()), 8, {"": opset})).graph.node:
        try:
            onnx.checker.check_node(proto, context)
        except onnx.checker.ValidationError:
            return False
    return True


def graph_at(case, opset):
    """The case's graph, None where its forward node is none of this opset."""
    if not case.domain and not (onnx.defs.has(case.op_type, opset, "") and is_valid([node(case)], opset)):
        return None
    try:
        return projected(case, np.ones(output_size(case)))
    except PagetrainError:
        return None


def emitted(case, graph):
    """The backward nodes; the message where the opset is refused."""
    try:
        return differentiate(graph, value_types(graph), [f"x{i}" for i in case.differentiable], "loss", case.opset).nodes, ""
    except PagetrainError as error:
        return [], str(error)
