"""Small float32 models and what an exporter makes of them in float16."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

KINDS = ("half", "half inside", "half weights")


def convnet():
    """x (N, 3, 8, 8) -> logits (N, 4): convolution, batch normalization, ReLU, pools, Gemm."""
    shapes = {"conv": (6, 3, 3, 3), "scale": (6,), "shift": (6,), "mean": (6,), "var": (6,), "fc.weight": (4, 6), "fc.bias": (4,)}
    nodes = [
        helper.make_node("Conv", ["x", "conv"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["n"]),
        helper.make_node("Relu", ["n"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["m"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("GlobalAveragePool", ["m"], ["g"]),
        helper.make_node("Flatten", ["g"], ["features"]),
        helper.make_node("Gemm", ["features", "fc.weight", "fc.bias"], ["logits"], transB=1),
    ]
    return _model(nodes, shapes, ["N", 3, 8, 8], ["N", 4])


def encoder():
    """x (N, 5, 8) -> logits (N, 3): layer normalization, attention of one head, GELU, mean over the steps."""
    shapes = {"ln.scale": (8,), "ln.shift": (8,), "q": (8, 8), "k": (8, 8), "v": (8, 8), "up": (8, 12), "down": (12, 8), "fc": (8, 3)}
    nodes = [
        helper.make_node("LayerNormalization", ["x", "ln.scale", "ln.shift"], ["n"]),
        *(helper.make_node("MatMul", ["n", name], [f"n{name}"]) for name in "qkv"),
        helper.make_node("Transpose", ["nk"], ["nkt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["nq", "nkt"], ["s"]),
        helper.make_node("Softmax", ["s"], ["a"], axis=-1),
        helper.make_node("MatMul", ["a", "nv"], ["mixed"]),
        helper.make_node("Add", ["x", "mixed"], ["res"]),
        helper.make_node("MatMul", ["res", "up"], ["h"]),
        helper.make_node("Gelu", ["h"], ["act"]),
        helper.make_node("MatMul", ["act", "down"], ["d"]),
        helper.make_node("ReduceMean", ["d", "axes"], ["pooled"], keepdims=0),
        helper.make_node("MatMul", ["pooled", "fc"], ["logits"]),
    ]
    model = _model(nodes, shapes, ["N", 5, 8], ["N", 3])
    model.graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), "axes"))
    return model


def sequence():
    """x (N, 5, 8) -> logits (N, 3): a GRU and an LSTM both ways, the last states."""
    shapes = {"gru.W": (1, 18, 8), "gru.R": (1, 18, 6), "gru.B": (1, 36), "W": (2, 16, 6), "R": (2, 16, 4), "fc": (8, 3)}
    nodes = [
        helper.make_node("Transpose", ["x"], ["steps"], perm=[1, 0, 2]),
        helper.make_node("GRU", ["steps", "gru.W", "gru.R", "gru.B"], ["Y"], hidden_size=6),
        helper.make_node("Reshape", ["Y", "rows"], ["first"]),
        helper.make_node("LSTM", ["first", "W", "R"], ["", "H"], hidden_size=4, direction="bidirectional"),
        helper.make_node("Transpose", ["H"], ["turned"], perm=[1, 0, 2]),
        helper.make_node("Flatten", ["turned"], ["last"]),
        helper.make_node("MatMul", ["last", "fc"], ["logits"]),
    ]
    model = _model(nodes, shapes, ["N", 5, 8], ["N", 3])
    model.graph.initializer.append(numpy_helper.from_array(np.array([5, -1, 6], np.int64), "rows"))
    return model


def _model(nodes, shapes, input_shape, output_shape):
    """Weights are float16 numbers, so that a float16 form of the model has the same."""
    rng = np.random.default_rng(5)
    weights = {name: rng.normal(0, 0.5, shape) for name, shape in shapes.items()}
    weights |= {name: np.abs(weights[name]) + 0.5 for name in ("var",) if name in weights}
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, input_shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, output_shape)],
        [numpy_helper.from_array(values.astype(np.float16).astype(np.float32), name) for name, values in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def halved(model, kind):
    """The model in float16: with inputs and outputs (torch's .half()), all but these (converters that keep them), or its weights alone."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    floats = [tensor for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT]
    for tensor in floats:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
    before, behind = [], []
    if kind == "half":
        for value in (*graph.input, *graph.output):
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    elif kind == "half inside":
        before.append(_renamed_cast(graph, graph.input[0].name, "x_half", TensorProto.FLOAT16))
        graph.node[-1].output[0] = "logits_half"
        behind.append(helper.make_node("Cast", ["logits_half"], [graph.output[0].name], to=TensorProto.FLOAT))
    else:
        before += [_renamed_cast(graph, tensor.name, f"{tensor.name}_cast", TensorProto.FLOAT) for tensor in floats]
    nodes = [*before, *graph.node, *behind]
    del graph.node[:]
    graph.node.extend(nodes)
    return made


def _renamed_cast(graph, name, new, to):
    for node in graph.node:
        for index, read in enumerate(node.input):
            if read == name:
                node.input[index] = new
    return helper.make_node("Cast", [name], [new], to=to)
