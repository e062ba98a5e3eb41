"""ORT-format model files (.ort): bytes <-> graph.Model.

Not kept, as graph.py has no place for it: node indices, edges and saved runtime optimizations, all of which follow from the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import topology
from ..errors import FormatError, InvalidInputError
from ..graph import Attribute, AttributeType, Graph, Model, Node, Tensor, TensorType, ValueInfo
from . import tensor, value_info
from .schema import MODEL_IDENTIFIER, MODEL_VERSION, READABLE_MODEL_VERSIONS
from .tables import Fields, Writer, read

INPUT, OUTPUT = 0, 1
_PRIMITIVE = 0  # NodeType; the other one, Fused, exists only inside a running ORT
# Where each kind of attribute keeps its value.
_ATTRIBUTE_FIELDS = {
    AttributeType.FLOAT: "f", AttributeType.INT: "i", AttributeType.STRING: "s", AttributeType.TENSOR: "t", AttributeType.GRAPH: "g",
    AttributeType.FLOATS: "floats", AttributeType.INTS: "ints", AttributeType.STRINGS: "strings", AttributeType.TENSORS: "tensors",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpSchema:
    """What a .ort file says about an op beyond its nodes.

    kernel_types: type string -> the formal parameters of that type, as (INPUT or OUTPUT, index); the key is the name of the parameter where
    the schema gives it a literal type (ReduceSum-13: "axes"). All formal parameters count, supplied or not.
    formal_inputs: how many inputs the schema has, a variadic one counted once. variadic_input: the last one takes any number of values.
    """

    kernel_types: Mapping[str, Sequence[tuple[int, int]]]
    formal_inputs: int
    variadic_input: bool = False


def op_id(node: Node) -> str:
    """ "domain:op_type:since_version"; the ONNX domain is empty: ":Gemm:13"."""
    return f"{node.domain}:{node.op_type}:{node.since_version}"


def load(data: bytes | bytearray | memoryview) -> Model:
    """The model in `data`, nodes in topological order.

    Every typed value that is neither input nor output of the graph stands in `value_info` (initializers too).
    Raises FormatError for anything that is not a whole, sound .ort file of version 4 to 6.
    """
    if _is_onnx(data):
        raise FormatError("This file is no ORT-format model but an ONNX one; give the .ort file (generate_artifacts: ort_format=True).")
    session = read(data, "InferenceSession", MODEL_IDENTIFIER, "ORT-format model")
    version, model = session["ort_version"], session["model"]
    if version not in READABLE_MODEL_VERSIONS:
        raise FormatError(f"The ORT format version of the file is {version}; versions {', '.join(READABLE_MODEL_VERSIONS)} can be read.")
    if model is None or model["graph"] is None or not model["opset_import"]:
        raise FormatError("The ORT-format file holds no complete model (graph and opset imports); make it again.")
    return Model(
        graph=topology.sound(_load_graph(model["graph"], model["graph_doc_string"] or "")),
        ir_version=model["ir_version"],
        opset_import={opset["domain"] or "": opset["version"] for opset in model["opset_import"]},
        producer_name=model["producer_name"] or "",
        producer_version=model["producer_version"] or "",
        metadata={entry["key"] or "": entry["value"] or "" for entry in model["metadata_props"] or []},
        doc_string=model["doc_string"] or "",
        domain=model["domain"] or "",
        model_version=model["model_version"],
    )


def _is_onnx(data: bytes | bytearray | memoryview) -> bool:
    """Whether this looks like a serialised onnx.ModelProto: it begins with ir_version, field 1, a small number."""
    head = bytes(memoryview(data).cast("B")[:8])
    return head[4:] != MODEL_IDENTIFIER and len(head) == 8 and head[0] == 0x08 and 3 <= head[1] < 0x20


def _load_graph(fields: Fields, doc_string: str = "") -> Graph:
    if fields["sparse_initializers"]:
        raise FormatError("The graph has sparse initializers, which cannot be read; make them dense.")
    infos = _named([value_info.load(info) for info in fields["node_args"] or [] if info["name"]])
    inputs, outputs = (tuple(_typed(name, infos) for name in fields[end] or []) for end in ("inputs", "outputs"))
    ends = {end.name for end in inputs + outputs}
    return Graph(
        name="",
        nodes=tuple(_load_node(node) for node in fields["nodes"] or []),
        inputs=inputs,
        outputs=outputs,
        initializers=tuple(_load_tensor(item, "Initializer") for item in fields["initializers"] or []),
        value_info=tuple(info for name, info in infos.items() if name not in ends),
        doc_string=doc_string,
    )


def _named(items: list[ValueInfo]) -> dict[str, ValueInfo]:
    named = {item.name: item for item in items}
    if len(named) < len(items):
        raise FormatError("The graph names the same value twice.")
    return named


def _typed(name: str, infos: Mapping[str, ValueInfo]) -> ValueInfo:
    if name not in infos:
        raise FormatError(f"Input or output {name!r} of the graph has no type.")
    return infos[name]


def _load_node(fields: Fields) -> Node:
    what = f"Node {fields['name'] or ''!r}"
    if not fields["op_type"] or fields["type"] != _PRIMITIVE or fields["inputs"] is None or fields["outputs"] is None:
        raise FormatError(f"{what} is no complete operation: it needs an op_type, inputs and outputs, and must not be a fused one.")
    attributes = {item["name"] or "": _load_attribute(item, what) for item in fields["attributes"] or []}
    if len(attributes) < len(fields["attributes"] or []):
        raise FormatError(f"{what} has the same attribute twice.")
    return Node(
        op_type=fields["op_type"],
        inputs=tuple(fields["inputs"]),
        outputs=tuple(fields["outputs"]),
        name=fields["name"] or "",
        domain=fields["domain"] or "",
        attributes=attributes,
        since_version=fields["since_version"],
        doc_string=fields["doc_string"] or "",
    )


def _load_attribute(fields: Fields, what: str) -> Attribute:
    what = f"{what}, attribute {fields['name']!r},"
    try:
        type_ = AttributeType(fields["type"])
    except ValueError:
        raise FormatError(f"{what} is of kind {fields['type']}, which cannot be read.") from None
    value = fields[_ATTRIBUTE_FIELDS[type_]]
    if value is None and type_ in (AttributeType.TENSOR, AttributeType.GRAPH):
        raise FormatError(f"{what} has no value.")
    if type_ == AttributeType.TENSOR:
        return Attribute(type_, _load_tensor(value, what))
    if type_ == AttributeType.GRAPH:
        return Attribute(type_, _load_graph(value))
    if type_ == AttributeType.TENSORS:
        return Attribute(type_, tuple(_load_tensor(item, what) for item in value or []))
    if type_ in (AttributeType.FLOATS, AttributeType.INTS, AttributeType.STRINGS):
        return Attribute(type_, tuple(value or []))
    return Attribute(type_, "" if value is None else value)


def _load_tensor(fields: Fields, what: str) -> Tensor:
    name = fields["name"] or ""
    return Tensor(name, tensor.to_array(fields, f"{what} {name!r}"), fields["doc_string"] or "")


def dump(model: Model, schemas: Mapping[str, OpSchema]) -> bytes:
    """The .ort file of `model`, as dump_pieces makes it."""
    return b"".join(dump_pieces(model, schemas))


def dump_pieces(model: Model, schemas: Mapping[str, OpSchema]) -> list[memoryview]:
    """The .ort file of `model` in pieces, large weights not copied: same model, same bytes. `schemas`: op_id -> OpSchema of every op.

    Every value needs a type (element type at least): graph inputs and outputs and `value_info`; initializers are typed by their data.
    Raises InvalidInputError naming all ops without schema, or all values without type.
    """
    ops = _ops(model.graph)
    missing = sorted(ops - set(schemas))
    if missing:
        raise InvalidInputError(f"dump: no OpSchema for {', '.join(missing)}; give one for every op of the model.")
    fields = {
        "ir_version": model.ir_version,
        "opset_import": [{"domain": domain, "version": version} for domain, version in model.opset_import.items()],
        "producer_name": model.producer_name or None,
        "producer_version": model.producer_version or None,
        "domain": model.domain,
        "model_version": model.model_version or 0,
        "doc_string": model.doc_string or None,
        "graph": _dump_graph(model.graph, schemas, {}),
        "graph_doc_string": model.graph.doc_string or None,
        "metadata_props": [{"key": key, "value": value} for key, value in model.metadata.items()] or None,
    }
    writer = Writer(_size(model.graph), share_strings=True)
    root = writer.table(
        "InferenceSession", {"ort_version": MODEL_VERSION, "model": fields, "kernel_type_str_resolver": _dump_resolver(ops, schemas)}
    )
    return writer.pieces(root, MODEL_IDENTIFIER)


def _size(graph: Graph) -> int:
    """A guess, rather too large."""
    values = sum(item.data.nbytes for item in graph.initializers)
    return 4096 + values + 1024 * (len(graph.nodes) + len(graph.value_info) + len(graph.initializers))


def _ops(graph: Graph) -> set[str]:
    inner = (_ops(subgraph) for node in graph.nodes for subgraph in topology.subgraphs(node))
    return {op_id(node) for node in graph.nodes}.union(*inner)


def _dump_resolver(ops: set[str], schemas: Mapping[str, OpSchema]) -> Fields:
    return {"op_kernel_type_str_args": [{"op_id": op, "kernel_type_str_args": _dump_types(schemas[op])} for op in sorted(ops)]}


def _dump_types(schema: OpSchema) -> list[Fields]:
    return [
        {"kernel_type_str": key, "args": [{"arg_type": kind, "index": index} for kind, index in arguments]}
        for key, arguments in sorted(schema.kernel_types.items())
    ]


def _dump_graph(graph: Graph, schemas: Mapping[str, OpSchema], outside: Mapping[str, ValueInfo]) -> Fields:
    """outside: the values of the enclosing graphs; a sub-graph repeats the types of those it takes."""
    own = _value_infos(graph)
    infos = {**outside, **own}
    incoming, outgoing = topology.edges(graph.nodes)
    return {
        "initializers": [_dump_tensor(item) for item in graph.initializers],
        "node_args": [value_info.dump(info) for info in _node_args(graph, own, infos)],
        "nodes": [_dump_node(index, node, schemas, infos) for index, node in enumerate(graph.nodes)],
        "max_node_index": len(graph.nodes),
        "node_edges": [
            {"node_index": index, "input_edges": ends[0], "output_edges": ends[1]}
            for index, ends in enumerate(zip(incoming, outgoing, strict=True))
        ],
        "inputs": [info.name for info in graph.inputs],
        "outputs": [info.name for info in graph.outputs],
    }


def _value_infos(graph: Graph) -> dict[str, ValueInfo]:
    """Every typed value of the graph, in a fixed order."""
    infos = {info.name: info for info in (*graph.inputs, *graph.outputs, *graph.value_info) if info.type is not None}
    for item in graph.initializers:
        infos.setdefault(item.name, ValueInfo(item.name, TensorType(tensor.element_type_of(item.data.dtype), item.data.shape)))
    return infos


def _node_args(graph: Graph, own: Mapping[str, ValueInfo], infos: Mapping[str, ValueInfo]) -> list[ValueInfo]:
    """What the file must list: the graph's own values and all that its nodes name; the empty name too, if one leaves an argument out."""
    used = dict.fromkeys(name for node in graph.nodes for name in (*topology.reads(node), *node.outputs))
    ends = dict.fromkeys(info.name for info in (*graph.inputs, *graph.outputs))
    untyped = [name for name in used | ends if name and name not in infos]
    if untyped:
        raise InvalidInputError(f"dump: no type is known for the values {', '.join(untyped)}; add them to value_info.")
    names = dict.fromkeys(own) | dict.fromkeys(name for name in used if name)
    return [infos[name] for name in names] + [ValueInfo("", None)] * ("" in used)


def _dump_node(index: int, node: Node, schemas: Mapping[str, OpSchema], infos: Mapping[str, ValueInfo]) -> Fields:
    return {
        "name": node.name,
        "doc_string": node.doc_string,
        "domain": node.domain,
        "since_version": node.since_version,
        "index": index,
        "op_type": node.op_type,
        "inputs": node.inputs,
        "outputs": node.outputs,
        "attributes": [_dump_attribute(name, item, schemas, infos) for name, item in node.attributes.items()],
        "input_arg_counts": _input_arg_counts(node, schemas[op_id(node)]),
        "implicit_inputs": topology.implicit_inputs(node),
    }


def _input_arg_counts(node: Node, schema: OpSchema) -> list[int]:
    """How many values each formal input has: 1 if supplied ("" too), 0 for those left out at the end, any number if variadic."""
    given, formal = len(node.inputs), schema.formal_inputs
    if schema.variadic_input:
        return [int(position < given) for position in range(formal - 1)] + [max(0, given - formal + 1)]
    if given > formal:
        raise InvalidInputError(f"dump: {node.label} has {given} inputs, {op_id(node)} takes {formal}; correct node or schema.")
    return [1] * given + [0] * (formal - given)


def _dump_attribute(name: str, attribute: Attribute, schemas: Mapping[str, OpSchema], infos: Mapping[str, ValueInfo]) -> Fields:
    value = attribute.value
    if isinstance(value, Tensor):
        value = _dump_tensor(value)
    elif isinstance(value, Graph):
        value = _dump_graph(value, schemas, infos)
    elif attribute.type == AttributeType.TENSORS and isinstance(value, tuple):
        value = [_dump_tensor(item) for item in value]
    return {"name": name, "type": int(attribute.type), _ATTRIBUTE_FIELDS[attribute.type]: value}


def _dump_tensor(item: Tensor) -> Fields:
    return {**tensor.to_fields(item.name, item.data), "doc_string": item.doc_string or None}
