"""A sensible manifest is read; a hostile or mistaken one ends in one FormatError that names the place."""

import copy
import json
from pathlib import Path

import pytest

from pagetrain import manifest
from pagetrain.errors import FormatError

TEXT = (Path(__file__).parent / "data" / "tiny_artifacts" / "manifest.json").read_text(encoding="utf-8")


def test_everything_is_read():
    """Names, shapes, places and files are those in the JSON."""
    root, found = json.loads(TEXT), manifest.parse(TEXT)
    assert (found.name, found.title, found.license) == (root["name"], root["title"], root["license"])
    assert (found.input, found.input_shape, found.logits, found.labels_input) == ("input", (3, 16, 16), "logits", "labels")
    assert (found.num_classes, found.labels) == (None, None)
    assert [(one.name, one.shape, one.init, one.class_axis) for one in found.trainable] == [
        ("classifier.weight", ("num_classes", 12), "zeros", 0),
        ("classifier.bias", ("num_classes",), "zeros", 0),
    ]
    assert [(one.name, list(one.shape), one.offset, one.bytes) for one in found.parameters] == [
        (one["name"], one["shape"], one["offset"], one["bytes"]) for one in root["parameters"]
    ]
    assert found.fingerprint == root["fingerprint"]
    assert {key: vars_of(entry) for key, entry in found.files.items()} == root["files"]
    assert found.parameter_bytes == root["files"]["parameters"]["bytes"]


def vars_of(entry):
    return {"path": entry.path, "bytes": entry.bytes, "sha256": entry.sha256}


def test_unknown_keys_are_ignored():
    """A new optional key is not a new version."""
    root = json.loads(TEXT)
    root["colour"] = root["input"]["colour"] = root["parameters"][0]["colour"] = {"a": [1]}
    assert manifest.parse(json.dumps(root)) == manifest.parse(TEXT)


def set_path(path):
    return lambda d: d["files"]["parameters"].update(path=path)


def set_shape(shape):
    return lambda d: d["parameters"][0].update(shape=shape)


HOSTILE = {
    "another format": lambda d: d.update(format="something-else"),
    "a newer version": lambda d: d.update(version=2),
    "version true": lambda d: d.update(version=True),
    "another task": lambda d: d.update(task="detection"),
    "another loss": lambda d: d.update(loss="mse"),
    "no name": lambda d: d.pop("name"),
    "an empty name": lambda d: d.update(name=""),
    "an endless name": lambda d: d.update(name="a" * 10**6),
    "input that is a list": lambda d: d.update(input=[]),
    "input of doubles": lambda d: d["input"].update(dtype="float64"),
    "input that is no picture": lambda d: d["input"].update(shape=["N", 5]),
    "input of another size than the steps make": lambda d: d["input"].update(shape=["N", 3, 32, 32]),
    "no logits": lambda d: d["outputs"].pop("logits"),
    "one class": lambda d: d.update(num_classes=1, labels=["a"]),
    "a billion classes": lambda d: d.update(num_classes=10**9),
    "labels of another number": lambda d: d.update(num_classes=3, labels=["a", "b"]),
    "labels without number": lambda d: d.update(labels=["a", "b"]),
    "unknown preprocessing": lambda d: d["preprocessing"]["steps"].insert(0, {"op": "sharpen"}),
    "no trainable": lambda d: d.update(trainable=[]),
    "trainable twice": lambda d: d["trainable"].append(d["trainable"][0]),
    "trainable doubles": lambda d: d["trainable"][0].update(dtype="float64"),
    "a deviation that is no number": lambda d: d["trainable"][0].update(init="normal:e-."),
    "an endless deviation": lambda d: d["trainable"][0].update(init="normal:1e99"),
    "a negative deviation": lambda d: d["trainable"][0].update(init="normal:-1"),
    "an unknown init": lambda d: d["trainable"][0].update(init="__import__('os')"),
    "a stored head without rows": lambda d: d["trainable"][0].update(init="stored"),
    "two symbolic sizes": lambda d: d["trainable"][0].update(shape=["num_classes", "num_classes"]),
    "no files": lambda d: d.pop("files"),
    "a missing file": lambda d: d["files"].pop("eval_model"),
    "a file that is a text": lambda d: d["files"].update(eval_model="eval_model.ort"),
    "a path upwards": set_path("../parameters.bin"),
    "a path upwards inside": set_path("a/../../parameters.bin"),
    "an absolute path": set_path("/etc/passwd"),
    "a Windows path": set_path("C:\\parameters.bin"),
    "a backslash": set_path("a\\b"),
    "an address": set_path("https://example.org/parameters.bin"),
    "a query": set_path("parameters.bin?x=1"),
    "an escaped dot": set_path("%2e%2e/parameters.bin"),
    "an empty part": set_path("a//b"),
    "a line end": set_path("parameters.bin\n"),
    "no path": set_path(""),
    "a short hash": lambda d: d["files"]["parameters"].update(sha256="12"),
    "negative bytes": lambda d: d["files"]["parameters"].update(bytes=-1),
    "more bytes than an address space": lambda d: d["files"]["parameters"].update(bytes=2**40),
    "bytes that are not whole": lambda d: d["files"]["parameters"].update(bytes=4400.0),
    "more bytes than parameters": lambda d: d["files"]["parameters"].update(bytes=4404),
    "fewer bytes than parameters": lambda d: d["files"]["parameters"].update(bytes=4396),
    "a negative size": set_shape([-8, 3, 3, 3]),
    "a size of zero": set_shape([0, 3, 3, 3]),
    "an absurd shape": set_shape([10**6, 10**6]),
    "a shape with a symbol": set_shape(["num_classes", 27]),
    "a deep shape": set_shape([1] * 50),
    "a shape that is a number": set_shape(216),
    "a shape with true in it": set_shape([True, 216]),
    "another shape than bytes": set_shape([8, 3, 3, 2]),
    "a negative offset": lambda d: d["parameters"][0].update(offset=-4),
    "a gap": lambda d: d["parameters"][1].update(offset=d["parameters"][1]["offset"] + 4),
    "an overlap": lambda d: d["parameters"][1].update(offset=0),
    "int8 without an axis": lambda d: d["parameters"][0].update(stored="int8", shape=[], bytes=1),
    "int8 without its scales": lambda d: d["parameters"][0].update(stored="int8", bytes=216),
    "float16 of float32's length": lambda d: d["parameters"][0].update(stored="float16"),
    "an unknown storage": lambda d: d["parameters"][0].update(stored="float8"),
    "a parameter twice": lambda d: d["parameters"][1].update(name=d["parameters"][0]["name"]),
    "a parameter that is a text": lambda d: d["parameters"].insert(0, "conv1.weight"),
    "parameters that are an object": lambda d: d.update(parameters={}),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE.keys())
def test_mistakes_are_refused(change):
    """One FormatError of one sentence that is short enough to show."""
    root = copy.deepcopy(json.loads(TEXT))
    change(root)
    with pytest.raises(FormatError) as caught:
        manifest.parse(json.dumps(root))
    assert 20 < len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        '"a"',
        "[" * 100_000,
        '{"a":' * 50 + "1" + "}" * 50,
        " " * 9_000_000,
        b"\xff\xfe\x00",
        '{"format": "pagetrain-artifacts"}',
    ],
)
def test_what_is_no_manifest_is_refused(text):
    """Not JSON, not an object, nested without end, not text."""
    with pytest.raises(FormatError):
        manifest.parse(text)


def test_compact_storage_has_its_own_sizes():
    """float16 takes two bytes an element; int8 one and four for each row's scale; each starts at a multiple of 4."""
    root = json.loads(TEXT)
    rows = [("a", "float16", [3, 5], 30, 0), ("b", "int8", [3, 5], 27, 32), ("c", "float32", [2], 8, 60)]
    root["parameters"] = [
        {"name": name, "dtype": "float32", "stored": stored, "shape": shape, "offset": offset, "bytes": size}
        for name, stored, shape, size, offset in rows
    ]
    root["files"]["parameters"]["bytes"] = 68
    assert [one.bytes for one in manifest.parse(json.dumps(root)).parameters] == [30, 27, 8]
