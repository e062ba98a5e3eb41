"""Ops that shape inference does not know, most of com.microsoft, and standard ones whose first result has the same type."""

from __future__ import annotations

from dataclasses import replace

import onnx.defs

from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, Graph, Node

# (domain, op): (the standard one, how many of the inputs it takes)
STAND_INS = {
    (MS_DOMAIN, "BiasGelu"): ("Identity", 1),
    (MS_DOMAIN, "FastGelu"): ("Identity", 1),
    (MS_DOMAIN, "FusedConv"): ("Conv", 3),
    (MS_DOMAIN, "FusedGemm"): ("Gemm", 3),
    (MS_DOMAIN, "Gelu"): ("Identity", 1),
    (MS_DOMAIN, "QuickGelu"): ("Identity", 1),
    (MS_DOMAIN, "SkipLayerNormalization"): ("Identity", 1),
    (MS_DOMAIN, "Trilu"): ("Identity", 1),
    (ONNX_DOMAIN, "GroupNormalization"): ("Identity", 1),  # a function, of which inference makes nothing
    (ONNX_DOMAIN, "LayerNormalization"): ("Identity", 1),  # ORT's, in models of opsets before ONNX's
    (ONNX_DOMAIN, "MeanVarianceNormalization"): ("Identity", 1),  # the same, and an error without axes
    (ONNX_DOMAIN, "SimplifiedLayerNormalization"): ("Identity", 1),
}
KNOWN_SINCE = {(ONNX_DOMAIN, "LayerNormalization"): 17}  # from this version on inference needs no help


def with_stand_ins(graph: Graph, opset: int) -> Graph:
    """The graph as shape inference is to see it."""
    return replace(graph, nodes=tuple(_stand_in(node, opset) if _has_stand_in(node) else node for node in graph.nodes))


def _has_stand_in(node: Node) -> bool:
    op = (node.domain, node.op_type)
    return op in STAND_INS and (op not in KNOWN_SINCE or node.since_version < KNOWN_SINCE[op])


def _stand_in(node: Node, opset: int) -> Node:
    op_type, inputs = STAND_INS[node.domain, node.op_type]
    schema = onnx.defs.get_schema(op_type, opset, ONNX_DOMAIN)
    attributes = {name: value for name, value in node.attributes.items() if name in schema.attributes}
    known = replace(node, inputs=node.inputs[:inputs], outputs=node.outputs[:1])
    return replace(known, op_type=op_type, domain=ONNX_DOMAIN, attributes=attributes)
