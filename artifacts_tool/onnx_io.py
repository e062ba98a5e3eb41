"""ModelProto <-> graph.Model: the only place that touches protobuf. The same model gives the same bytes.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import onnx
import onnx.inliner
import onnx.shape_inference
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # its stubs are a package of their own
from onnx import numpy_helper
from pagetrain.errors import FormatError
from pagetrain.graph import (
    ELEMENT_TYPES,
    NUMPY_DTYPES,
    Attribute,
    AttributeType,
    Dimension,
    ElementType,
    Graph,
    Model,
    Node,
    SequenceType,
    Shape,
    Tensor,
    TensorType,
    ValueInfo,
)

from .op_schemas import since_version

ModelSource = onnx.ModelProto | bytes | str | os.PathLike[str]


def read(source: ModelSource) -> Model:
    """The model in a ModelProto, its bytes, or the file of that path (with external data beside it). Local functions are inlined."""
    if isinstance(source, onnx.ModelProto):
        proto = source
    elif isinstance(source, bytes):
        proto = _parse(source)
    else:
        proto = _load(source)
    if not proto.HasField("graph"):
        raise FormatError("The model holds no graph; export it again.")
    if proto.functions:
        proto = onnx.inliner.inline_local_functions(proto)
    return model_of(proto)


def to_bytes(model: Model) -> bytes:
    """The serialised ModelProto; two calls give the same bytes."""
    data: bytes = proto_of(model).SerializeToString(deterministic=True)
    return data


def infer_types(model: Model) -> Model:
    """The model with every value typed that ONNX shape inference can type; known types stay. Raises FormatError for a contradiction."""
    try:
        return model_of(onnx.shape_inference.infer_shapes(proto_of(model), strict_mode=True, data_prop=True))
    except onnx.shape_inference.InferenceError as error:
        raise FormatError(f"Types or shapes in the graph {model.graph.name!r} contradict each other: {error}") from error


def _parse(data: bytes) -> onnx.ModelProto:
    try:
        return onnx.load_model_from_string(data)
    except DecodeError as error:
        raise FormatError(f"These {len(data)} bytes are not an ONNX model; export it again.") from error


def _load(path: str | os.PathLike[str]) -> onnx.ModelProto:
    try:
        return onnx.load_model(os.fspath(path))
    except DecodeError as error:
        raise FormatError(f"{os.fspath(path)} is not an ONNX model; export it again.") from error


def model_of(proto: onnx.ModelProto) -> Model:
    """The Model a ModelProto holds. Raises FormatError for types that pagetrain has not (bfloat16, map, optional, sparse)."""
    opset_import = {_domain(entry.domain): entry.version for entry in proto.opset_import}
    return Model(
        graph=_graph_of(proto.graph, opset_import),
        ir_version=proto.ir_version,
        opset_import=opset_import,
        producer_name=proto.producer_name,
        producer_version=proto.producer_version,
        metadata={entry.key: entry.value for entry in proto.metadata_props},
        doc_string=proto.doc_string,
    )


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _graph_of(proto: onnx.GraphProto, opset_import: dict[str, int]) -> Graph:
    if proto.sparse_initializer:
        raise FormatError(f"The graph {proto.name!r} holds sparse initializers; store them as dense tensors.")
    return Graph(
        name=proto.name,
        nodes=tuple(_node_of(node, opset_import) for node in proto.node),
        inputs=_value_infos_of(proto.input),
        outputs=_value_infos_of(proto.output),
        initializers=tuple(_tensor_of(tensor) for tensor in proto.initializer),
        value_info=_value_infos_of(proto.value_info),
        doc_string=proto.doc_string,
    )


def _node_of(proto: onnx.NodeProto, opset_import: dict[str, int]) -> Node:
    domain = _domain(proto.domain)
    return Node(
        op_type=proto.op_type,
        inputs=tuple(proto.input),
        outputs=tuple(proto.output),
        name=proto.name,
        domain=domain,
        attributes={attribute.name: _attribute_of(attribute, proto, opset_import) for attribute in proto.attribute},
        since_version=since_version(proto.op_type, domain, opset_import.get(domain, 1)),
        doc_string=proto.doc_string,
    )


def _attribute_of(proto: onnx.AttributeProto, node: onnx.NodeProto, opset_import: dict[str, int]) -> Attribute:
    if proto.type not in AttributeType._value2member_map_:
        raise FormatError(f"{node.op_type} {node.name!r}: attribute {proto.name!r} is of kind {proto.type}, which pagetrain has not.")
    kind = AttributeType(proto.type)
    match kind:
        case AttributeType.STRING:
            value: object = proto.s.decode()
        case AttributeType.STRINGS:
            value = tuple(item.decode() for item in proto.strings)
        case AttributeType.TENSOR:
            value = _tensor_of(proto.t)
        case AttributeType.TENSORS:
            value = tuple(_tensor_of(item) for item in proto.tensors)
        case AttributeType.GRAPH:
            value = _graph_of(proto.g, opset_import)
        case AttributeType.FLOATS | AttributeType.INTS:
            value = tuple(proto.floats if kind is AttributeType.FLOATS else proto.ints)
        case _:
            value = proto.f if kind is AttributeType.FLOAT else proto.i
    return Attribute(kind, value)


def _tensor_of(proto: onnx.TensorProto) -> Tensor:
    if proto.data_type not in NUMPY_DTYPES:
        kind = onnx.TensorProto.DataType.Name(cast(Any, proto.data_type))
        raise FormatError(f"The tensor {proto.name!r} holds {kind}, which pagetrain has not; convert it to float32.")
    return Tensor(proto.name, np.ascontiguousarray(numpy_helper.to_array(proto)).reshape(tuple(proto.dims)), proto.doc_string)


def _value_infos_of(protos: Iterable[onnx.ValueInfoProto]) -> tuple[ValueInfo, ...]:
    return tuple(ValueInfo(proto.name, _type_of(proto), proto.doc_string) for proto in protos)


def _type_of(proto: onnx.ValueInfoProto) -> TensorType | SequenceType | None:
    match proto.type.WhichOneof("value"):
        case "tensor_type":
            return _tensor_type_of(proto.type.tensor_type)
        case "sequence_type":
            return SequenceType(_tensor_type_of(proto.type.sequence_type.elem_type.tensor_type))
        case None:
            return None
        case kind:
            raise FormatError(f"The value {proto.name!r} is of kind {kind}; pagetrain has tensors and sequences of tensors.")


def _tensor_type_of(proto: onnx.TypeProto.Tensor) -> TensorType:
    shape = tuple(_dimension_of(dim) for dim in proto.shape.dim) if proto.HasField("shape") else None
    return TensorType(ElementType(proto.elem_type), shape)


def _dimension_of(proto: onnx.TensorShapeProto.Dimension) -> Dimension:
    if proto.HasField("dim_value"):
        return proto.dim_value
    return proto.dim_param or None


def proto_of(model: Model) -> onnx.ModelProto:
    """The ModelProto of a Model: model_of read backwards."""
    proto = onnx.ModelProto(
        ir_version=model.ir_version,
        producer_name=model.producer_name or None,
        producer_version=model.producer_version or None,
        doc_string=model.doc_string or None,
        graph=_graph_proto(model.graph),
    )
    proto.opset_import.extend(onnx.OperatorSetIdProto(domain=domain, version=version) for domain, version in model.opset_import.items())
    proto.metadata_props.extend(onnx.StringStringEntryProto(key=key, value=value) for key, value in model.metadata.items())
    return proto


def _graph_proto(graph: Graph) -> onnx.GraphProto:
    proto = onnx.GraphProto(name=graph.name, doc_string=graph.doc_string or None)
    proto.node.extend(_node_proto(node) for node in graph.nodes)
    proto.initializer.extend(_tensor_proto(tensor) for tensor in graph.initializers)
    for field, values in ((proto.input, graph.inputs), (proto.output, graph.outputs), (proto.value_info, graph.value_info)):
        field.extend(_value_info_proto(value) for value in values)
    return proto


def _node_proto(node: Node) -> onnx.NodeProto:
    proto = onnx.NodeProto(
        op_type=node.op_type,
        domain=node.domain or None,
        name=node.name or None,
        input=node.inputs,
        output=node.outputs,
        doc_string=node.doc_string or None,
    )
    proto.attribute.extend(_attribute_proto(name, attribute) for name, attribute in node.attributes.items())
    return proto


def _attribute_proto(name: str, attribute: Attribute) -> onnx.AttributeProto:
    proto = onnx.AttributeProto(name=name, type=cast(Any, int(attribute.type)))
    value = cast(Any, attribute.value)
    match attribute.type:
        case AttributeType.FLOAT:
            proto.f = value
        case AttributeType.INT:
            proto.i = value
        case AttributeType.STRING:
            proto.s = value.encode()
        case AttributeType.TENSOR:
            proto.t.CopyFrom(_tensor_proto(value))
        case AttributeType.GRAPH:
            proto.g.CopyFrom(_graph_proto(value))
        case AttributeType.FLOATS:
            proto.floats.extend(value)
        case AttributeType.INTS:
            proto.ints.extend(value)
        case AttributeType.STRINGS:
            proto.strings.extend(item.encode() for item in value)
        case AttributeType.TENSORS:
            proto.tensors.extend(_tensor_proto(item) for item in value)
    return proto


def _tensor_proto(tensor: Tensor) -> onnx.TensorProto:
    return onnx.TensorProto(
        name=tensor.name,
        doc_string=tensor.doc_string or None,
        data_type=ELEMENT_TYPES[tensor.data.dtype],
        dims=tensor.data.shape,
        raw_data=tensor.data.tobytes(),
    )


def _value_info_proto(value: ValueInfo) -> onnx.ValueInfoProto:
    proto = onnx.ValueInfoProto(name=value.name, doc_string=value.doc_string or None)
    if isinstance(value.type, SequenceType):
        _fill_tensor_type(proto.type.sequence_type.elem_type.tensor_type, value.type.element)
    elif value.type is not None:
        _fill_tensor_type(proto.type.tensor_type, value.type)
    return proto


def _fill_tensor_type(proto: onnx.TypeProto.Tensor, known: TensorType) -> None:
    proto.elem_type = known.element
    if known.shape is not None:
        proto.shape.SetInParent()
        for dimension in known.shape:
            _add_dimension(proto.shape, dimension)


def _add_dimension(shape: onnx.TensorShapeProto, dimension: Dimension) -> None:
    added = shape.dim.add()
    if isinstance(dimension, int):
        added.dim_value = dimension
    elif dimension is not None:
        added.dim_param = dimension


def shape_text(shape: Shape | None) -> str:
    """A shape for an error message: (N, 3, ?, 224)."""
    return "of unknown rank" if shape is None else "(" + ", ".join("?" if size is None else str(size) for size in shape) + ")"
