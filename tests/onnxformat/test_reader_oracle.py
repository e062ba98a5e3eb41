"""The .onnx reader against onnx: every way to store values, and every kind of part, means what onnx's own reader says."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pagetrain import onnxformat
from pagetrain.graph import NUMPY_DTYPES, ElementType
from tests.api.golden import DATA

from .test_writer_oracle import everything

pytestmark = pytest.mark.oracle

FILES = [*sorted(DATA.glob("*/*.onnx")), *sorted((DATA.parent / "models").glob("*.onnx"))]
MODELS = [path for path in FILES if "localfuncs" not in path.name]  # it is written out
ELEMENTS = [element for element in NUMPY_DTYPES if element not in (ElementType.COMPLEX64, ElementType.COMPLEX128)]


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element.name)
@pytest.mark.parametrize("raw", [True, False], ids=["raw_data", "typed field"])
def test_values_of_each_type(element, raw):
    """raw_data and the field meant for the type; negative numbers where there are some."""
    numbers = np.array([0, 1, 1, 0, 1, -1, 1], np.float32).astype(NUMPY_DTYPES[element])
    if element in (ElementType.UINT8, ElementType.UINT16, ElementType.UINT32, ElementType.UINT64, ElementType.UINT4, ElementType.UINT2):
        numbers = np.array([0, 1, 3, 0, 1, 2, 1], np.float32).astype(NUMPY_DTYPES[element])
    tensor = numpy_helper.from_array(numbers, "t")
    if not raw:
        tensor = helper.make_tensor("t", int(element), numbers.shape, numbers.tolist())
        assert not tensor.raw_data
    expected = numpy_helper.to_array(tensor)
    found = onnxformat.load_tensor(tensor.SerializeToString())
    assert found.name == "t"
    assert found.data.dtype == expected.dtype
    assert found.data.tobytes() == expected.tobytes()


@pytest.mark.parametrize("element", [TensorProto.COMPLEX64, TensorProto.COMPLEX128])
def test_complex_values(element):
    """Real and imaginary parts one behind the other."""
    tensor = helper.make_tensor("t", element, [2], [1 + 2j, -3.5j])
    assert onnxformat.load_tensor(tensor.SerializeToString()).data.tolist() == [1 + 2j, -3.5j]


def test_texts():
    """As an array of str."""
    tensor = helper.make_tensor("t", TensorProto.STRING, [2, 1], ["a", "ü"])
    assert onnxformat.load_tensor(tensor.SerializeToString()).data.tolist() == [["a"], ["ü"]]


def test_every_kind_of_part():
    """Attributes, types, texts and graphs inside come back from what the writer wrote and onnx read."""
    model = everything()
    node = model.graph.nodes[0]
    found = onnxformat.load(onnx.ModelProto.FromString(onnxformat.dump(model)).SerializeToString(), version_of=lambda *_: 1)
    assert found == model
    assert len(node.attributes) == 9


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_models(path: Path):
    """Written again, onnx finds in them what it found in the file, but for what a Model has no place for."""
    proto = onnx.load(path, load_external_data=True)
    found = onnx.ModelProto.FromString(onnxformat.dump(onnxformat.load_file(path)))
    assert _plain(found) == _plain(proto)


def _plain(proto):
    """Values as arrays, and nothing of what a Model has no place for: model_version, denotations, metadata of parts."""
    graph = proto.graph
    return (
        [(node.op_type, list(node.input), list(node.output), node.name, _attributes(node)) for node in graph.node],
        {one.name: (numpy_helper.to_array(one).tobytes(), tuple(one.dims), one.data_type) for one in graph.initializer},
        [_value(value) for value in (*graph.input, *graph.output, *graph.value_info)],
        [("" if entry.domain == "ai.onnx" else entry.domain, entry.version) for entry in proto.opset_import],
        {entry.key: entry.value for entry in proto.metadata_props},
        (proto.ir_version, proto.producer_name, proto.producer_version, graph.name),
    )


def _attributes(node):
    found = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value).tobytes()
        elif isinstance(value, onnx.GraphProto):
            value = [(inner.op_type, list(inner.input), list(inner.output), _attributes(inner)) for inner in value.node]
        elif isinstance(value, (list, tuple)) or (hasattr(value, "__len__") and not isinstance(value, (bytes, str))):
            value = list(value)
        found[attribute.name] = (attribute.type, value)
    return found


def _value(value):
    kind = value.type.tensor_type
    sizes = [size.dim_value if size.HasField("dim_value") else size.dim_param for size in kind.shape.dim]
    return value.name, value.type.WhichOneof("value"), kind.elem_type, [None if size in ("", "?", -1) else size for size in sizes]
