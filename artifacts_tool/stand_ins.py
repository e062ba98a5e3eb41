"""Ops of com.microsoft in a forward model, and the standard ones whose results have the same type: shape inference knows only those."""

from __future__ import annotations

from dataclasses import replace

import onnx.defs

from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, Graph, Node

# op: (the standard one, how many of the inputs it takes)
STAND_INS = {
    "BiasGelu": ("Identity", 1),
    "FastGelu": ("Identity", 1),
    "FusedConv": ("Conv", 3),
    "FusedGemm": ("Gemm", 3),
    "Gelu": ("Identity", 1),
    "QuickGelu": ("Identity", 1),
}


def with_stand_ins(graph: Graph, opset: int) -> Graph:
    """The graph as shape inference is to see it."""
    return replace(graph, nodes=tuple(_stand_in(node, opset) if _has_stand_in(node) else node for node in graph.nodes))


def without_stand_ins(typed: Graph, original: Graph) -> Graph:
    """The typed graph with the original's own ops back in their places."""
    pairs = zip(typed.nodes, original.nodes, strict=True)
    return replace(typed, nodes=tuple(mine if _has_stand_in(mine) else node for node, mine in pairs))


def _has_stand_in(node: Node) -> bool:
    return node.domain == MS_DOMAIN and node.op_type in STAND_INS


def _stand_in(node: Node, opset: int) -> Node:
    op_type, inputs = STAND_INS[node.op_type]
    schema = onnx.defs.get_schema(op_type, opset, ONNX_DOMAIN)
    attributes = {name: value for name, value in node.attributes.items() if name in schema.attributes}
    return replace(node, op_type=op_type, domain=ONNX_DOMAIN, inputs=node.inputs[:inputs], attributes=attributes)
