"""Layers with weights, and which weights a pattern means."""

from dataclasses import replace

import numpy as np
import pytest
from onnx import helper

from artifacts_tool.layers import UnknownWeightError, layers_of, matching, origins, parameters_of
from artifacts_tool.logits import find_scored
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.proto_reader import model_of
from artifacts_tool.skeleton import inference_skeleton
from pagetrain.graph import Tensor

from .small_models import model, network

pytestmark = pytest.mark.oracle


def graph():
    return model_of(network()).graph


def test_a_bias_that_is_added_belongs_to_its_layer():
    """On either side of the addition; statistics are no weights of a layer."""
    layers = [(layer.node.name, layer.weights) for layer in layers_of(graph())]
    assert layers == [("first", ("w1", "b1")), ("second", ("w2", "b2")), ("norm", ("scale", "bias")), ("third", ("w3",))]


def test_statistics_and_idle_weights_are_no_parameters_of_a_model():
    """What people count."""
    assert parameters_of(graph()) == ["w1", "b1", "w2", "b2", "scale", "bias", "w3"]


def test_a_weight_is_found_behind_what_passes_it_on():
    """Through two nodes."""
    nodes = [
        helper.make_node("Identity", ["v"], ["a"]),
        helper.make_node("Transpose", ["a"], ["b"]),
        helper.make_node("MatMul", ["x", "b"], ["y"]),
    ]
    made = model_of(model(nodes, {"x": ["N", 4]}, [("y", 1, ["N", 3])], {"v": (3, 4)})).graph
    assert origins(made) == {"v": "v", "a": "v", "b": "v"}
    assert [layer.weights for layer in layers_of(made)] == [("v",)]


def scanning():
    """A model with a Scan whose body takes R and W from outside."""
    values = [helper.make_empty_tensor_value_info(name) for name in ("h", "x_t", "next")]
    step = [
        helper.make_node("MatMul", ["h", "R"], ["hR"]),
        helper.make_node("MatMul", ["x_t", "W"], ["xW"]),
        helper.make_node("Add", ["hR", "xW"], ["next"]),
    ]
    body = helper.make_graph(step, "body", values[:2], values[2:])
    nodes = [
        helper.make_node("MatMul", ["first", "head"], ["h0"], name="start"),
        helper.make_node("Scan", ["h0", "x"], ["last"], name="scan", body=body, num_scan_inputs=1),
        helper.make_node("MatMul", ["last", "head"], ["y"], name="end"),
    ]
    weights = {"R": (4, 4), "W": (3, 4), "head": (4, 4)}
    return model_of(model(nodes, {"x": ["T", "N", 3], "first": ["N", 4]}, [("y", 1, ["N", 4])], weights))


def test_weights_in_a_body_are_those_of_its_node():
    """They are read by nobody else; the model without values that is exported keeps what the body needs."""
    assert [(layer.node.name, layer.weights) for layer in layers_of(scanning().graph)] == [("start", ("head",)), ("scan", ("R", "W"))]
    typed = infer_types(scanning())
    kept = replace(typed, graph=replace(typed.graph, inputs=typed.graph.inputs[:1]))
    constant = Tensor("first", np.zeros((1, 4), np.float32))
    kept = replace(kept, graph=replace(kept.graph, initializers=(*kept.graph.initializers, constant)))
    skeleton = inference_skeleton(kept, ["R"], "x", "y").graph
    assert {tensor.name for tensor in skeleton.initializers} >= {"W", "head", "first"}


@pytest.mark.parametrize(
    "pattern,names",
    [
        ("last:2", ["scale", "bias", "w3"]),
        ("last:99", ["w1", "b1", "w2", "b2", "scale", "bias", "w3"]),
        ("w?", ["w1", "w2", "w3"]),
        ("b*", ["b1", "b2", "bias"]),
        ("w2", ["w2"]),
    ],
)
def test_patterns(pattern, names):
    """The last layers (all, if there are fewer), * and ?, and plain names."""
    assert matching(graph(), [pattern]) == names


def test_a_name_with_a_bracket_is_a_name():
    """Exporters write them; it is not taken for a pattern's set of characters."""
    nodes = [helper.make_node("MatMul", ["x", "head[0].w"], ["y"])]
    made = model_of(model(nodes, {"x": ["N", 4]}, [("y", 1, ["N", 3])], {"head[0].w": (4, 3)})).graph
    assert matching(made, ["head[0].w"]) == ["head[0].w"]


@pytest.mark.parametrize("pattern", ["last:0", "last:x", "last:", "nothing"])
def test_senseless_patterns(pattern):
    """One sentence that names the pattern."""
    with pytest.raises(UnknownWeightError, match=pattern):
        matching(graph(), [pattern])


@pytest.mark.parametrize(
    "pattern,hint",
    [
        ("scal", "did you mean 'scale'"),
        ("Bias*", "did you mean 'bias'"),
        ("third", "did you mean 'w3'"),
        ("seco*", "did you mean 'w2', 'b2'"),
        ("qqqqq", "`inspect` lists the 10"),
    ],
)
def test_what_may_have_been_meant(pattern, hint):
    """Names that look alike or hold the word, and the weights of a layer whose node is called so."""
    with pytest.raises(UnknownWeightError, match=hint):
        matching(graph(), [pattern])


def test_a_model_without_weights():
    """Is told so."""
    made = model_of(model([helper.make_node("Relu", ["x"], ["y"])], {"x": ["N"]}, [("y", 1, ["N"])], {"one": np.array(1)})).graph
    with pytest.raises(UnknownWeightError, match="the model has none"):
        matching(made, ["*"])


def test_binary_cross_entropy_stands_before_the_sigmoid():
    """And an error of squares stays on the output."""
    made = model_of(network([helper.make_node("Sigmoid", ["logits"], ["s"])], [("s", 1, ["N", 3])])).graph
    assert find_scored(made, LossType.BCEWithLogitsLoss).value == "logits"
    assert find_scored(made, LossType.MSELoss).value == "s"
