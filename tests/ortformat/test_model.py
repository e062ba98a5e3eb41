"""ortformat.model: .ort files of ONNX Runtime, and our own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, SequenceType, Tensor, TensorType, ValueInfo
from pagetrain.ortformat import model, tables
from pagetrain.ortformat.model import OpSchema

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
FILES = [f"{name}/{kind}_model.ort" for name in ("dwconv_relu6_gap", "mlp_ce_adamw_frozen") for kind in ("training", "eval", "optimizer")]
FLOATS = TensorType(ElementType.FLOAT, ("N",))


def _session(data: bytes) -> tables.Fields:
    return tables.read(data, "InferenceSession", b"ORTM", "model")


def _resolver(data: bytes) -> dict[str, dict[str, list[tuple[int, int]]]]:
    entries = _session(data)["kernel_type_str_resolver"]["op_kernel_type_str_args"]
    return {
        entry["op_id"]: {
            types["kernel_type_str"]: [(argument["arg_type"], argument["index"]) for argument in types["args"]]
            for types in entry["kernel_type_str_args"]
        }
        for entry in entries
    }


def _schemas(data: bytes) -> dict[str, OpSchema]:
    """The schemas of a file's ops, as the file itself tells them."""
    counts = {model.op_id(node): (len(formal), max(formal) > 1) for node, formal in _input_arg_counts(data)}
    return {op: OpSchema(types, *counts.get(op, (0, False))) for op, types in _resolver(data).items()}


def _input_arg_counts(data: bytes) -> list[tuple[Node, list[int]]]:
    raw = {tuple(node["outputs"]): node["input_arg_counts"] for node in _session(data)["model"]["graph"]["nodes"]}
    return [(node, raw[node.outputs]) for node in model.load(data).graph.nodes]


def test_training_model_of_ort() -> None:
    """Ops, attributes and interface of a training model that ORT wrote (facts of the model: two layers, three trainable parameters)."""
    graph = model.load((GOLDEN / "mlp_ce_adamw_frozen/training_model.ort").read_bytes()).graph
    ops = [model.op_id(node) for node in graph.nodes]
    assert ops.index("com.microsoft:FusedGemm:1") < ops.index(":SoftmaxCrossEntropyLoss:13") < ops.index("com.microsoft:ReluGrad:1")
    assert ops.count("com.microsoft:InPlaceAccumulatorV2:1") == 3
    fused = graph.nodes[ops.index("com.microsoft:FusedGemm:1")]
    assert fused.attributes["activation"] == Attribute(AttributeType.STRING, "Relu")
    assert fused.attributes["transB"] == Attribute(AttributeType.INT, 1)
    assert [info.name for info in graph.inputs[:3]] == ["input", "labels", "fc1.weight"]
    assert graph.inputs[-1] == ValueInfo("lazy_reset_grad", TensorType(ElementType.BOOL, (1,)))
    assert graph.outputs[-1].name == "fc2.bias_grad.accumulation.out"
    assert any(item.data.shape == () and item.data == 1 for item in graph.initializers), "the seed of the loss's gradient"


def test_convolution_attributes_of_ort() -> None:
    """Lists among the attributes, symbolic and static dimensions."""
    graph = model.load((GOLDEN / "dwconv_relu6_gap/training_model.ort").read_bytes()).graph
    depthwise = next(node for node in graph.nodes if node.op_type == "ConvGrad" and node.inputs[2] == "dw.weight")
    assert depthwise.attributes["group"].value == graph_shape(graph, "dw.weight")[0]
    assert depthwise.attributes["kernel_shape"] == Attribute(AttributeType.INTS, graph_shape(graph, "dw.weight")[2:])


def graph_shape(graph: Graph, name: str) -> tuple[object, ...]:
    """The shape of one of the graph's inputs."""
    type_ = next(info.type for info in graph.inputs if info.name == name)
    assert isinstance(type_, TensorType)
    assert type_.shape is not None
    return type_.shape


def test_optimizer_model_of_ort() -> None:
    """Sequences of tensors without shape, and float attributes."""
    graph = model.load((GOLDEN / "mlp_ce_adamw_frozen/optimizer_model.ort").read_bytes()).graph
    assert [info.name for info in graph.inputs][:4] == ["learning_rate", "step", "params", "gradients"]
    assert graph.inputs[2].type == SequenceType(TensorType(ElementType.FLOAT))
    assert graph.nodes[0].attributes["beta"].value == pytest.approx(0.999, rel=1e-7)  # float32 of the file


@pytest.mark.parametrize("name", FILES)
def test_nodes_are_in_topological_order(name: str) -> None:
    """ORT stores nodes by index; loaded, no node comes before one that feeds it."""
    graph = model.load((GOLDEN / name).read_bytes()).graph
    known = {""} | {info.name for info in graph.inputs} | {item.name for item in graph.initializers}
    for node in graph.nodes:
        assert known.issuperset(node.inputs)
        known.update(node.outputs)


@pytest.mark.parametrize("name", FILES)
def test_dump_returns_the_same_model(name: str) -> None:
    """load(dump(load(x))) == load(x), and dump gives the same bytes again."""
    data = (GOLDEN / name).read_bytes()
    loaded = model.load(data)
    dumped = model.dump(loaded, _schemas(data))
    assert model.load(dumped) == loaded
    assert model.dump(model.load(dumped), _schemas(data)) == dumped


@pytest.mark.parametrize("name", FILES)
def test_dump_tells_what_ort_tells(name: str) -> None:
    """Edges, argument counts and kernel types that we derive are those that ORT wrote, node indices aside."""
    data = (GOLDEN / name).read_bytes()
    dumped = model.dump(model.load(data), _schemas(data))
    assert _resolver(dumped) == _resolver(data)
    assert _input_arg_counts(dumped) == _input_arg_counts(data)
    assert _edges(dumped) == _edges(data)


def _edges(data: bytes) -> dict[str, tuple[set[tuple[str, int, int]], set[tuple[str, int, int]]]]:
    """Edges of each node, nodes named by their outputs."""
    graph = _session(data)["model"]["graph"]
    names = {node["index"]: " ".join(node["outputs"]) for node in graph["nodes"]}
    return {
        names[entry["node_index"]]: tuple({(names[node], *ends) for node, *ends in entry[kind]} for kind in ("input_edges", "output_edges"))
        for entry in graph["node_edges"]
    }


@pytest.mark.parametrize("version", ["4", "5"])
def test_older_versions_load(version: str) -> None:
    """Files marked as version 4 and 5 read as version 6 does."""
    data = (GOLDEN / "mlp_ce_adamw_frozen/eval_model.ort").read_bytes()
    assert model.load(_with_version(data, version)) == model.load(data)


@pytest.mark.parametrize("version", ["3", "7", "x", ""])
def test_other_versions_are_refused(version: str) -> None:
    """Version 7, and what is no version, is refused with the versions that can be read."""
    data = (GOLDEN / "mlp_ce_adamw_frozen/eval_model.ort").read_bytes()
    with pytest.raises(FormatError, match=f"version of the file is {version}; versions 4, 5, 6"):
        model.load(_with_version(data, version))


def _with_version(data: bytes, version: str) -> bytes:
    before = b"\x01\0\0\0" + b"6\0"
    assert data.count(before) == 1
    return data.replace(before, len(version).to_bytes(4, "little") + (version.encode() + b"\0\0")[:2])


def _every_attribute() -> dict[str, Attribute]:
    tensor = Tensor("t", np.arange(6, dtype=np.int64).reshape(2, 3))
    texts = Tensor("s", np.array([["a", "ü"]], dtype=object))
    values = (1.5, -(2**63), "täxt", tensor, None, (0.5, -1.0), (1, 2, 3), ("a", ""), (tensor, texts))
    attributes = {kind.name: Attribute(kind, value) for kind, value in zip(AttributeType, values, strict=True) if value is not None}
    return attributes | {"empty": Attribute(AttributeType.INTS, ())}


def _own_model() -> Model:
    """Every kind of attribute and type; a sub-graph that takes values from outside; a left-out input; NaN among the constants."""
    inner = Graph(
        name="",
        nodes=(Node("Mul", ("a", "w"), ("t",), "inner", since_version=14),),
        inputs=(),
        outputs=(ValueInfo("t", FLOATS),),
        value_info=(ValueInfo("a", FLOATS), ValueInfo("w", TensorType(ElementType.FLOAT, (2,)))),
    )
    body = {"then_branch": Attribute(AttributeType.GRAPH, inner)}
    nodes = (
        Node("Custom", ("x", "", "w"), ("a", ""), "first", "my.domain", _every_attribute(), 3, "a note"),
        Node("If", ("c",), ("y",), "choice", attributes=body, since_version=16),
        Node("Sum", ("a", "y", "a"), ("z",), "sum", since_version=13),
    )
    graph = Graph(
        name="",
        nodes=nodes,
        inputs=(ValueInfo("x", TensorType(ElementType.INT8, ("N", None, 3))), ValueInfo("c", TensorType(ElementType.BOOL, ()))),
        outputs=(ValueInfo("z", TensorType(ElementType.FLOAT), "the sum"),),
        initializers=(Tensor("w", np.array([np.nan, 1], np.float32), "weights"),),
        value_info=(ValueInfo("a", FLOATS), ValueInfo("y", FLOATS), ValueInfo("w", TensorType(ElementType.FLOAT, (2,)))),
        doc_string="graph",
    )
    return Model(graph, 8, {"": 17, "my.domain": 3}, "maker", "1.0", {"key": "value", "": ""}, "model", "of.the.maker", 7)


OWN_SCHEMAS = {
    "my.domain:Custom:3": OpSchema({"T2": [(0, 1)], "T": [(0, 0), (1, 0)]}, 5),
    ":If:16": OpSchema({"B": [(0, 0)], "V": [(1, 0)]}, 1),
    ":Sum:13": OpSchema({"T": [(0, 0), (1, 0)]}, 1, variadic_input=True),
    ":Mul:14": OpSchema({"T": [(0, 0), (0, 1), (1, 0)]}, 2),
}


def test_an_onnx_file_is_told_by_its_name() -> None:
    """Handing in the .onnx beside the .ort is the likely mistake; the message says which file is wanted."""
    with pytest.raises(FormatError, match=r"ONNX one.*\.ort.*ort_format=True"):
        model.load((GOLDEN / "mlp_ce_adamw_frozen" / "training_model.onnx").read_bytes())


def test_own_model_returns() -> None:
    """Whatever a Model can hold comes back from its bytes."""
    own = _own_model()
    assert model.load(model.dump(own, OWN_SCHEMAS)) == own


def test_derived_fields_of_own_model() -> None:
    """Argument counts, implicit inputs and edges, worked out by hand; implicit inputs count after the explicit ones, as in ORT's files."""
    graph = _session(model.dump(_own_model(), OWN_SCHEMAS))["model"]["graph"]
    assert [node["input_arg_counts"] for node in graph["nodes"]] == [[1, 1, 1, 0, 0], [1], [3]]
    assert [node["implicit_inputs"] for node in graph["nodes"]] == [[], ["a", "w"], []]
    assert graph["max_node_index"] == 3
    assert [entry["input_edges"] for entry in graph["node_edges"]] == [[], [(0, 0, 1)], [(0, 0, 0), (0, 0, 2), (1, 0, 1)]]
    assert [entry["output_edges"] for entry in graph["node_edges"]] == [[(1, 0, 1), (2, 0, 0), (2, 0, 2)], [(2, 0, 1)], []]
    assert [info["name"] for info in graph["node_args"]][-1] == ""


def test_kernel_types_are_sorted() -> None:
    """Both levels of the resolver are sorted by key, all ops of sub-graphs included."""
    resolver = _resolver(model.dump(_own_model(), OWN_SCHEMAS))
    assert list(resolver) == sorted(OWN_SCHEMAS)
    assert list(resolver["my.domain:Custom:3"]) == ["T", "T2"]


def test_all_missing_schemas_are_named() -> None:
    """dump names every op without schema at once."""
    with pytest.raises(InvalidInputError, match=r"no OpSchema for :Mul:14, :Sum:13"):
        model.dump(_own_model(), {key: schema for key, schema in OWN_SCHEMAS.items() if key not in (":Mul:14", ":Sum:13")})


def test_all_untyped_values_are_named() -> None:
    """ORT loads no value without an element type, so dump names them."""
    own = _own_model()
    with pytest.raises(InvalidInputError, match=r"values a, y; add them to value_info"):
        model.dump(replace(own, graph=replace(own.graph, value_info=())), OWN_SCHEMAS)


def test_too_many_inputs_are_refused() -> None:
    """A node with more inputs than its schema has is a mistake of one or the other."""
    with pytest.raises(InvalidInputError, match=r"Custom 'first' has 3 inputs, my.domain:Custom:3 takes 2"):
        model.dump(_own_model(), OWN_SCHEMAS | {"my.domain:Custom:3": OpSchema({}, 2)})


FLOAT_TYPE = {"value_type": 1, "value": {"elem_type": 1}}
X = {"name": "x", "type": FLOAT_TYPE}
NODE = {"op_type": "Relu", "inputs": ["x"], "outputs": ["y"], "name": "n"}
GRAPH = {"node_args": [X, {"name": "y", "type": FLOAT_TYPE}], "inputs": ["x"], "outputs": ["y"], "nodes": [NODE]}


def _file(graph: tables.Fields) -> bytes:
    writer = tables.Writer()
    fields = {"ort_version": "6", "model": {"opset_import": [{"version": 17}], "graph": graph}}
    return writer.finish(writer.table("InferenceSession", fields), b"ORTM")


def _with_type(**type_: object) -> tables.Fields:
    return {**GRAPH, "node_args": [{"name": "x", "type": type_}]}


def _with_attribute(**attribute: object) -> tables.Fields:
    return {**GRAPH, "nodes": [{**NODE, "attributes": [{"name": "a", **attribute}]}]}


@pytest.mark.parametrize(
    "graph, message",
    [
        ({**GRAPH, "nodes": [{**NODE, "op_type": None}]}, "'n' is no complete operation"),
        ({**GRAPH, "nodes": [{**NODE, "type": 1}]}, "'n' is no complete operation"),
        ({**GRAPH, "nodes": [{**NODE, "inputs": None}]}, "'n' is no complete operation"),
        ({**GRAPH, "nodes": [{**NODE, "inputs": ["q"]}]}, "Relu 'n' reads 'q', which no node"),
        ({**GRAPH, "nodes": [{**NODE, "inputs": ["y"]}]}, "cycle through Relu 'n'"),
        ({**GRAPH, "nodes": [NODE, {**NODE, "name": "m"}]}, "'y' is made by two nodes, Relu 'n' and Relu 'm'"),
        ({**GRAPH, "nodes": [{**NODE, "inputs": [], "outputs": ["x"]}], "outputs": []}, "'x' is made by a node, and is an input"),
        ({**GRAPH, "nodes": []}, "output 'y' is made by no node"),
        ({**GRAPH, "inputs": ["x", "q"]}, "'q' of the graph has no type"),
        ({**GRAPH, "node_args": [X, X]}, "the same value twice"),
        ({**GRAPH, "sparse_initializers": [{}]}, "sparse initializers"),
        ({**GRAPH, "node_args": [{"name": "x"}]}, "Value 'x' has no type"),
        (_with_type(value_type=1, value={"elem_type": 77}), "unknown element type 77"),
        (_with_type(value_type=3, value={"key_type": 7, "value_type": FLOAT_TYPE}), "map or a sequence of sequences"),
        (_with_type(value_type=2, value={"elem_type": {"value_type": 2, "value": {"elem_type": FLOAT_TYPE}}}), "map or a sequence"),
        (_with_type(value_type=1, value={"shape": {"dim": [{"value": {"dim_type": 1, "dim_value": -7}}]}, "elem_type": 1}), "size -7"),
        (_with_type(value_type=1, value={"shape": {"dim": [{"value": {"dim_type": 9}}]}, "elem_type": 1}), "dimension of kind 9"),
        (_with_attribute(type=0), "attribute 'a', is of kind 0"),
        (_with_attribute(type=10), "attribute 'a', is of kind 10"),
        (_with_attribute(type=4), "attribute 'a', has no value"),
        ({**GRAPH, "nodes": [{**NODE, "attributes": [{"name": "a", "type": 2}] * 2}]}, "same attribute twice"),
    ],
)
def test_unsound_graphs_are_refused_by_name(graph: tables.Fields, message: str) -> None:
    """A graph that is well-formed but makes no sense gives one FormatError that says what is wrong."""
    with pytest.raises(FormatError, match=message):
        model.load(_file(graph))


def test_minimal_graph_loads() -> None:
    """Fields that ORT can do without may be absent; a dimension stored as -1, or named "?" by some exporters, is an unknown one."""
    assert model.load(_file(GRAPH)).graph.nodes == (Node("Relu", ("x",), ("y",), "n", since_version=0),)
    dimensions = [{"value": {"dim_type": 1, "dim_value": -1}}, {"value": {"dim_type": 2, "dim_param": "?"}}, {}]
    unknown = _with_type(value_type=1, value={"elem_type": 1, "shape": {"dim": dimensions}})
    loaded = model.load(_file({**unknown, "nodes": [], "outputs": []}))
    assert loaded.graph.inputs[0].type == TensorType(ElementType.FLOAT, (None, None, None))


@pytest.mark.parametrize("fields", [{"model": None}, {"model": {}}, {"model": {"graph": GRAPH}}])
def test_incomplete_files_are_refused(fields: tables.Fields) -> None:
    """No model, no graph, no opset import."""
    writer = tables.Writer()
    data = writer.finish(writer.table("InferenceSession", {"ort_version": "6", **fields}), b"ORTM")
    with pytest.raises(FormatError, match=r"no complete model"):
        model.load(data)
