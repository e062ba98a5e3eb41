"""ortformat.model against onnxruntime: its reader sees in ORT's files what ours sees, and it runs the files that we write."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo
from pagetrain.ortformat import model
from pagetrain.ortformat.model import INPUT, OUTPUT, OpSchema

pytestmark = pytest.mark.oracle

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
FILES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*/*.ort"))
ATTRIBUTE_READERS = {
    1: lambda bound: bound.F(), 2: lambda bound: bound.I(), 3: lambda bound: bound.S().decode(),
    6: lambda bound: tuple(bound.Floats(i) for i in range(bound.FloatsLength())),
    7: lambda bound: tuple(bound.Ints(i) for i in range(bound.IntsLength())),
}  # fmt: skip


def _bound_graph(data: bytes) -> Any:
    importlib.import_module("onnxruntime.tools.ort_format_model")  # puts the bindings on the path
    session = importlib.import_module("ort_flatbuffers_py.fbs.InferenceSession").InferenceSession
    return session.GetRootAs(data, 0).Model().Graph()


def _bound_node(bound: Any) -> dict[str, Any]:
    attributes = [bound.Attributes(i) for i in range(bound.AttributesLength())]
    return {
        "name": bound.Name().decode(),
        "op": f"{bound.Domain().decode()}:{bound.OpType().decode()}:{bound.SinceVersion()}",
        "inputs": tuple(bound.Inputs(i).decode() for i in range(bound.InputsLength())),
        "outputs": tuple(bound.Outputs(i).decode() for i in range(bound.OutputsLength())),
        "attributes": {item.Name().decode(): (item.Type(), ATTRIBUTE_READERS[item.Type()](item)) for item in attributes},
        "doc_string": bound.DocString().decode(),
    }


def _our_node(node: Node) -> dict[str, Any]:
    attributes = {name: (int(item.type), item.value) for name, item in node.attributes.items()}
    named = {"name": node.name, "op": model.op_id(node), "inputs": node.inputs, "outputs": node.outputs}
    return {**named, "attributes": attributes, "doc_string": node.doc_string}


@pytest.mark.parametrize("name", FILES)
def test_nodes_are_those_of_the_bindings(name: str) -> None:
    """Every node with its attributes."""
    data = (GOLDEN / name).read_bytes()
    bound = _bound_graph(data)
    theirs = [_bound_node(bound.Nodes(i)) for i in range(bound.NodesLength())]
    ours = [_our_node(node) for node in model.load(data).graph.nodes]
    assert sorted(ours, key=repr) == sorted(theirs, key=repr)


@pytest.mark.parametrize("name", FILES)
def test_initializers_and_interface_are_those_of_the_bindings(name: str) -> None:
    """Every initializer with shape, type and bytes; inputs and outputs in order."""
    data = (GOLDEN / name).read_bytes()
    bound, graph = _bound_graph(data), model.load(data).graph
    tensors = [bound.Initializers(i) for i in range(bound.InitializersLength())]
    theirs = {
        item.Name().decode(): (
            tuple(item.Dims(i) for i in range(item.DimsLength())),
            item.DataType(),
            bytes(item.RawData(i) for i in range(item.RawDataLength())),
        )
        for item in tensors
    }
    elements = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
    assert {item.name: (item.data.shape, elements[item.data.dtype], item.data.tobytes()) for item in graph.initializers} == theirs
    assert [info.name for info in graph.inputs] == [bound.Inputs(i).decode() for i in range(bound.InputsLength())]
    assert [info.name for info in graph.outputs] == [bound.Outputs(i).decode() for i in range(bound.OutputsLength())]


def _schema(op_type: str, version: int) -> OpSchema:
    """From onnx.defs: a formal parameter's type string, or its name where the type is literal."""
    found = onnx.defs.get_schema(op_type, version)
    constraints = {constraint.type_param_str for constraint in found.type_constraints}
    types: dict[str, list[tuple[int, int]]] = {}
    for kind, parameters in ((INPUT, found.inputs), (OUTPUT, found.outputs)):
        for index, parameter in enumerate(parameters):
            types.setdefault(parameter.type_str if parameter.type_str in constraints else parameter.name, []).append((kind, index))
    variadic = bool(found.inputs) and found.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
    return OpSchema(types, len(found.inputs), variadic)


def _schemas(graph: Graph) -> dict[str, OpSchema]:
    schemas = {model.op_id(node): _schema(node.op_type, node.since_version) for node in graph.nodes}
    for node in graph.nodes:
        for item in node.attributes.values():
            if isinstance(item.value, Graph):
                schemas |= _schemas(item.value)
    return schemas


def _proto(graph: Graph) -> onnx.GraphProto:
    return helper.make_graph(
        [_node_proto(node) for node in graph.nodes],
        "graph",
        *([_value_proto(info) for info in infos] for infos in (graph.inputs, graph.outputs)),
        [numpy_helper.from_array(item.data, item.name) for item in graph.initializers],
    )


def _value_proto(info: ValueInfo) -> onnx.ValueInfoProto:
    assert isinstance(info.type, TensorType)
    return helper.make_tensor_value_info(info.name, int(info.type.element), info.type.shape)


def _node_proto(node: Node) -> onnx.NodeProto:
    attributes = {name: _proto(item.value) if isinstance(item.value, Graph) else item.value for name, item in node.attributes.items()}
    return helper.make_node(node.op_type, node.inputs, node.outputs, node.name, **attributes)


def _run(content: bytes, feeds: Mapping[str, np.ndarray], level: int) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel(level)
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"]).run(None, feeds)


def _check_runs_as_onnx(graph: Graph, feeds: Mapping[str, np.ndarray]) -> None:
    """onnxruntime loads our .ort of `graph` (with all optimisations and with none) and computes what it computes from the .onnx."""
    ours = model.dump(Model(graph, 8, {"": 17}), _schemas(graph))
    proto = helper.make_model(_proto(graph), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(proto, full_check=True)
    for level in (0, 99):
        for mine, theirs in zip(_run(ours, feeds, level), _run(proto.SerializeToString(), feeds, level), strict=True):
            # The same graph in the same library; but kernels of ORT-format models may be chosen later, so in another layout.
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def _info(name: str, *shape: int | str, element: ElementType = ElementType.FLOAT) -> ValueInfo:
    return ValueInfo(name, TensorType(element, shape))


def test_small_classifier_runs_in_onnxruntime() -> None:
    """Convolution to probabilities: a bound left out, a variadic op, and lists, floats and texts among the attributes."""
    random = np.random.default_rng(0)
    weights = {
        "w": random.normal(size=(4, 3, 3, 3)).astype(np.float32), "high": np.array(6, np.float32), "shape": np.array([0, -1]),
        "v": random.normal(size=(5, 4)).astype(np.float32), "b": random.normal(size=5).astype(np.float32),
    }  # fmt: skip
    conv = {
        "strides": Attribute(AttributeType.INTS, (2, 2)), "kernel_shape": Attribute(AttributeType.INTS, (3, 3)),
        "auto_pad": Attribute(AttributeType.STRING, "SAME_UPPER"),
    }  # fmt: skip
    gemm = {"transB": Attribute(AttributeType.INT, 1), "alpha": Attribute(AttributeType.FLOAT, 0.5)}
    nodes = (
        Node("Conv", ("x", "w"), ("c",), "conv", attributes=conv, since_version=11),
        Node("Clip", ("c", "", "high"), ("r",), "clip", since_version=13),
        Node("GlobalAveragePool", ("r",), ("p",), "pool", since_version=1),
        Node("Reshape", ("p", "shape"), ("f",), "flat", since_version=14),
        Node("Gemm", ("f", "v", "b"), ("g",), "head", attributes=gemm, since_version=13),
        Node("Sum", ("g", "g", "b"), ("logits",), "sum", since_version=13),
        Node("Softmax", ("logits",), ("y",), "softmax", attributes={"axis": Attribute(AttributeType.INT, -1)}, since_version=13),
    )
    graph = Graph(
        name="",
        nodes=nodes,
        inputs=(_info("x", "N", 3, 8, 8),),
        outputs=(_info("y", "N", 5), _info("logits", "N", 5)),
        initializers=tuple(Tensor(name, array) for name, array in weights.items()),
        value_info=tuple(ValueInfo(name, TensorType(ElementType.FLOAT)) for name in "crpfg"),
    )
    _check_runs_as_onnx(graph, {"x": random.normal(size=(2, 3, 8, 8)).astype(np.float32)})


@pytest.mark.parametrize("condition", [True, False])
def test_subgraphs_run_in_onnxruntime(condition: bool) -> None:
    """An If whose branches take values of the outer graph, one of them an initializer, and that stands behind a node it depends on."""

    def branch(op_type: str, left: str, right: str) -> Attribute:
        node = Node(op_type, (left, right), (f"{op_type}_out",), op_type, since_version=14)
        return Attribute(AttributeType.GRAPH, Graph("", (node,), (), (_info(f"{op_type}_out", "N"),)))

    branches = {"then_branch": branch("Mul", "a", "b"), "else_branch": branch("Sub", "b", "w")}
    nodes = (
        Node("Relu", ("x",), ("a",), "relu", since_version=14),
        Node("Neg", ("x",), ("b",), "neg", since_version=13),
        Node("If", ("c",), ("y",), "if", attributes=branches, since_version=16),
    )
    graph = Graph(
        name="",
        nodes=nodes,
        inputs=(_info("x", "N"), ValueInfo("c", TensorType(ElementType.BOOL, ()))),
        outputs=(_info("y", "N"),),
        initializers=(Tensor("w", np.array([0.5], np.float32)),),
        value_info=(_info("a", "N"), _info("b", "N")),
    )
    _check_runs_as_onnx(graph, {"x": np.array([-1, 2, 3], np.float32), "c": np.array(condition)})
