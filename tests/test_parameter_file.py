"""parameters.bin arrives in chunks of any size, is checked, and becomes float32 arrays."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from pagetrain import manifest
from pagetrain.errors import FormatError, StateError
from pagetrain.parameter_file import ParameterFile

TEXT = (Path(__file__).parent / "data" / "tiny_artifacts" / "manifest.json").read_text(encoding="utf-8")


def described(rows, data):
    """A manifest of the given (name, stored, shape, offset, bytes) in `data`."""
    root = json.loads(TEXT)
    root["parameters"] = [
        {"name": name, "dtype": "float32", "stored": stored, "shape": shape, "offset": offset, "bytes": size}
        for name, stored, shape, offset, size in rows
    ]
    root["files"]["parameters"] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return manifest.parse(json.dumps(root))


@pytest.fixture
def stored():
    """Three parameters, one of each storage, and their exact values."""
    rng = np.random.default_rng(1)
    wide, half = rng.normal(size=(2, 3)).astype(np.float32), rng.normal(size=(3, 5)).astype(np.float16)
    small, scales = rng.integers(-128, 128, (3, 5)).astype(np.int8), rng.random(3).astype(np.float32)
    data = wide.tobytes() + half.tobytes() + b"\0\0" + small.tobytes() + scales.tobytes()
    rows = [("wide", "float32", [2, 3], 0, 24), ("half", "float16", [3, 5], 24, 30), ("small", "int8", [3, 5], 56, 27)]
    return (
        described(rows, data),
        data,
        {"wide": wide, "half": half.astype(np.float32), "small": small.astype(np.float32) * scales[:, np.newaxis]},
    )


@pytest.mark.parametrize("size", [1, 3, 7, 56, 1000])
def test_any_chunk_size_gives_the_same_arrays(stored, size):
    """Bytes, bytearrays and memoryviews; done exactly at the last byte."""
    description, data, expected = stored
    file = ParameterFile(description)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    answers = [file.feed((bytes, bytearray, memoryview)[index % 3](chunk)) for index, chunk in enumerate(chunks)]
    assert answers == [False] * (len(chunks) - 1) + [True]
    for name, array in file.arrays().items():
        assert array.dtype == np.float32
        assert np.array_equal(array, expected[name]), name


def test_one_wrong_byte_is_found(stored):
    """The hash is checked at the end; the file stays unusable."""
    description, data, _ = stored
    file = ParameterFile(description)
    with pytest.raises(FormatError, match="sha256"):
        file.feed(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(FormatError, match="sha256"):
        file.feed(b"")
    with pytest.raises(StateError):
        file.arrays()


def test_too_many_bytes_are_refused(stored):
    """Also when they come after the end."""
    description, data, _ = stored
    with pytest.raises(FormatError, match="more than"):
        ParameterFile(description).feed(data + b"\0")
    file = ParameterFile(description)
    assert file.feed(data)
    with pytest.raises(FormatError, match="more than"):
        file.feed(b"\0")


def test_too_few_bytes_are_not_done(stored):
    """The arrays stay out of reach, with the count in the message."""
    description, data, _ = stored
    file = ParameterFile(description)
    assert not file.feed(data[:-1])
    with pytest.raises(StateError, match=f"{len(data) - 1} of {len(data)}"):
        file.arrays()
