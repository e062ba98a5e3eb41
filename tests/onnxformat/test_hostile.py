"""Bytes from anywhere: the .onnx reader answers with a model or one FormatError, soon, and never with another exception."""

from __future__ import annotations

import contextlib
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from pagetrain import onnxformat
from pagetrain.api.model_source import load_model
from pagetrain.errors import FormatError
from pagetrain.graph import Attribute, AttributeType, Graph, Model, Node
from pagetrain.onnxformat import reader
from pagetrain.protobuf import content, number, text, varint
from tests.api.golden import DATA
from tests.steps_counted import steps_of

FILES = [DATA / "mlp_ce_adamw_frozen" / "training_model.onnx", DATA / "mlp_ce_adamw_frozen" / "optimizer_model.onnx"]
FUNCTION = content(25, text(1, "Block"))


def _load_or_refuse(data: bytes) -> None:
    with contextlib.suppress(FormatError):
        load_model(data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_truncated_anywhere(path: Path) -> None:
    """A file cut short between its fields may be a model, one cut inside of the graph is none."""
    data = path.read_bytes()
    for size in range(0, len(data) - 200, 7):  # what follows the graph has less than 200 bytes
        with pytest.raises(FormatError):
            onnxformat.load(data[:size])
    for size in range(len(data) - 200, len(data)):
        _load_or_refuse(data[:size])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_random_bytes_changed(path: Path) -> None:
    """Up to eight bytes changed at random, or a run of bytes taken out or doubled."""
    data, random = path.read_bytes(), np.random.default_rng(1)
    for _ in range(500):
        changed = np.frombuffer(data, np.uint8).copy()
        places = random.integers(len(data), size=random.integers(1, 9))
        changed[places] = random.integers(256, size=len(places))
        _load_or_refuse(changed.tobytes())
        start, end = sorted(random.integers(len(data), size=2))
        _load_or_refuse(data[:start] + data[end:])
        _load_or_refuse(data[:end] + data[start:])


def _nested(depth: int) -> Graph:
    inner = Graph("g", (), (), ())
    for _ in range(depth):
        inner = Graph("g", (Node("If", (), (), attributes={"body": Attribute(AttributeType.GRAPH, inner)}),), (), ())
    return inner


def _tensor(fields: bytes) -> bytes:
    return content(7, content(5, fields))


HOSTILE = {
    "nothing": (b"", "no ONNX model"),
    "a text": (b"<html>not found</html>", "not an ONNX model"),
    "an endless number": (b"\x08" + b"\xff" * 11, "more than 64 bits"),
    "a field longer than the file": (b"\x3a" + varint(2**62), "cut short"),
    "a group, which protobuf no longer has": (b"\x3b\x3c", "unknown kind 3"),
    "a function twice": (content(7, b"") + FUNCTION * 2, "two local functions named 'Block'"),
    "no UTF-8": (content(7, content(2, b"\xff")), "not UTF-8"),
    "a number where a graph should be": (number(7, 1), "a number stands where bytes should"),
    "bytes where a number should be": (content(7, b"") + content(1, b""), "bytes stand where a number should"),
    "a size of 2**62": (_tensor(number(1, 2**62) + number(2, 1) + text(8, "w")), "impossible shape"),
    "a negative size": (_tensor(number(1, -1) + number(2, 1) + text(8, "w")), "impossible shape"),
    "40 axes": (_tensor(number(1, 1) * 40 + number(2, 1)), "impossible shape"),
    "no values": (_tensor(number(1, 1 << 20) + number(2, 1) + text(8, "w")), "'w' has 0 bytes .* need 4194304"),
    "an unknown element type": (_tensor(number(2, 99) + text(8, "w")), "'w' has the unknown element type 99"),
    "values elsewhere": (_tensor(number(2, 1) + text(8, "w") + number(14, 1)), "'w' has its values in a file"),
    "too few texts": (_tensor(number(1, 3) + number(2, 8) + text(8, "w")), "'w' has 0 texts"),
    "sparse": (content(7, content(15, b"")), "sparse"),
    "an optional value": (content(7, content(11, text(1, "x") + content(2, content(9, b"")))), "'x' is of kind optional"),
    "an attribute without a kind": (content(7, content(1, text(4, "Relu") + content(5, text(1, "a")))), "'a' is of kind 0"),
    "a reference outside of a function": (
        content(7, content(1, text(4, "Elu") + content(5, text(1, "alpha") + text(21, "slope") + number(20, 1)))),
        "'alpha' refers to 'slope'",
    ),
    "a cut packed number": (_tensor(content(1, b"\x80")), "cut short"),
}


@pytest.mark.parametrize("data, told", HOSTILE.values(), ids=HOSTILE)
def test_each_kind_of_damage_is_told(data: bytes, told: str) -> None:
    """One sentence that says what is wrong."""
    with pytest.raises(FormatError, match=told):
        load_model(data)


def test_graphs_deep_inside_each_other_are_refused() -> None:
    """32 are read, more are not."""
    for depth, fine in ((31, True), (40, False)):
        data = onnxformat.dump(Model(_nested(depth), 8, {"": 17}))
        if fine:
            assert onnxformat.load(data).graph == _nested(depth) or depth
        else:
            with pytest.raises(FormatError, match="graphs inside graphs"):
                onnxformat.load(data)


def test_a_graph_in_pieces_is_one_graph() -> None:
    """Protobuf merges what stands twice: initializers may follow the model, as in the files that a page exports."""
    data = FILES[0].read_bytes()
    whole, extra = onnxformat.load(data), content(7, content(5, number(2, 1) + number(1, 0) + text(8, "extra")))
    found = onnxformat.load(data + extra).graph
    assert found.nodes == whole.graph.nodes
    assert [tensor.name for tensor in found.initializers] == [*(tensor.name for tensor in whole.graph.initializers), "extra"]


def test_a_large_packed_field_takes_no_more_steps_than_a_small_one() -> None:
    """A million numbers one behind the other are read by numpy, not one by one."""

    def packed(values: np.ndarray) -> bytes:
        return _tensor(number(1, values.size) + number(2, 7) + content(7, values.astype(np.uint8).tobytes()))

    many, few = np.arange(1_000_000) % 100, np.arange(10)
    (found,) = onnxformat.load(packed(many)).graph.initializers
    np.testing.assert_array_equal(found.data, many)
    # the lengths before it have some bytes more, each with a step of its own
    assert steps_of(lambda: onnxformat.load(packed(many))) < steps_of(lambda: onnxformat.load(packed(few))) + 100


def test_a_node_is_not_put_in_words_for_each_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a megabyte's name and a hundred thousand attributes that was 100 GB of words for messages that nobody needs, and minutes."""
    words: list[str] = []  # for each attribute, and held, so that no two are in the same place one after the other

    def attribute(self: object, fields: object, node: str) -> tuple[str, Attribute]:
        words.append(node)
        return str(len(words)), Attribute(AttributeType.INT, 0)

    monkeypatch.setattr(reader._Reader, "attribute", attribute)
    attributes = b"".join(content(5, text(1, f"a{index}") + number(20, 2)) for index in range(100))
    node = text(4, "Neg") + content(1, b"") + content(2, b"y") + text(3, "long") + attributes
    _load_or_refuse(number(1, 8) + content(8, number(2, 17)) + content(7, content(1, node)))
    assert (len(words), len({id(word) for word in words})) == (100, 1)


@pytest.mark.parametrize("field", [1, 11, 12, 13])  # of GraphProto: node, input, output, value_info
def test_empty_parts_do_not_become_much_more_than_they_are(field: int) -> None:
    """Two bytes each: a view of it, and what a nameless value is made of, are 129 times as large."""
    data = number(1, 8) + content(7, content(field, b"") * 20_000) + content(8, number(2, 17))
    tracemalloc.start()
    try:
        with contextlib.suppress(FormatError):
            onnxformat.load(data)
        assert tracemalloc.get_traced_memory()[1] < 150 * len(data)
    finally:
        tracemalloc.stop()
