"""Every rule at every old opset: what it emits exists there and is valid there, or the opset is refused by name."""

import dataclasses

import numpy as np
import onnx
import onnx.checker
import pytest

from artifacts_tool.gradient import differentiate
from artifacts_tool.op_schemas import ORT_OPS
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.value_types import value_types
from pagetrain import kernels
from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Model

from .cases import ALL
from .projection import node, output_size, projected

pytestmark = pytest.mark.oracle


def is_valid(nodes, opset):
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


@pytest.mark.parametrize("opset", [7, 8, 9, 10, 11, 12, 13, 15, 18, 21])
def test_what_rules_emit_is_valid_at_the_opset(opset):
    """For every case whose forward node is valid there: each emitted node passes onnx's checker and has a kernel."""
    for case in (dataclasses.replace(case, opset=opset) for case in ALL):
        graph = graph_at(case, opset)
        if graph is None:
            continue
        nodes, refusal = emitted(case, graph)
        assert not refusal or (opset < 11 and "opset" in refusal), (case, refusal)
        assert is_valid([n for n in nodes if n.domain or n.op_type not in ORT_OPS], opset), case
        assert all(kernels.find(n.domain, n.op_type, n.since_version) for n in nodes), case
