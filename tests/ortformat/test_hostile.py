"""Bytes from anywhere: every reader answers with a result or one FormatError, soon, and never with another exception."""

from __future__ import annotations

import contextlib
import itertools
import struct
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagetrain import topology
from pagetrain.api import CheckpointState
from pagetrain.errors import FormatError
from pagetrain.graph import Graph
from pagetrain.ortformat import checkpoint, model, tables
from pagetrain.ortformat.schema import SKIPPED, TABLES
from tests.steps_counted import steps_of

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
SMALL_FILES: list[tuple[str, Callable[[bytes], object]]] = [
    ("mlp_ce_adamw_frozen/checkpoint_final_opt", CheckpointState.load_checkpoint),
    ("mlp_ce_adamw_frozen/nominal_checkpoint", CheckpointState.load_checkpoint),
    ("mlp_ce_adamw_frozen/eval_model.ort", model.load),
    ("mlp_ce_adamw_frozen/optimizer_model.ort", model.load),
]
FILES = [*SMALL_FILES, ("dwconv_relu6_gap/training_model.ort", model.load)]
PADDING = 8  # bytes that alignment may leave unused at the end


@pytest.mark.parametrize("name, load", SMALL_FILES)
def test_truncated_at_every_byte(name: str, load: Callable[[bytes], object]) -> None:
    """A file cut short anywhere is refused; only alignment bytes at its end may be missing."""
    data = (GOLDEN / name).read_bytes()
    for size in range(len(data) - PADDING):
        with pytest.raises(FormatError):
            load(data[:size])
    for size in range(len(data) - PADDING, len(data)):
        _load_or_refuse(load, data[:size])


@pytest.mark.parametrize("name, load", FILES)
def test_random_bytes_changed(name: str, load: Callable[[bytes], object]) -> None:
    """Up to eight bytes changed at random."""
    data, random = (GOLDEN / name).read_bytes(), np.random.default_rng(1)
    for _ in range(1000):
        changed = np.frombuffer(data, np.uint8).copy()
        places = random.integers(len(data), size=random.integers(1, 9))
        changed[places] = random.integers(256, size=len(places))
        _load_or_refuse(load, changed.tobytes())


@pytest.mark.parametrize("name, load", FILES)
def test_offsets_and_lengths_changed(name: str, load: Callable[[bytes], object]) -> None:
    """An aligned word (an offset or a length, as likely as not) set to a value that breaks careless readers, or to that of another word."""
    data, random = (GOLDEN / name).read_bytes(), np.random.default_rng(2)
    words = np.frombuffer(data, "<u4")
    evil = np.array([0, 1, 2, 4, 8, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF, len(data), len(data) - 4], np.uint32)
    for _ in range(1000):
        changed = words.copy()
        changed[random.integers(len(words))] = random.choice(np.concatenate([evil, words[random.integers(len(words), size=4)]]))
        _load_or_refuse(load, changed.tobytes())


def _load_or_refuse(load: Callable[[bytes], object], data: bytes) -> None:
    with contextlib.suppress(FormatError):
        load(data)


@pytest.mark.parametrize("load", [model.load, checkpoint.load])
@pytest.mark.parametrize(
    "data", [b"", b"ORTM", bytes(8), bytes(1000), b"\x08\0\0\0ONNX" + bytes(100), b"\xff" * 64, b"\x08\x07\x12\x07pytorch"]
)
def test_other_files_are_refused(load: Callable[[bytes], object], data: bytes) -> None:
    """Empty, short and foreign files are named as such."""
    with pytest.raises(FormatError, match="This file is no "):
        load(data)


def test_model_and_checkpoint_are_told_apart() -> None:
    """One kind of file handed to the other kind's reader is refused by its identifier."""
    with pytest.raises(FormatError, match=r"no ORT-format model: .*b'ODTC'"):
        model.load((GOLDEN / "mlp_ce_adamw_frozen/checkpoint").read_bytes())
    with pytest.raises(FormatError, match=r"no training checkpoint: .*b'ORTM'"):
        checkpoint.load((GOLDEN / "mlp_ce_adamw_frozen/eval_model.ort").read_bytes())


def test_message_says_where() -> None:
    """The path to the damaged place stands in the message."""
    data = (GOLDEN / "mlp_ce_adamw_frozen/checkpoint").read_bytes()
    with pytest.raises(
        FormatError, match=r"training checkpoint is .*: at module_state\.requires_grad_params\[0\]\.name, byte \d+ lies outside"
    ):
        checkpoint.load(data[:-40])


def _model(graph: tables.Fields | tables.Built, writer: tables.Writer) -> bytes:
    fields = {"opset_import": [{"version": 17}], "graph": graph}
    return writer.finish(writer.table("InferenceSession", {"ort_version": "6", "model": fields}), b"ORTM")


def _holding(writer: tables.Writer, inner: tables.Built, times: int) -> tables.Built:
    """A graph of one node whose attributes are all the same graph."""
    attributes = [{"name": f"g{index}", "type": 5, "g": inner} for index in range(times)]
    node = {"op_type": "If", "inputs": [], "outputs": [], "attributes": attributes}
    return writer.table("Graph", {"nodes": [node], "inputs": [], "outputs": []})


def _nested(levels: int, times: int) -> bytes:
    writer = tables.Writer()
    graph = writer.table("Graph", {"inputs": [], "outputs": []})
    for _ in range(levels):
        graph = _holding(writer, graph, times)
    return _model(graph, writer)


def test_a_few_nested_graphs_are_fine() -> None:
    """Sub-graphs inside one another can be read."""
    assert model.load(_nested(3, 1)).graph.nodes[0].op_type == "If"


def test_deep_nesting_is_refused() -> None:
    """Graphs inside graphs beyond the limit do not end in a RecursionError."""
    with pytest.raises(FormatError, match=r"inside one another"):
        model.load(_nested(1000, 1))


def test_shared_parts_cannot_multiply() -> None:
    """A small file whose parts are used again and again (4 to the power of 18 graphs) is refused before it unfolds."""
    with pytest.raises(FormatError, match=r"add up to more bytes than the file has"):
        model.load(_nested(18, 4))


VECTORS = [
    (holder, field.name, field.type)
    for holder, fields in TABLES.items()
    for field in fields
    if field.is_vector and field.type in TABLES and field.name != SKIPPED
]


@pytest.mark.parametrize("holder, name, kind", VECTORS, ids=lambda part: part)
def test_empty_parts_take_no_more_than_a_sound_file_s(holder: str, name: str, kind: str) -> None:
    """A vector that names one empty table again and again, four bytes each time, does not become as many dicts.

    A dict of our fields takes up to half a kilobyte, and twelve bytes of the file pay for one: 25 times the size was seen.
    """
    writer = tables.Writer()
    empty = writer.table(kind, {})
    data = b"".join(writer.pieces(writer.table(holder, {name: [empty] * 20_000}), b"TEST"))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"add up to more bytes"):
            tables.read(data, holder, b"TEST", "test")
        assert tracemalloc.get_traced_memory()[1] < 50 * len(data)
    finally:
        tracemalloc.stop()


def test_one_long_vector_used_by_all_is_refused() -> None:
    """A thousand nodes that share one vector of ten thousand names would make ten million of them."""
    writer = tables.Writer()
    builder = writer.builder
    text = builder.CreateString("x")
    builder.StartVector(4, 10_000, 4)
    for _ in range(10_000):
        builder.PrependUOffsetTRelative(text)
    names = builder.EndVector()
    nodes = []
    for _ in range(1000):
        builder.StartObject(13)
        builder.PrependUOffsetTRelativeSlot(8, names, 0)  # inputs
        nodes.append(builder.EndObject())
    with pytest.raises(FormatError, match=r"add up to more bytes"):
        model.load(_model(writer.table("Graph", {"nodes": nodes}), writer))


def test_fields_that_lie_over_one_another_are_read_one_by_one() -> None:
    """A vtable that places one field inside another is read as it says: each from its own place."""
    vtable = struct.pack("<6H", 12, 12, 0, 4, 8, 0)  # two sizes; step at 4, initial_learning_rate in the midst of it, the two others absent
    table = struct.pack("<iq", len(vtable), 0x3F800000_00000007)  # 3F800000: 1.0 as float32
    data = struct.pack("<I4s", 8 + len(vtable), b"TEST") + vtable + table
    expected = {"group_name": None, "step": 0x3F800000_00000007, "initial_learning_rate": 1.0, "optimizer_states": None}
    assert tables.read(data, "OptimizerGroup", b"TEST", "test") == expected


def test_tables_of_more_shapes_than_are_remembered() -> None:
    """A graph whose attributes have hundreds of vtables, used in turns, reads as it was written."""
    names = [field.name for field in TABLES["Attribute"] if field.is_scalar or (field.type == "str" and not field.is_vector)]
    value = {"name": "n", "doc_string": "d", "type": 1, "f": 0.5, "i": -7, "s": "s"}
    shapes = [chosen for count in range(len(names) + 1) for chosen in itertools.combinations(names, count)]
    vectors = {"floats": [1.5], "ints": [3, -4], "strings": ["a", ""]}
    written = [{**{name: value[name] for name in chosen}, **more} for chosen in shapes for more in _subsets(vectors)]
    assert len(written) > tables._MAX_LAYOUTS
    writer = tables.Writer()
    data = writer.finish(writer.table("Node", {"attributes": [*written, *written]}), b"TEST")
    assert [_given(item) for item in tables.read(data, "Node", b"TEST", "test")["attributes"]] == [*written, *written]


def _subsets(fields: tables.Fields) -> list[tables.Fields]:
    return [{name: fields[name] for name in chosen} for count in range(4) for chosen in itertools.combinations(fields, count)]


def _given(fields: tables.Fields) -> tables.Fields:
    return {name: value for name, value in fields.items() if value}


def test_a_long_name_of_many_nodes_is_refused() -> None:
    """Short texts are shared freely; one of 100 kB, used by 4000 nodes, would go into 4000 labels: 400 MB."""
    writer = tables.Writer()
    name = writer.builder.CreateString("x" * 100_000)
    nodes = []
    for _ in range(4000):
        writer.builder.StartObject(13)
        writer.builder.PrependUOffsetTRelativeSlot(0, name, 0)
        nodes.append(tables.Built(writer.builder.EndObject()))
    with pytest.raises(FormatError, match=r"add up to more bytes"):
        model.load(_model(writer.table("Graph", {"nodes": nodes}), writer))


def test_long_texts_that_are_alike_can_be_read_back() -> None:
    """Three doc strings of a few kilobytes, in a file that shares its short texts."""
    writer = tables.Writer(share_strings=True)
    nodes = [{"op_type": "Neg", "inputs": [""], "outputs": [f"y{index}"], "doc_string": "x" * 5000} for index in range(30)]
    graph = model.load(_model(writer.table("Graph", {"nodes": nodes}), writer)).graph
    assert {node.doc_string for node in graph.nodes} == {"x" * 5000}


class _Name(str):
    """A name that counts how often it is compared with another one, also where C does it (`in` a tuple)."""

    __slots__ = ()
    __hash__ = str.__hash__
    compared = 0

    def __eq__(self, other: object) -> bool:
        _Name.compared += 1
        return str.__eq__(self, other)


def _with_names(fields: Any) -> Any:
    if isinstance(fields, dict):
        return {key: _with_names(value) for key, value in fields.items()}
    if isinstance(fields, list):
        return [_with_names(value) for value in fields]
    return _Name(fields) if isinstance(fields, str) else fields


def test_many_values_and_many_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand values, one of which is an input ten thousand times, take ten times the steps of a tenth of them, not a hundred times."""

    def file(values: int) -> bytes:
        writer = tables.Writer(share_strings=True)
        infos = [{"name": f"v{index}", "type": {"value_type": 1, "value": {"elem_type": 1}}} for index in range(values)]
        return _model({"nodes": [], "node_args": infos, "inputs": ["v0"] * (10 * values), "outputs": []}, writer)

    few, many = (steps_of(partial(_load_or_refuse, model.load, file(values))) for values in (100, 1000))
    assert few < many < 10.5 * few
    monkeypatch.setattr(model, "read", lambda *given: _with_names(tables.read(*given)))
    before = _Name.compared
    _load_or_refuse(model.load, file(1000))
    assert 0 < _Name.compared - before < 10 * 11_000  # each of the 11,000 a few times; each with each would be 10,000,000


def test_many_bodies_in_a_graph_of_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred bodies, and one inside each, see the values of the graph around them in one set; nothing is copied for each."""
    writer = tables.Writer(share_strings=True)
    making = {"op_type": "Split", "inputs": [""], "outputs": [f"v{index}" for index in range(1000)]}
    inner = {"op_type": "If", "inputs": [], "outputs": ["z"], "attributes": [{"name": "g", "type": 5, "g": {"inputs": [], "outputs": []}}]}
    bodies = [{"name": f"g{index}", "type": 5, "g": {"nodes": [inner], "inputs": [], "outputs": []}} for index in range(100)]
    holding = {"op_type": "If", "inputs": [], "outputs": ["y"], "attributes": bodies}
    real, seen = topology.sound, []

    def sound(graph: Graph, open_ends: bool = False, outside: topology.Scopes = ()) -> Graph:
        seen.append(outside)
        return real(graph, open_ends, outside)

    monkeypatch.setattr(topology, "sound", sound)
    model.load(_model({"nodes": [making, holding], "inputs": [], "outputs": []}, writer))
    sizes = {id(scope): len(scope) for outside in seen for scope in outside}
    assert [len(outside) for outside in seen] == [0, *[1, 2] * 100]
    assert 1000 < sum(sizes.values()) < 1500  # the outer values, and the few of each body
