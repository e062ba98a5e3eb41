"""Small models for check and its command line: `network` for most, `model` for anything else."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper

from artifacts_tool.check import Request, check
from artifacts_tool.proto_reader import model_of

RNG = np.random.default_rng(3)
SHAPES = {
    "w1": (4, 6),
    "b1": (6,),
    "w2": (6, 6),
    "b2": (6,),
    "scale": (6,),
    "bias": (6,),
    "mean": (6,),
    "var": (6,),
    "w3": (6, 3),
    "idle": (2,),
}
SOFTMAX = helper.make_node("Softmax", ["logits"], ["p"], name="soft")
ARGMAX = helper.make_node("ArgMax", ["p"], ["label"], axis=1, keepdims=0, name="best")


def network(nodes=(), outputs=(("logits", 1, ["N", 3]),), shapes=SHAPES, opset=17):
    """x (N, 4) -> MatMul + Add -> Relu -> MatMul + Add -> BatchNormalization -> MatMul -> logits (N, 3), and more nodes."""
    layers = [
        helper.make_node("MatMul", ["x", "w1"], ["p1"], name="first"),
        helper.make_node("Add", ["p1", "b1"], ["h1"], name="first_bias"),
        helper.make_node("Relu", ["h1"], ["a1"], name="relu"),
        helper.make_node("MatMul", ["a1", "w2"], ["p2"], name="second"),
        helper.make_node("Add", ["b2", "p2"], ["h2"], name="second_bias"),
        helper.make_node("BatchNormalization", ["h2", "scale", "bias", "mean", "var"], ["n"], name="norm"),
        helper.make_node("MatMul", ["n", "w3"], ["logits"], name="third"),
    ]
    return model([*layers, *nodes], {"x": ["N", 4]}, outputs, shapes, opset)


def model(nodes, inputs, outputs, weights, opset=17, domains=()):
    """A ModelProto. inputs: {name: shape} of floats; outputs: (name, type, shape); weights: {name: shape, or the values}."""
    made = {name: given if isinstance(given, np.ndarray) else RNG.random(given).astype(np.float32) for name, given in weights.items()}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, 1, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(*output) for output in outputs],
        [onnx.numpy_helper.from_array(values, name) for name, values in made.items()],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def checked(made, *patterns, **asked):
    """The report on training what the patterns mean."""
    return check(model_of(made), Request(patterns, **asked)).report
