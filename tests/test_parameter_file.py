"""parameters.bin arrives in chunks of any size, is checked, and becomes float32 arrays."""

import hashlib
import json
import tracemalloc
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
    for name, array in file.arrays():
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


def test_a_hash_that_was_compared_is_not_computed_again(stored):
    """Said of every chunk, other bytes of the right number are taken; said of some only, or of none, they are refused."""
    manifest, data, _ = stored
    other = bytes([data[0] ^ 1]) + data[1:]
    trusting = ParameterFile(manifest)
    assert not trusting.feed(other[:5], checked=True)
    assert trusting.feed(other[5:], checked=True)
    assert len(list(trusting.arrays())) == 3
    for first in (True, False):
        doubting = ParameterFile(manifest)
        doubting.feed(other[:5], checked=first)
        with pytest.raises(FormatError, match="sha256"):
            doubting.feed(other[5:], checked=False)


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


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf, 1e38, -3e38])
def test_scales_that_make_no_numbers_are_refused(scale):
    """NaN, infinities, and what times 128 is beyond float32 (3.4e38); the file stays unusable, and the parameter is named."""
    data = np.ones((2, 4), np.int8).tobytes() + np.array([1, scale], np.float32).tobytes()
    file = ParameterFile(described([("w", "int8", [2, 4], 0, 16)], data))
    with pytest.raises(FormatError, match="scales of 'w'"):
        file.feed(data)
    with pytest.raises(StateError):
        file.arrays()


def test_scales_may_be_zero_negative_or_tiny():
    """They are numbers like others: value = int8 * scale, rounded once to float32."""
    values, scales = np.array([[-128, 127], [3, -5], [1, 0]], np.int8), np.array([0, -0.1, 1e-44], np.float32)
    data = values.tobytes() + scales.tobytes()
    file = ParameterFile(described([("w", "int8", [3, 2], 0, 18)], data))
    assert file.feed(data)
    ((_, array),) = file.arrays()
    assert np.array_equal(array, (values * scales.astype(np.float64)[:, np.newaxis]).astype(np.float32))


@pytest.mark.parametrize("stored,size", [("float16", 2), ("int8", 1)])
def test_widening_takes_the_memory_of_one_parameter(stored, size):
    """Of 20 parameters of 64 KB as float32 never more than three are there at once: the one in hand, the next, and one being scaled."""
    rows = 64
    length = rows * 256 * size + (4 * rows if stored == "int8" else 0)
    data = np.zeros(20 * length, np.uint8).tobytes()
    file = ParameterFile(described([(f"w{i}", stored, [rows, 256], i * length, length) for i in range(20)], data))
    assert file.feed(data)
    tracemalloc.start()
    try:
        for _, array in file.arrays():
            assert array.nbytes == 65536
        assert tracemalloc.get_traced_memory()[1] < 3.5 * 65536
    finally:
        tracemalloc.stop()


def test_memory_is_taken_as_bytes_arrive():
    """A manifest that announces two gigabytes, none of which ever comes, gets a small part of them."""
    rows = [("w", "float32", [500_000_000], 0, 2_000_000_000)]
    root = json.loads(TEXT)
    root["parameters"] = [{"name": n, "dtype": "float32", "stored": s, "shape": d, "offset": o, "bytes": b} for n, s, d, o, b in rows]
    root["files"]["parameters"]["bytes"] = 2_000_000_000
    tracemalloc.start()
    ParameterFile(manifest.parse(json.dumps(root))).feed(bytes(1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


def test_files_beyond_the_first_piece_of_memory_are_whole(monkeypatch):
    """The buffer grows; values that came before stay."""
    monkeypatch.setattr("pagetrain.parameter_file._AT_ONCE", 10)
    values = np.arange(1000, dtype=np.float32)
    file = ParameterFile(described([("w", "float32", [1000], 0, 4000)], values.tobytes()))
    assert [file.feed(values.tobytes()[at : at + 700]) for at in range(0, 4000, 700)] == [False] * 5 + [True]
    np.testing.assert_array_equal(dict(file.arrays())["w"], values)
