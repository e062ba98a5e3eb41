"""The protobuf framing of exported models, byte by byte, and what is in their metadata. What onnx makes of it: test_export_oracle.py."""

import json
import math
import tracemalloc

import numpy as np
import pytest

from pagetrain import export, manifest
from pagetrain.export import FileSlice
from tests.tiny import FOLDER, trained


def read_fields(data):
    """(field number, content) of one message, written apart from the code under test."""
    at, found = 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            found.append((key >> 3, number()))
        else:
            assert key & 7 == 2
            length = number()
            assert at + length <= len(data)
            found.append((key >> 3, data[at : at + length]))
            at += length
    return found


def test_an_initializer_is_a_model_of_its_own():
    """ModelProto.graph(7).initializer(5) with dims(1), data_type(2), name(8), raw_data(9)."""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    ((field, graph),) = read_fields(b"".join(export.initializer(array, "größe")))
    ((inner, tensor),) = read_fields(graph)
    assert (field, inner) == (7, 5)
    assert read_fields(tensor) == [(1, 2), (1, 3), (2, 1), (8, "größe".encode()), (9, array.tobytes())]


def test_a_scalar_and_an_empty_array_are_framed_too():
    """No dims for rank 0; no bytes for no elements."""
    for array in (np.float32(3).reshape(()), np.zeros((0, 4), np.float32)):
        ((_, graph),) = read_fields(b"".join(export.initializer(np.asarray(array), "x")))
        ((_, tensor),) = read_fields(graph)
        assert [content for field, content in read_fields(tensor) if field == 1] == list(array.shape)
        assert dict(read_fields(tensor))[9] == array.tobytes()


def test_metadata_entries():
    """metadata_props(14) of key(1) and value(2), in order, UTF-8."""
    fields = read_fields(export.metadata({"a": "", "b": '["🐈", "\\"", "<b>"]'}))
    assert [field for field, _ in fields] == [14, 14]
    assert [dict(read_fields(entry)) for _, entry in fields] == [{1: b"a", 2: b""}, {1: b"b", 2: '["🐈", "\\"", "<b>"]'.encode()}]


def test_parts_are_the_skeleton_slices_and_the_new_bytes():
    """Every frozen parameter is a range of parameters.bin; only headers, the head and the metadata are bytes."""
    job = trained(["red", "blue"], count=3, epochs=2)
    parts = list(job.export_parts())
    slices = [part for part in parts if isinstance(part, FileSlice)]
    assert slices[0] == FileSlice("inference_model", 0, (FOLDER / "inference_model.onnx").stat().st_size)
    assert slices[1:] == [FileSlice("parameters", one.offset, one.bytes) for one in job.manifest.parameters]
    assert sum(len(part) for part in parts if isinstance(part, bytes)) < 2 * 13 * 4 + 2000


@pytest.mark.parametrize("storage,scale", [("float16", 0), ("int8", 4)])
def test_compactly_stored_parameters(storage, scale):
    """float16 is a range of parameters.bin under the name that the skeleton widens; int8 values come as float32 bytes."""
    root = json.loads((FOLDER / "manifest.json").read_text())
    at = 0
    for one in root["parameters"]:
        one |= {
            "stored": storage,
            "offset": at,
            "bytes": math.prod(one["shape"]) * {"float16": 2, "int8": 1}[storage] + scale * one["shape"][0],
        }
        at += -(-one["bytes"] // 4) * 4
    root["files"]["parameters"]["bytes"] = at
    parsed = manifest.parse(json.dumps(root))
    values = {one.name: np.full(one.shape, 0.5, np.float32) for one in parsed.parameters}
    values |= {one.name: np.zeros((2, 12) if len(one.shape) == 2 else 2, np.float32) for one in parsed.trainable}
    parts = list(export.model_parts(parsed, FileSlice("inference_model", 0, 10), values.__getitem__, {}))
    slices = [part for part in parts if isinstance(part, FileSlice)]
    ranges = [FileSlice("parameters", one.offset, one.bytes) for one in parsed.parameters]
    assert slices == [FileSlice("inference_model", 0, 10), *(ranges if storage == "float16" else [])]
    named = b"".join(part for part in parts if isinstance(part, bytes))
    assert all((f"{one.name}.float16".encode() in named) == (storage == "float16") for one in parsed.parameters)
    assert all((values[one.name].tobytes() in parts) == (storage == "int8") for one in parsed.parameters)


def test_extra_memory_is_a_piece_however_large_the_model_is():
    """Of 4 MB that are stored as int8 and 1 MB that is trained, no more than a few pieces are ever held: less than 1 MB in all."""
    root = json.loads((FOLDER / "manifest.json").read_text())
    [frozen, *_] = root["parameters"]
    root["parameters"] = [frozen | {"stored": "int8", "shape": [1000, 1000], "offset": 0, "bytes": 1_004_000}]
    root["files"]["parameters"]["bytes"] = 1_004_000
    parsed = manifest.parse(json.dumps(root))
    values = {frozen["name"]: np.ones((1000, 1000), np.float32)} | {one.name: np.ones(250_000, np.float32) for one in parsed.trainable}
    tracemalloc.start()
    try:
        size = sum(len(part) for part in export.model_parts(parsed, b"", values.__getitem__, {}) if isinstance(part, bytes))
        assert tracemalloc.get_traced_memory()[1] < 3 * export.PIECE < 1_000_000
    finally:
        tracemalloc.stop()
    assert size > 4_000_000 + 1_000_000
