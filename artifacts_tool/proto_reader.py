"""ModelProto -> graph.Model.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import onnx
from onnx import numpy_helper

from pagetrain.errors import FormatError
from pagetrain.graph import (
    NUMPY_DTYPES,
    Attribute,
    AttributeType,
    Dimension,
    ElementType,
    Graph,
    Model,
    Node,
    SequenceType,
    Tensor,
    TensorType,
    ValueInfo,
)

from .op_schemas import since_version


def model_of(proto: onnx.ModelProto) -> Model:
    """The Model a ModelProto holds. Raises FormatError for types that pagetrain has not (texts, map, optional, sparse)."""
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
        raise FormatError(f"The tensor {proto.name!r} holds {kind}, which pagetrain has not; take it out of the model.")
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
        return proto.dim_value if proto.dim_value >= 0 else None  # some exporters write -1 for a size that is open
    return proto.dim_param if proto.dim_param not in ("", "?") else None
