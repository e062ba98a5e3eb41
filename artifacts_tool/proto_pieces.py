"""graph.Model -> the bytes of a ModelProto in pieces, so that weights are written from where they are; and external data beside it.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto) for the numbers of fields, protobuf's encoding of messages for tags and lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import onnx

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ELEMENT_TYPES, Model, Tensor
from pagetrain.packing import stored

from .proto_writer import proto_of

Pieces = Sequence[bytes | memoryview]
MOST_BYTES = 2**31 - 1  # of a protobuf message
EXTERNAL_FROM = 1024  # bytes of a tensor that goes to the file beside the model
PAGE = 4096  # alignment there, so that readers can map each tensor
GRAPH, INITIALIZER, RAW_DATA = 7, 5, 9  # numbers of fields
BEFORE_GRAPH = ("ir_version", "producer_name", "producer_version", "doc_string")
BEFORE_INITIALIZERS = ("node", "name")


def onnx_files(name: str, model: Model, most_bytes: int = MOST_BYTES) -> dict[str, Pieces]:
    """{file name: content}: the model, and <name>.data with its large weights when one message of `most_bytes` cannot hold them.

    Raises InvalidInputError when it cannot even so.
    """
    pieces = model_pieces(model)
    if size_of(pieces) <= most_bytes:
        return {name: pieces}
    location = f"{name}.data"
    light, data = _with_external_data(model, location)
    if light.ByteSize() > most_bytes:
        raise InvalidInputError(f"{name} would have {light.ByteSize()} bytes without its weights; such a file can hold {most_bytes}.")
    return {name: [light.SerializeToString(deterministic=True)], location: data}


def size_of(pieces: Pieces) -> int:
    """Bytes of all pieces."""
    return sum(map(len, pieces))


def model_pieces(model: Model) -> list[bytes | memoryview]:
    """The bytes of proto_of(model), serialised with fields in the order of their numbers; the values of initializers are not copied."""
    proto = proto_of(replace(model, graph=replace(model.graph, initializers=())))
    graph = proto.graph
    start = _only(graph, BEFORE_INITIALIZERS)
    end = _without(graph, BEFORE_INITIALIZERS)
    tensors = [piece for tensor in model.graph.initializers for piece in _message(INITIALIZER, _tensor_pieces(tensor))]
    whole = _message(GRAPH, [start, *tensors, end])
    return [_only(proto, BEFORE_GRAPH), *whole, _without(proto, (*BEFORE_GRAPH, "graph"))]


def _only(message: onnx.ModelProto | onnx.GraphProto, fields: Sequence[str]) -> bytes:
    return _without(message, [field.name for field, _ in message.ListFields() if field.name not in fields])


def _without(message: onnx.ModelProto | onnx.GraphProto, fields: Sequence[str]) -> bytes:
    part = type(message)()
    part.CopyFrom(message)
    for field in fields:
        part.ClearField(field)
    data: bytes = part.SerializeToString(deterministic=True)
    return data


def _tensor_pieces(tensor: Tensor) -> list[bytes | memoryview]:
    """A TensorProto: dims, data_type, name, raw_data, doc_string."""
    head = onnx.TensorProto(name=tensor.name, data_type=ELEMENT_TYPES[tensor.data.dtype], dims=tensor.data.shape)
    tail = onnx.TensorProto(doc_string=tensor.doc_string or None)
    return [head.SerializeToString(), *_message(RAW_DATA, [stored(tensor.data)]), tail.SerializeToString()]


def _message(number: int, pieces: Pieces) -> list[bytes | memoryview]:
    """A field of bytes or of a message: tag, length, content."""
    return [_varint(number << 3 | 2) + _varint(size_of(pieces)), *pieces]


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _with_external_data(model: Model, location: str) -> tuple[onnx.ModelProto, Pieces]:
    """(the model with references instead of its large weights, the content of the file `location`)."""
    large = [tensor for tensor in model.graph.initializers if tensor.data.nbytes >= EXTERNAL_FROM]
    kept = replace(model.graph, initializers=tuple(tensor for tensor in model.graph.initializers if tensor.data.nbytes < EXTERNAL_FROM))
    proto = proto_of(replace(model, graph=kept))
    pieces: list[bytes | memoryview] = []
    size = 0
    for tensor in large:
        padding, values = bytes(-size % PAGE), stored(tensor.data)
        pieces += [padding, values]
        proto.graph.initializer.append(_reference(tensor, location, size + len(padding), len(values)))
        size += len(padding) + len(values)
    return proto, pieces


def _reference(tensor: Tensor, location: str, offset: int, length: int) -> onnx.TensorProto:
    entries = {"location": location, "offset": str(offset), "length": str(length)}
    return onnx.TensorProto(
        name=tensor.name,
        doc_string=tensor.doc_string or None,
        data_type=ELEMENT_TYPES[tensor.data.dtype],
        dims=tensor.data.shape,
        data_location=onnx.TensorProto.EXTERNAL,
        external_data=[onnx.StringStringEntryProto(key=key, value=value) for key, value in entries.items()],
    )
