"""What the rules emit is ONNX of the model's opset: checker and strict type inference accept it, and onnxruntime runs it, in float32."""

from dataclasses import replace

import numpy as np
import pytest

from artifacts_tool.gradient import differentiate
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.value_types import value_types
from pagetrain.graph import Graph, Model, ValueInfo
from pagetrain.topology import subgraphs

from .cases import ALL
from .projection import feeds_of, output_size, projected, run

pytestmark = pytest.mark.oracle
LEFT_OUT = {
    "Cast": "its case ends in float64",
    "MaxPool": "MaxPoolGrad is an op of ORT's in the default domain",
    "SimplifiedLayerNormalization": "as above",
    ("GroupNormalization", "opset18"): "the checker takes the version as deprecated",
    ("GroupNormalization", "opset18_symbolic"): "as above",
    ("Scan", "constant"): "its body holds float64",
    ("AveragePool", "ceil_pads"): "onnx infers one window more than the specification has",
}
DOUBLE = np.dtype(np.float64)


def in_float32(case):
    """The case with float32 inputs, as models have; some ops know no other type."""
    return replace(case, inputs=[x.astype(np.float32) if x is not None and x.dtype == DOUBLE else x for x in case.inputs])


def whole_model(case):
    """The forward node, a loss, the backward pass, and the gradients as outputs."""
    graph = projected(case, np.ones(output_size(case), np.float32))
    names = [f"x{index}" for index in case.differentiable]
    made = differentiate(graph, value_types(graph), names, "loss", case.opset)
    gradients = {f"{name}_grad" for name in names}
    outputs = [ValueInfo(name, made.types.get(name)) for name in sorted(gradients)]
    known = [ValueInfo(name, type_) for name, type_ in made.types.items() if name not in gradients]
    whole = Graph(
        "whole",
        (*made.forward, *made.nodes),
        graph.inputs,
        (*graph.outputs, *outputs),
        (*graph.initializers, *made.initializers),
        (*graph.value_info, *known),
    )
    return Model(whole, 8, {"": case.opset, "com.microsoft": 1})


# Of every graph input the checker wants a shape, so no case of unknown rank.
CHECKED = [
    in_float32(case)
    for case in ALL
    if None not in case.symbolic.values() and (case.op_type, case.note) not in LEFT_OUT and case.op_type not in LEFT_OUT
]


@pytest.mark.parametrize("case", CHECKED, ids=str)
def test_emitted_nodes_are_valid(case):
    """Ops exist in the opset, with these inputs, attributes and element types."""
    import onnx.checker

    model = whole_model(case)
    onnx.checker.check_model(proto_of(model))
    infer_types(model)


INFERENCE_OPS = {
    "",
    "FusedMatMul",
    "Gelu",
    "BiasGelu",
    "FastGelu",
    "QuickGelu",
    "Trilu",
}  # com.microsoft ops of the package without training


def _ms_ops(graph):
    inner = (_ms_ops(body) for node in graph.nodes for body in subgraphs(node))
    return {node.op_type for node in graph.nodes if node.domain}.union(*inner)


NOT_IN_ORT = {
    ("LRN", "size4"): "onnxruntime takes odd sizes alone",
    ("Resize", "fraction"): "with align_corners onnxruntime drops the fraction of the new size, onnx's node tests keep it",
    ("Resize", "fraction_any_size"): "as above",
}


@pytest.mark.parametrize("case", [case for case in CHECKED if (case.op_type, case.note) not in NOT_IN_ORT], ids=str)
def test_onnxruntime_runs_what_is_emitted(case):
    """Loss and gradients, wherever no training kernel takes part, are those of pagetrain's kernels."""
    import onnxruntime

    model = whole_model(case)
    if not _ms_ops(model.graph) <= INFERENCE_OPS:
        return
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto_of(model).SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {value.name: feeds_of(case)[value.name] for value in model.graph.inputs}
    names = [value.name for value in model.graph.outputs]
    ours = run(model.graph, feeds, names)
    for name, theirs in zip(names, session.run(names, feeds), strict=True):
        # float32 through a few nodes, with sums in another order.
        np.testing.assert_allclose(ours[name], theirs, rtol=1e-4, atol=1e-5)
