"""The inference model as pieces to put one behind another: the skeleton, small headers, and the values where they already lie.

A serialised protobuf message may be concatenated: repeated fields are appended, singular messages merged. So the skeleton (a ModelProto
with the
graph but without values), then one ModelProto per parameter holding only graph.initializer, then one with metadata_props, parse as one
model.
Nobody ever holds the whole file in memory; what is new are the trainable parameters' bytes, in small pieces.
Source: protobuf encoding, "Last One Wins"; onnx.proto.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .graph import ELEMENT_TYPES
from .manifest import Manifest
from .names import as_float16
from .protobuf import content, number, opening

# Field numbers of onnx.proto.
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_INITIALIZER = 5
_TENSOR_DIMS, _TENSOR_DATA_TYPE, _TENSOR_NAME, _TENSOR_RAW_DATA = 1, 2, 8, 9
_ENTRY_KEY, _ENTRY_VALUE = 1, 2

PIECE = 256 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class FileSlice:
    """`length` bytes from `offset` on in the artifact file with this key: bytes that need not be copied."""

    file: str
    offset: int
    length: int


Part = bytes | FileSlice


def model_parts(manifest: Manifest, skeleton: Part, values: Callable[[str], np.ndarray], properties: Mapping[str, str]) -> Iterator[Part]:
    """The inference model: skeleton, every parameter's values, metadata_props. Bytes are made when asked for, PIECE at most at a time.

    skeleton: the graph without values. values(name): a parameter's present values. Frozen ones that parameters.bin stores as float32 or
    float16 are ranges of that file (the skeleton widens float16); of int8 it has no bytes that ONNX would read, so these are converted and
    copied. Trainable ones are always copied.
    """
    yield skeleton
    trainable = [one.name for one in manifest.trainable]
    for one in manifest.parameters:
        if one.name in trainable:
            continue
        if one.stored == "int8":
            yield from initializer(values(one.name), one.name)
            continue
        name = as_float16(one.name) if one.stored == "float16" else one.name
        yield initializer_header(name, one.shape, np.dtype(one.stored), one.bytes)
        yield FileSlice("parameters", one.offset, one.bytes)
    for name in trainable:
        yield from initializer(values(name), name)
    yield metadata(properties)


def initializer_header(name: str, shape: Sequence[int], dtype: np.dtype, length: int) -> bytes:
    """A ModelProto with one initializer, up to where its `length` bytes of raw_data follow."""
    tensor = b"".join(number(_TENSOR_DIMS, size) for size in shape)
    tensor += number(_TENSOR_DATA_TYPE, ELEMENT_TYPES[dtype]) + content(_TENSOR_NAME, name.encode()) + opening(_TENSOR_RAW_DATA, length)
    graph = opening(_GRAPH_INITIALIZER, len(tensor) + length) + tensor
    return opening(_MODEL_GRAPH, len(graph) + length) + graph


def initializer(array: np.ndarray, name: str) -> Iterator[bytes]:
    """A whole initializer: header, then the array's own bytes, copied piece by piece."""
    yield initializer_header(name, array.shape, array.dtype, array.nbytes)
    flat, count = array.reshape(-1), max(1, PIECE // array.itemsize)
    for start in range(0, flat.size, count):
        piece = flat[start : start + count]
        yield piece.astype(piece.dtype.newbyteorder("<"), copy=False).tobytes()


def metadata(properties: Mapping[str, str]) -> bytes:
    """A ModelProto with only metadata_props, in the given order."""
    return b"".join(
        content(_MODEL_METADATA, content(_ENTRY_KEY, key.encode()) + content(_ENTRY_VALUE, value.encode()))
        for key, value in properties.items()
    )
