"""artifacts_tool.onnx_io against onnx's own reader and writer."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool.onnx_io import infer_types, read, to_bytes
from artifacts_tool.proto_reader import model_of
from artifacts_tool.proto_writer import proto_of
from pagetrain.errors import FormatError

pytestmark = pytest.mark.oracle


def test_a_model_survives_the_way_through_our_classes(golden):
    """ModelProto -> Model -> ModelProto loses nothing: onnx prints both alike."""
    for stem in ("base", "training_model", "optimizer_model"):
        proto = onnx.load(golden.folder / f"{stem}.onnx")
        assert onnx.printer.to_text(proto_of(model_of(proto))) == onnx.printer.to_text(proto)


def test_every_kind_of_attribute_survives():
    """Floats, ints, strings, tensors and graphs, single and repeated, come back equal."""
    body = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "body", [], [helper.make_tensor_value_info("y", 1, [])])
    tensor = helper.make_tensor("t", TensorProto.INT64, [2], [1, 2])
    values = {"f": 0.5, "i": 3, "s": "text", "t": tensor, "g": body, "floats": [0.5, 1.5], "ints": [1, -2], "strings": ["a", "b"]}
    node = helper.make_node("Anything", ["x"], ["y"], domain="test", **values)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", 1, None)], [helper.make_tensor_value_info("y", 1, ["N", 2])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("test", 1)])
    back = proto_of(model_of(proto))
    assert {a.name: helper.get_attribute_value(a) for a in back.graph.node[0].attribute if a.name not in "tg"} == {
        "f": 0.5,
        "i": 3,
        "s": b"text",
        "floats": [0.5, 1.5],
        "ints": [1, -2],
        "strings": [b"a", b"b"],
    }
    assert back.graph.input[0] == graph.input[0]
    assert back.graph.output[0] == graph.output[0]
    assert onnx.printer.to_text(back) == onnx.printer.to_text(proto)


def test_the_same_model_gives_the_same_bytes(golden):
    """to_bytes is deterministic, and reading its bytes back changes nothing."""
    model = read(golden.folder / "base.onnx")
    assert to_bytes(model) == to_bytes(read(to_bytes(model)))


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"not a model"])
def test_bytes_that_are_no_model_are_refused(data):
    """Garbage raises FormatError; so does nothing at all, which protobuf would take for an empty model."""
    with pytest.raises(FormatError):
        read(data)


def damage_values(model):
    model.graph.initializer[0].raw_data = b"abc"


def damage_dims(model):
    model.graph.initializer[0].dims[0] = 2**40


def damage_type(model):
    model.graph.input[0].type.tensor_type.elem_type = 99


def damage_attribute(model):
    model.graph.node[0].attribute.add(name="text", type=onnx.AttributeProto.STRING, s=b"\xff")


def damage_location(model):
    model.graph.initializer[0].data_location = TensorProto.EXTERNAL
    model.graph.initializer[0].external_data.add(key="location", value="../outside")


@pytest.mark.parametrize("damage", [damage_values, damage_dims, damage_type, damage_attribute, damage_location])
def test_damaged_models_are_one_of_our_errors(golden, damage, tmp_path):
    """Values that do not fit their shape, unknown types, values outside the folder: FormatError from a proto and from a path."""
    model = onnx.load(golden.folder / "base.onnx")
    damage(model)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    for source in (model, tmp_path / "model.onnx"):
        with pytest.raises(FormatError):
            read(source)


@pytest.mark.parametrize("text", [b"\x0a\x08fixture1", b"\x0a\x08fixture2", b"\x22\x04Gemm"])
def test_texts_that_are_not_utf_8_are_refused(text):
    """A value's, a node's and an op's name; protobuf itself lets them pass."""
    node = helper.make_node("Gemm", ["fixture1", "w"], ["fixture2"])
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("fixture1", 1, [2, 2])], [])
    data = helper.make_model(graph).SerializeToString()
    assert text[2:] in data
    with pytest.raises(FormatError, match="not UTF-8"):
        read(data.replace(text[2:], b"\xff" + text[3:]))


def test_types_that_the_runtime_has_not_are_refused_by_name():
    """An initializer of texts is named in the error."""
    tensor = TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"a"])
    graph = helper.make_graph([], "g", [], [], initializer=[tensor])
    with pytest.raises(FormatError, match="'w' holds STRING"):
        read(helper.make_model(graph))


def test_contradicting_shapes_are_one_of_our_errors():
    """A product of matrices that do not fit raises FormatError, not onnx's own error."""
    sides = [helper.make_tensor_value_info(name, 1, shape) for name, shape in (("a", [2, 3]), ("b", [4, 5]))]
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["y"])], "g", sides, [helper.make_tensor_value_info("y", 1, [2, 5])])
    with pytest.raises(FormatError, match="contradict"):
        infer_types(read(helper.make_model(graph)))


def test_local_functions_are_inlined():
    """A model-local function becomes plain nodes with the same result."""
    double = helper.make_function(
        "local", "Double", ["x"], ["y"], [helper.make_node("Add", ["x", "x"], ["y"])], [helper.make_opsetid("", 17)]
    )
    x, y = (helper.make_tensor_value_info(name, 1, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Double", ["x"], ["y"], domain="local")], "g", [x], [y])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    model = read(helper.make_model(graph, functions=[double], opset_imports=opsets))
    assert [node.op_type for node in model.graph.nodes] == ["Add"]


def test_tensors_come_in_whatever_field_they_are_stored():
    """Typed fields and raw data give the same array."""
    typed = helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0])
    raw = helper.make_tensor("w", TensorProto.FLOAT, [2], np.array([1, 2], np.float32).tobytes(), raw=True)
    arrays = [read(helper.make_model(helper.make_graph([], "g", [], [], initializer=[t]))).graph.initializers[0].data for t in (typed, raw)]
    assert np.array_equal(*arrays)


def test_types_are_found_behind_ops_that_onnx_does_not_know():
    """Fused ops of com.microsoft stand for standard ones; the nodes themselves stay as they were, and so do ops that nobody knows."""
    fused = {"activation": "Relu", "transB": 1}
    nodes = [
        helper.make_node("Gelu", ["x"], ["a"], domain="com.microsoft"),
        helper.make_node("BiasGelu", ["a", "b"], ["c"], domain="com.microsoft"),
        helper.make_node("FusedGemm", ["c", "w"], ["d"], domain="com.microsoft", **fused),
        helper.make_node("Unknown", ["d"], ["e"], domain="com.microsoft"),
    ]
    values = (("x", ["N", 4]), ("b", [4]), ("w", [7, 4]))
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in values]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("e", TensorProto.FLOAT, None)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = model_of(helper.make_model(graph, opset_imports=imports))
    typed = infer_types(model)
    assert typed.graph.nodes == model.graph.nodes
    found = {value.name: value.type.shape for value in typed.graph.value_info}
    assert found == {"a": ("N", 4), "c": ("N", 4), "d": ("N", 7)}
