"""artifacts_tool.functions: a function written as its body computes what onnxruntime computes, and can be trained."""

from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from artifacts_tool.forward import prepare
from artifacts_tool.functions import with_functions_expanded
from artifacts_tool.onnx_io import infer_types, read
from artifacts_tool.proto_reader import model_of
from artifacts_tool.proto_writer import proto_of
from pagetrain import kernels
from pagetrain.graph import MS_DOMAIN as MS
from pagetrain.graph import Graph, Model, Tensor, ValueInfo
from tests.gradient.cases.values import ints, normal
from tests.gradient.projection import Case, check_graph, feeds_of, inputs_of, node, projected, run

pytestmark = pytest.mark.oracle

Q, K, V = normal(2, 3, 4, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 5)
FLAT_Q, FLAT_K, FLAT_V = normal(2, 4, 24), normal(2, 6, 24), normal(2, 6, 15)
HEADS = {"q_num_heads": 3, "kv_num_heads": 3}
KEPT = np.array([[1, 1, 1, 0, 1, 1], [1, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1]], bool)
OPEN = {0: ("N", 3, "L", 8), 1: ("N", 3, "S", 8), 2: ("N", 3, "S", 5)}
LABELS = np.array([[0, 2, 1, 0], [1, 1, 2, 2]])
ANGLES = (normal(10, 4), normal(10, 4))
PLACES = np.array([[0, 3, 9, 1], [2, 2, 5, 4]])


def attention(opset):
    """Masks, causality, groups of heads, and keys and values of before; heads apart and together."""
    made = {
        "plain": ([Q, K, V], (0, 1, 2), {}),
        "scaled": ([Q, K, V], (0, 1, 2), {"scale": 0.3, "softcap": 2.0}),
        "causal": ([Q, K, V], (0, 1, 2), {"is_causal": 1}),
        "mask": ([Q, K, V, normal(4, 6)], (0, 1, 2, 3), {}),
        "kept": ([Q, K, V, KEPT], (0, 1, 2), {}),
        "groups": ([normal(2, 6, 4, 8), K, V], (0, 1, 2), {}),
        "flat": ([FLAT_Q, FLAT_K, FLAT_V], (0, 1, 2), HEADS),
        "flat_groups": ([normal(2, 4, 48), FLAT_K, FLAT_V], (0, 1, 2), {**HEADS, "q_num_heads": 6}),
        "past": ([Q, K, V, None, normal(2, 3, 2, 8), normal(2, 3, 2, 5)], (0, 1, 2, 4, 5), {"is_causal": 1}),
    }
    for note, (inputs, by, attributes) in made.items():
        yield Case("Attention", inputs, by, attributes, 3 if note == "past" else 1, opset, note=f"{note}{opset}")
    yield Case("Attention", [Q, K, V], (0, 1, 2), {"is_causal": 1}, 1, opset, OPEN, f"open{opset}")


def losses(opset):
    for weights in ([], [np.abs(normal(3))]):
        for attributes in ({"reduction": "none"}, {"reduction": "sum"}, {}, {"ignore_index": 1}):
            note = f"opset{opset}_{len(weights)}_{attributes}"
            yield Case("NegativeLogLikelihoodLoss", [normal(2, 3, 4), LABELS, *weights], (0,), attributes, opset=opset, note=note)


ACTIVATIONS = {
    "": (),
    "Relu": (),
    "Tanh": (),
    "Sigmoid": (),
    "LeakyRelu": (0.3,),
    "Clip": (-0.5, 0.5),
    "HardSigmoid": (0.3, 0.4),
}


def fused():
    """Activations, transpositions, and the sum as an output of its own."""
    for activation, numbers in ACTIVATIONS.items():
        given = {"activation": activation, "activation_params": numbers} if numbers else {"activation": activation} if activation else {}
        inputs = [normal(2, 4, 6, 5), normal(6, 2, 3, 3), normal(6)]
        note = f"activation{activation}"
        yield Case("FusedConv", inputs, (0, 1, 2), {"group": 2, **given}, domain=MS, note=note)
        if activation not in ("", "Clip"):  # onnxruntime's FusedGemm has neither
            given = {"activation": activation, **dict(zip(("activation_alpha", "activation_beta"), numbers, strict=False))}
            yield Case("FusedGemm", [normal(2, 3), normal(4, 3), normal(4)], (0, 1, 2), {"transB": 1, **given}, domain=MS, note=note)
    sums = [normal(2, 4, 6, 5), normal(3, 4, 3, 3), normal(3), normal(2, 3, 4, 3)]
    yield Case("FusedConv", sums, (0, 1, 2, 3), {"activation": "Relu"}, domain=MS, note="sum", opset=10)
    for transA in (0, 1):
        for transB in (0, 1):
            A, B = normal(2, *((4, 3) if transA else (3, 4))), normal(2, *((5, 4) if transB else (4, 5)))
            given = {"alpha": 0.5, "transA": transA, "transB": transB}
            yield Case("FusedMatMul", [A, B], (0, 1), given, domain=MS, note=f"t{transA}{transB}")
    batches = {"transBatchA": 1, "transBatchB": 1, "transB": 1}
    yield Case("FusedMatMul", [normal(3, 2, 4), normal(5, 2, 4)], (0, 1), batches, domain=MS, note="batches")
    rows = [normal(2, 3, 4), normal(2, 3, 4), normal(4), normal(4), normal(4)]
    for count in (3, 4, 5):
        yield Case("SkipLayerNormalization", rows[:count], tuple(range(count)), {"epsilon": 0.01}, domain=MS, note=f"of{count}")
    for count in (3, 4):
        yield Case("SkipSimplifiedLayerNormalization", rows[:count], tuple(range(count)), {"epsilon": 0.01}, domain=MS, note=f"of{count}")


def linear_attention():
    """Every rule of updating; small keys and decays, so that states stay small."""
    Q, K, V, state = normal(2, 4, 24), normal(2, 4, 24) * 0.3, normal(2, 4, 24), normal(2, 3, 8, 8)
    decay, beta = -np.abs(normal(2, 4, 3)), np.abs(normal(2, 4, 3)) * 0.3
    given = {
        "linear": ([Q, K, V], (0, 1, 2)),
        "gated": ([Q, K, V, None, decay], (0, 1, 2, 4)),
        "delta": ([Q, K, V, None, None, beta], (0, 1, 2, 5)),
        "gated_delta": ([Q, K, V, state, decay, beta], (0, 1, 2, 3, 4, 5)),
    }
    for rule, (inputs, by) in given.items():
        yield Case("LinearAttention", inputs, by, {**HEADS, "update_rule": rule}, 2, 27, note=rule)


CASES = [
    *linear_attention(),
    *fused(),
    *(case for opset in (23, 24, 28) for case in attention(opset)),
    *(case for opset in (12, 13, 18, 22) for case in losses(opset)),
    *(
        Case(
            "RotaryEmbedding",
            [normal(2, 3, 4, 8), normal(2, 4, 4), normal(2, 4, 4)],
            (0, 1, 2),
            {"interleaved": way},
            opset=23,
            note=f"way{way}",
        )
        for way in (0, 1)
    ),
    Case("RotaryEmbedding", [FLAT_Q, *ANGLES, PLACES], (0, 1, 2), {"num_heads": 3}, opset=23, note="flat"),
    Case(
        "RotaryEmbedding",
        [FLAT_Q, ANGLES[0][:, :3], ANGLES[1][:, :3], PLACES],
        (0,),
        {"num_heads": 3, "rotary_embedding_dim": 6},
        opset=28,
        note="some",
    ),
    Case("CenterCropPad", [normal(4, 5, 6), ints(3, 9)], (0,), {"axes": (0, -1)}, opset=18),
    Case("CenterCropPad", [normal(4, 5), ints(7, 2)], (0,), opset=25, note="all"),
    *(
        Case(
            "AffineGrid",
            [normal(2, rank, rank + 1), ints(2, 3, *range(4, 4 + rank))],
            (0,),
            {"align_corners": align},
            opset=20,
            constants=(1,),
        )
        for rank, align in ((2, 0), (2, 1), (3, 0))  # (3, 1) has an If with branches of different ranks
    ),
    Case("DynamicQuantizeLinear", [normal(3, 4)], (), outputs=3, opset=11),  # its gradient, no derivative: gradient/test_quantize_oracle.py
    Case("CausalConvWithState", [normal(2, 3, 5), normal(3, 1, 3)], (0, 1), outputs=2, opset=27),
]


def expanded(case, u):
    """The case's graph with its loss, and no function in it that has no kernel."""
    model = Model(projected(case, u), 8, {"": case.opset, MS: 1})
    return infer_types(prepare(model)).graph


def forward(case):
    """The case as a model of one node."""
    outputs = tuple(ValueInfo(f"y{index}", None) for index in range(case.outputs))
    constants = tuple(Tensor(f"x{index}", case.inputs[index]) for index in case.constants)
    graph = Graph("forward", (node(case),), tuple(inputs_of(case)), outputs, constants)
    return infer_types(Model(graph, 8, {"": case.opset, MS: 1}))


def in_float32(case):
    return replace(case, inputs=[x.astype(np.float32) if x is not None and x.dtype == np.float64 else x for x in case.inputs])


@pytest.mark.parametrize("case", map(in_float32, CASES), ids=str)
def test_the_body_computes_what_onnxruntime_computes(case):
    """In float32, all outputs."""
    model = forward(case)
    session = onnxruntime.InferenceSession(proto_of(model).SerializeToString(), providers=["CPUExecutionProvider"])
    names = [f"y{index}" for index in range(case.outputs)]
    graph = prepare(model).graph
    feeds = {value.name: feeds_of(case)[value.name] for value in graph.inputs}
    theirs = session.run(names, feeds)
    assert all(kernels.find(n.domain, n.op_type, n.since_version) for n in graph.nodes)
    ours = run(graph, feeds, names)
    for name, expected in zip(names, theirs, strict=True):
        np.testing.assert_allclose(ours[name], expected, rtol=1e-5, atol=1e-6)  # float32 through some twenty nodes


@pytest.mark.parametrize("case", [case for case in CASES if case.differentiable], ids=str)
def test_the_body_has_the_derivative_of_the_function(case):
    """By float64 projection, by every float input."""
    # The body of LinearAttention keeps its state in float32: rounding by 1e-7 of values near 20, over a step of 3e-3, is some 1e-3.
    in_float = {"step": 3e-3, "rtol": 1e-3} if case.op_type == "LinearAttention" else {}
    rng = np.random.default_rng(0)
    feeds = {value.name: feeds_of(case)[value.name] for value in inputs_of(case)}
    size = run(prepare(forward(case)).graph, feeds, ["y0"])["y0"].size
    names = [f"x{index}" for index in case.differentiable]
    check_graph(expanded(case, rng.normal(size=size)), feeds, names, case.opset, rng, **in_float)


def test_functions_that_the_trainer_knows_stay():
    """Gelu and Softmax have bodies, too, but also kernels and rules."""
    text = '<ir_version: 10, opset_import: ["" : 20]> m (float[N, 3] x) => (float[N, 3] y) { a = Gelu (x) b = Softmax (a) y = Mish (b) }'
    model = model_of(onnx.parser.parse_model(text))
    assert with_functions_expanded(model) is model


def branch(name, op_type, opset=13):
    output = helper.make_tensor_value_info("v", TensorProto.FLOAT, [])
    return helper.make_graph([helper.make_node(op_type, ["s", "labels"], ["v"])], name, [], [output])


def test_functions_in_branches_and_in_local_functions_are_expanded():
    """NegativeLogLikelihoodLoss in both branches of an If that stands in a local function."""
    loss = "NegativeLogLikelihoodLoss"
    inner = helper.make_node("If", ["c"], ["y"], then_branch=branch("then", loss), else_branch=branch("else", loss))
    opset = [helper.make_opsetid("", 13)]
    function = helper.make_function("own", "Loss", ["s", "labels", "c"], ["y"], [inner], opset)
    values = {"s": (TensorProto.FLOAT, [2, 3]), "labels": (TensorProto.INT64, [2]), "c": (TensorProto.BOOL, [])}
    inputs = [helper.make_tensor_value_info(name, *known) for name, known in values.items()]
    call = helper.make_node("Loss", list(values), ["y"], domain="own")
    graph = helper.make_graph([call], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])])
    proto = helper.make_model(graph, functions=[function], opset_imports=[*opset, helper.make_opsetid("own", 1)], ir_version=8)
    made = infer_types(prepare(read(proto))).graph
    assert all(kernels.find(n.domain, n.op_type, n.since_version) for n in made.nodes)
    feeds = {"s": normal(2, 3).astype(np.float32), "labels": np.array([2, 0]), "c": np.array(True)}
    np.testing.assert_allclose(run(made, feeds, ["y"])["y"], -(feeds["s"][0, 2] + feeds["s"][1, 0]) / 2, rtol=1e-6)
