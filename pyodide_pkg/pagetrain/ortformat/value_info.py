"""The ValueInfo table: fields <-> graph.ValueInfo."""

from __future__ import annotations

from ..errors import FormatError, InvalidInputError
from ..graph import NAMELESS, Dimension, SequenceType, TensorType, ValueInfo
from .tables import Fields
from .tensor import element_type

_TENSOR, _SEQUENCE = 1, 2  # numbers in the union TypeInfoValue
_UNKNOWN, _VALUE, _PARAM = 0, 1, 2  # DimensionValueType


def load(fields: Fields) -> ValueInfo:
    """Raises FormatError for a value without type, or of a type that graph.py has no word for (maps, sequences of sequences)."""
    name = fields["name"] or ""
    return ValueInfo(name, _load_type(fields["type"], f"Value {name!r}"), fields["doc_string"] or "")


def _load_type(fields: Fields | None, what: str) -> TensorType | SequenceType:
    value = fields and fields["value"]
    if not fields or value is None:
        raise FormatError(f"{what} has no type.")
    if fields["value_type"] == _TENSOR:
        return TensorType(element_type(value["elem_type"], what), _load_shape(value["shape"], what))
    if fields["value_type"] == _SEQUENCE:
        element = _load_type(value["elem_type"], what)
        if isinstance(element, TensorType):
            return SequenceType(element)
    raise FormatError(f"{what} is a map or a sequence of sequences; only tensors and sequences of tensors can be read.")


def _load_shape(fields: Fields | None, what: str) -> tuple[Dimension, ...] | None:
    if fields is None:
        return None
    return tuple(_load_dimension(dim["value"], what) for dim in fields["dim"] or [])


def _load_dimension(fields: Fields | None, what: str) -> Dimension:
    if fields is None or fields["dim_type"] == _UNKNOWN:
        return None
    if fields["dim_type"] == _PARAM:
        return None if fields["dim_param"] in NAMELESS else str(fields["dim_param"])
    size = int(fields["dim_value"])
    if fields["dim_type"] != _VALUE or size < -1:
        raise FormatError(f"{what} has a dimension of kind {fields['dim_type']} and size {size}.")
    return None if size == -1 else size  # -1: how ORT stores an unknown size


def dump(info: ValueInfo) -> Fields:
    """The table of a value. A value without type (the empty name) has none."""
    fields: Fields = {"name": info.name, "doc_string": info.doc_string}
    return fields if info.type is None else {**fields, "type": _dump_type(info.type)}


def _dump_type(type_: TensorType | SequenceType) -> Fields:
    if isinstance(type_, SequenceType):
        return {"value_type": _SEQUENCE, "value": {"elem_type": _dump_type(type_.element)}}
    tensor: Fields = {"elem_type": int(type_.element)}
    if type_.shape is not None:
        tensor["shape"] = {"dim": [{"value": _dump_dimension(dimension)} for dimension in type_.shape]}
    return {"value_type": _TENSOR, "value": tensor}


def _dump_dimension(dimension: Dimension) -> Fields:
    if dimension is None:
        return {}
    if isinstance(dimension, str):
        return {"dim_type": _PARAM, "dim_param": dimension}
    if dimension < 0:
        raise InvalidInputError(f"A dimension of size {dimension} cannot be written; use None for an unknown one.")
    return {"dim_type": _VALUE, "dim_value": dimension}
