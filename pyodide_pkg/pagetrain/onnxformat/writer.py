"""graph.Model -> the bytes of an .onnx file.

Source: field numbers of onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ..graph import (
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
from ..packing import stored
from ..protobuf import content, float32, number, opening, text
from .tensors import EXTERNAL

Pieces = Sequence[bytes | memoryview]


def size_of(pieces: Pieces) -> int:
    """Bytes of all pieces."""
    return sum(map(len, pieces))


def dump(model: Model) -> bytes:
    """The serialised ModelProto; the same model gives the same bytes."""
    return b"".join(dump_pieces(model))


def dump_pieces(model: Model, references: Sequence[bytes] = ()) -> list[bytes | memoryview]:
    """The same in pieces: the values of the graph's initializers are not copied.

    references: further initializers, as reference makes them.
    """
    texts = [number(1, model.ir_version), text(2, model.producer_name), text(3, model.producer_version), text(4, model.domain)]
    texts += [b"" if model.model_version is None else number(5, model.model_version), text(6, model.doc_string)]
    graph = _graph_pieces(model.graph, references)
    return [
        *texts,
        opening(7, size_of(graph)),
        *graph,
        *(content(8, content(1, domain.encode()) + number(2, version)) for domain, version in model.opset_import.items()),
        *(content(14, content(1, key.encode()) + content(2, value.encode())) for key, value in model.metadata.items()),
    ]


def _graph(graph: Graph) -> bytes:
    return b"".join(_graph_pieces(graph))


def _graph_pieces(graph: Graph, references: Sequence[bytes] = ()) -> list[bytes | memoryview]:
    tensors = (tensor_pieces(tensor) for tensor in graph.initializers)
    return [
        *_each(1, map(_node, graph.nodes)),
        content(2, graph.name.encode()),
        *(piece for pieces in tensors for piece in (opening(5, size_of(pieces)), *pieces)),
        *_each(5, references),
        text(10, graph.doc_string),
        *_each(11, map(_value_info, graph.inputs)),
        *_each(12, map(_value_info, graph.outputs)),
        *_each(13, map(_value_info, graph.value_info)),
    ]


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


def tensor_pieces(tensor: Tensor) -> list[bytes | memoryview]:
    """The serialised TensorProto in pieces, its values not copied where a file holds them as memory does."""
    data = tensor.data
    if data.dtype.hasobject:
        values: list[bytes | memoryview] = list(_each(6, (str(item).encode() for item in data.flat)))
        return [_head(tensor, ElementType.STRING), *values, text(8, tensor.name), text(12, tensor.doc_string)]
    raw = stored(data)
    return [_head(tensor, ELEMENT_TYPES[data.dtype]), text(8, tensor.name), opening(9, len(raw)), raw, text(12, tensor.doc_string)]


def reference(tensor: Tensor, location: str, offset: int, length: int) -> bytes:
    """The serialised TensorProto of a tensor whose values are `length` bytes of another file, from `offset` on."""
    entries = {"location": location, "offset": str(offset), "length": str(length)}
    return b"".join(
        [
            _head(tensor, ELEMENT_TYPES[tensor.data.dtype]),
            text(8, tensor.name),
            text(12, tensor.doc_string),
            *(content(13, text(1, key) + text(2, value)) for key, value in entries.items()),
            number(14, EXTERNAL),
        ]
    )


def _head(tensor: Tensor, kind: ElementType) -> bytes:
    return b"".join(number(1, size) for size in tensor.data.shape) + number(2, kind)


def _tensor(tensor: Tensor) -> bytes:
    return b"".join(tensor_pieces(tensor))


def _value_info(value: ValueInfo) -> bytes:
    return text(1, value.name) + (content(2, _type(value.type)) if value.type else b"") + text(3, value.doc_string)


def _type(known: TensorType | SequenceType) -> bytes:
    if isinstance(known, SequenceType):
        return content(4, content(1, _type(known.element)))
    shape = b"" if known.shape is None else content(2, b"".join(_each(1, map(_dimension, known.shape))))
    return content(1, number(1, known.element) + shape)


def _dimension(size: Dimension) -> bytes:
    return number(1, size) if isinstance(size, int) else text(2, size or "")
