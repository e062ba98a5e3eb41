"""graph.Model -> ModelProto, and nothing stands in it that is not in the Model.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import onnx

from pagetrain.graph import (
    ELEMENT_TYPES,
    Attribute,
    AttributeType,
    Dimension,
    Graph,
    Model,
    Node,
    SequenceType,
    Tensor,
    TensorType,
    ValueInfo,
)
from pagetrain.packing import packed

from .light import is_large


def proto_of(model: Model, with_large: bool = True) -> onnx.ModelProto:
    """The ModelProto of a Model: proto_reader.model_of read backwards. Empty texts are left out.

    with_large False: large initializers of the graph without their values.
    """
    proto = onnx.ModelProto(
        ir_version=model.ir_version,
        producer_name=model.producer_name or None,
        producer_version=model.producer_version or None,
        doc_string=model.doc_string or None,
        graph=_graph_proto(model.graph, with_large),
    )
    proto.opset_import.extend(onnx.OperatorSetIdProto(domain=domain, version=version) for domain, version in model.opset_import.items())
    proto.metadata_props.extend(onnx.StringStringEntryProto(key=key, value=value) for key, value in model.metadata.items())
    return proto


def _graph_proto(graph: Graph, with_large: bool = True) -> onnx.GraphProto:
    proto = onnx.GraphProto(name=graph.name, doc_string=graph.doc_string or None)
    proto.node.extend(_node_proto(node) for node in graph.nodes)
    proto.initializer.extend(tensor_proto(tensor, with_large) for tensor in graph.initializers)
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
            proto.t.CopyFrom(tensor_proto(value))
        case AttributeType.GRAPH:
            proto.g.CopyFrom(_graph_proto(value))
        case AttributeType.FLOATS:
            proto.floats.extend(value)
        case AttributeType.INTS:
            proto.ints.extend(value)
        case AttributeType.STRINGS:
            proto.strings.extend(item.encode() for item in value)
        case AttributeType.TENSORS:
            proto.tensors.extend(tensor_proto(item) for item in value)
    return proto


def tensor_proto(tensor: Tensor, with_large: bool = True) -> onnx.TensorProto:
    """The TensorProto of a Tensor. with_large False: a large one says that its values are elsewhere."""
    proto = onnx.TensorProto(
        name=tensor.name,
        doc_string=tensor.doc_string or None,
        data_type=ELEMENT_TYPES[tensor.data.dtype],
        dims=tensor.data.shape,
    )
    if with_large or not is_large(tensor):
        proto.raw_data = packed(tensor.data)
    else:
        proto.data_location = onnx.TensorProto.EXTERNAL
    return proto


def set_value_info(proto: onnx.GraphProto, values: Iterable[ValueInfo]) -> None:
    """Replaces the graph's types of inner values."""
    del proto.value_info[:]
    proto.value_info.extend(_value_info_proto(value) for value in values)


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
