"""ortformat.schema: every slot, type and default, compared with the bindings that the onnxruntime wheel ships."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

from pagetrain.ortformat import schema

pytestmark = pytest.mark.oracle

SCALAR_CALLS = {"Bool": "bool", "Int8": "i8", "Uint8": "u8", "Int32": "i32", "Uint32": "u32", "Int64": "i64", "Float32": "f32"}
VECTOR_READERS = {**{f"{name}Flags": kind for name, kind in SCALAR_CALLS.items()}, "String": "str"}


class Recorder:
    """Stands for a flatbuffers builder and notes the last call."""

    call: tuple[str, tuple[Any, ...]] = ("", ())

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: setattr(self, "call", (name, arguments))


def _bindings(kind: str) -> ModuleType:
    importlib.import_module("onnxruntime.tools.ort_format_model")  # puts the bindings on the path
    return importlib.import_module(f"ort_flatbuffers_py.fbs.{kind}")


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _recorded(function: Any, *arguments: Any) -> tuple[str, tuple[Any, ...]]:
    recorder = Recorder()
    function(recorder, *arguments)
    return recorder.call


@pytest.mark.parametrize("kind", schema.TABLES)
def test_number_of_slots(kind: str) -> None:
    """Each table has as many slots as in the bindings."""
    assert _recorded(_bindings(kind).Start) == ("StartObject", (len(schema.TABLES[kind]),))


@pytest.mark.parametrize("kind", schema.TABLES)
def test_every_field(kind: str) -> None:
    """Each field has the slot, type and default of the bindings; skipped slots are those that are deprecated, or runtime_optimizations."""
    module, found = _bindings(kind), {}
    for name in re.findall(rf"def {kind}Add(\w+)\(", inspect.getsource(module)):
        call, (slot, _, default) = _recorded(getattr(module, f"Add{name}"), 1)
        found[slot] = name, _type(module, kind, name, call), default
    for slot, field in enumerate(schema.TABLES[kind]):
        if field.name == schema.SKIPPED:
            assert slot not in found or found[slot][0] == "RuntimeOptimizations"
        else:
            assert found[slot] == (_camel(field.name), (_expected(field), field.is_vector), field.default)


def _expected(field: schema.Field) -> str:
    return "union" if field.type in schema.UNIONS else field.type


def _type(module: ModuleType, kind: str, name: str, call: str) -> tuple[str, bool]:
    """The type that the binding's reader of a field tells, and whether it is a vector."""
    scalar = SCALAR_CALLS.get(call.removeprefix("Prepend").removesuffix("Slot"))
    if scalar:
        return scalar, False
    source = inspect.getsource(getattr(getattr(module, kind), name))
    is_vector = hasattr(module, f"Start{name}Vector")
    table = re.search(r"from ort_flatbuffers_py\.fbs\.\w+ import (\w+)", source)
    if table:
        return table[1], is_vector
    if "_tab.Union" in source:
        return "union", False
    reader = next(kind for name, kind in VECTOR_READERS.items() if re.search(rf"\b{name}\b", source))
    return ("bytes", False) if (reader, is_vector) == ("u8", True) else (reader, is_vector)


@pytest.mark.parametrize("kind", schema.STRUCTS)
def test_structs(kind: str) -> None:
    """Fields of a struct stand in the order, at the offsets and with the types of the bindings."""
    struct = getattr(_bindings(kind), kind)
    source, offset = inspect.getsource(struct), 0
    for field in schema.STRUCTS[kind]:
        (reader, place) = re.search(rf"def {_camel(field.name)}\(self\).*?(\w+)Flags.*?py_type\((\d+)\)", source).groups()  # type: ignore[union-attr]
        assert (SCALAR_CALLS[reader], int(place)) == (field.type, offset)
        offset += 4
    assert struct.SizeOf() == offset


def test_union() -> None:
    """The numbers of the union's kinds."""
    bound = _bindings("TypeInfoValue").TypeInfoValue
    assert [bound.tensor_type, bound.sequence_type, bound.map_type] == [1, 2, 3]
    assert schema.UNIONS["TypeInfoValue"] == ("TensorTypeAndShape", "SequenceType", "MapType")


@pytest.mark.parametrize("kind, identifier", [("InferenceSession", schema.MODEL_IDENTIFIER), ("Checkpoint", schema.CHECKPOINT_IDENTIFIER)])
def test_identifiers(kind: str, identifier: bytes) -> None:
    """The bindings know the two kinds of file by the same four bytes."""
    assert getattr(getattr(_bindings(kind), kind), f"{kind}BufferHasIdentifier")(bytes(4) + identifier, 0)


def test_enumerations() -> None:
    """Element types, attribute types, dimension kinds and argument kinds have the bindings' numbers."""
    from onnx import TensorProto

    from pagetrain.graph import AttributeType, ElementType
    from pagetrain.ortformat import model, value_info

    newest = ElementType.FLOAT8E5M2FNUZ  # the file format has none of the smaller types that ONNX brought later
    for members, name in (([one for one in ElementType if one <= newest], "TensorDataType"), (AttributeType, "AttributeType")):
        bound = getattr(_bindings(name), name)
        assert {member.name: member.value for member in members}.items() <= vars(bound).items()
    assert {member.name: member.value for member in ElementType}.items() <= dict(TensorProto.DataType.items()).items()
    kinds, arguments = _bindings("DimensionValueType").DimensionValueType, _bindings("ArgType").ArgType
    assert (kinds.UNKNOWN, kinds.VALUE, kinds.PARAM) == (value_info._UNKNOWN, value_info._VALUE, value_info._PARAM)
    assert (arguments.INPUT, arguments.OUTPUT) == (model.INPUT, model.OUTPUT)
