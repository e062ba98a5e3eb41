"""onnxformat against onnx: the bytes are the ModelProto that artifacts_tool makes of the same model."""

import numpy as np
import onnx
import pytest

from artifacts_tool.onnx_io import infer_types, read
from artifacts_tool.proto_writer import proto_of
from pagetrain import onnxformat
from pagetrain.graph import Attribute, AttributeType, Graph, Model, Node, SequenceType, Tensor, TensorType, ValueInfo
from pagetrain.graph import ElementType as E
from tests.api.golden import DATA

pytestmark = pytest.mark.oracle

MODELS = sorted(DATA.glob("*/*.onnx"))


def parsed(model):
    return onnx.ModelProto.FromString(onnxformat.dump(model))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_models_of_the_real_generator(path):
    """Forward, training, eval and optimizer graphs, with all inner values typed."""
    model = infer_types(read(path))
    assert parsed(model) == proto_of(model)


def everything():
    """Each kind of attribute, type and text, negative numbers, empty names, a graph in a node."""
    tensor = Tensor("t", np.array([[1.5, -2]], np.float32), "of two")
    inner = Graph("inner", (Node("Neg", ("x",), ("y",)),), (), (ValueInfo("y", None),), (Tensor("n", np.array(-3)),))
    kinds = {
        AttributeType.FLOAT: -0.5,
        AttributeType.INT: -7,
        AttributeType.STRING: "über",
        AttributeType.TENSOR: tensor,
        AttributeType.GRAPH: inner,
        AttributeType.FLOATS: (1.0, 0.25),
        AttributeType.INTS: (-1, 0, 2**40),
        AttributeType.STRINGS: ("a", ""),
        AttributeType.TENSORS: (tensor, tensor),
    }
    node = Node(
        "Any", ("x", "", "t"), ("", "y"), "one", "own", {kind.name: Attribute(kind, value) for kind, value in kinds.items()}, 1, "d"
    )
    values = (
        ValueInfo("x", TensorType(E.FLOAT, ("N", 3, None)), "given"),
        ValueInfo("s", SequenceType(TensorType(E.INT64))),
        ValueInfo("scalar", TensorType(E.DOUBLE, ())),
    )
    graph = Graph("g", (node,), values, (ValueInfo("y", None),), (tensor, Tensor("half", np.zeros((0, 2), np.float16))), values, "doc")
    return Model(graph, 8, {"": 17, "own": 1}, "maker", "1.0", {"key": "value", "empty": ""}, "text", "of.the.maker", 7)


def test_every_kind_of_part():
    """Nothing is lost and nothing added."""
    model = everything()
    assert parsed(model) == proto_of(model)


def test_texts_as_tensors():
    """string_data, in UTF-8."""
    texts = np.array([["a", "ü"], ["", "b"]], object)
    graph = Graph("g", (), (), (), (Tensor("labels", texts),))
    (found,) = parsed(Model(graph, 8, {"": 17})).graph.initializer
    assert onnx.numpy_helper.to_array(found).tolist() == [["a", "ü"], ["", "b"]]
