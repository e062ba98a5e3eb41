"""graph.Model -> the bytes of an .onnx file, without the onnx package, which a browser has not.

Source: field numbers of onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from .graph import (
    ELEMENT_TYPES,
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
from .packing import packed
from .protobuf import content, float32, number, text


def dump(model: Model) -> bytes:
    """The serialised ModelProto; the same model gives the same bytes."""
    return b"".join(
        [
            number(1, model.ir_version),
            text(2, model.producer_name),
            text(3, model.producer_version),
            text(6, model.doc_string),
            content(7, _graph(model.graph)),
            *(content(8, content(1, domain.encode()) + number(2, version)) for domain, version in model.opset_import.items()),
            *(content(14, content(1, key.encode()) + content(2, value.encode())) for key, value in model.metadata.items()),
        ]
    )


def _graph(graph: Graph) -> bytes:
    return b"".join(
        [
            *_each(1, map(_node, graph.nodes)),
            content(2, graph.name.encode()),
            *_each(5, map(_tensor, graph.initializers)),
            text(10, graph.doc_string),
            *_each(11, map(_value_info, graph.inputs)),
            *_each(12, map(_value_info, graph.outputs)),
            *_each(13, map(_value_info, graph.value_info)),
        ]
    )


def _each(field: int, items: Iterable[bytes]) -> Iterable[bytes]:
    """A repeated field."""
    return (content(field, item) for item in items)


def _node(node: Node) -> bytes:
    return b"".join(
        [
            *_each(1, (name.encode() for name in node.inputs)),
            *_each(2, (name.encode() for name in node.outputs)),
            text(3, node.name),
            text(4, node.op_type),
            *_each(5, (_attribute(name, attribute) for name, attribute in node.attributes.items())),
            text(6, node.doc_string),
            text(7, node.domain),
        ]
    )


def _attribute(name: str, attribute: Attribute) -> bytes:
    return text(1, name) + _attribute_value(attribute) + number(20, attribute.type)


def _attribute_value(attribute: Attribute) -> bytes:
    value = cast(Any, attribute.value)
    match attribute.type:
        case AttributeType.FLOAT:
            return float32(2, value)
        case AttributeType.INT:
            return number(3, value)
        case AttributeType.STRING:
            return content(4, value.encode())
        case AttributeType.TENSOR:
            return content(5, _tensor(value))
        case AttributeType.GRAPH:
            return content(6, _graph(value))
        case AttributeType.FLOATS:
            return b"".join(float32(7, item) for item in value)
        case AttributeType.INTS:
            return b"".join(number(8, item) for item in value)
        case AttributeType.STRINGS:
            return b"".join(_each(9, (item.encode() for item in value)))
        case AttributeType.TENSORS:
            return b"".join(_each(10, map(_tensor, value)))


def _tensor(tensor: Tensor) -> bytes:
    data, sizes = tensor.data, b"".join(number(1, size) for size in tensor.data.shape)
    if data.dtype.hasobject:
        kind, values = ElementType.STRING, b"".join(_each(6, (str(item).encode() for item in data.flat)))
    else:
        kind, values = ELEMENT_TYPES[data.dtype], content(9, packed(data))
    return sizes + number(2, kind) + text(8, tensor.name) + values + text(12, tensor.doc_string)


def _value_info(value: ValueInfo) -> bytes:
    return text(1, value.name) + (content(2, _type(value.type)) if value.type else b"") + text(3, value.doc_string)


def _type(known: TensorType | SequenceType) -> bytes:
    if isinstance(known, SequenceType):
        return content(4, content(1, _type(known.element)))
    shape = b"" if known.shape is None else content(2, b"".join(_each(1, map(_dimension, known.shape))))
    return content(1, number(1, known.element) + shape)


def _dimension(size: Dimension) -> bytes:
    return number(1, size) if isinstance(size, int) else text(2, size or "")
