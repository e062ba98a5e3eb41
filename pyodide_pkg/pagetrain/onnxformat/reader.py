"""The bytes of an .onnx file -> graph.Model.

Source: field numbers of onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import FormatError
from ..graph import Attribute, AttributeType, Graph, Model, Node, Tensor, ValueInfo
from ..protobuf import Message, message, signed_numbers
from .external_data import ExternalData
from .fields import float32, messages, number, octets, single, text, texts
from .functions import Function, Inliner, Key, Reference
from .tensors import Values, read_tensor, refuse_external
from .types import read_value_info

_GRAPH, _FUNCTIONS = 7, 25  # fields of a ModelProto
MOST_NESTED = 32  # graphs inside graphs
MOST_OPSET = 2**31 - 1  # what onnx's own functions take
VersionOf = Callable[[str, str, int], int]  # of op_type, domain and opset: the since_version of a node


def opset_itself(op_type: str, domain: str, opset: int) -> int:
    """The opset as since_version: who looks for the newest version that is not above it finds the same."""
    return opset


def load_file(path: str | os.PathLike[str]) -> Model:
    """The model of that path. Weights in files beside it are mapped, not read. Raises what load raises."""
    return load(Path(path).read_bytes(), ExternalData(Path(path).parent))


def load(data: bytes | bytearray | memoryview, external: Values = refuse_external, version_of: VersionOf = opset_itself) -> Model:
    """The model in `data`, which it does not hold. external: the values of tensors that are stored elsewhere.

    Local functions are written out. Raises FormatError for what is no ONNX model or a damaged one, and for types that pagetrain has not
    (maps, optional, sparse).
    """
    fields = _model(data)
    graph = single(fields, _GRAPH)
    if graph is None:
        raise FormatError(f"These {len(data)} bytes are no ONNX model, or one without a graph; export it again.")
    opset_import = _opset_import(fields)
    reader = _Reader(opset_import, external, version_of)
    functions: dict[Key, Function] = {}
    for one in messages(fields, _FUNCTIONS):
        opset_import = _common(opset_import, one)
        key = (_domain(one, 10), text(one, 1))
        if key in functions:
            raise FormatError(f"The model has two local functions named {key[1]!r}, which pagetrain cannot tell apart.")
        functions[key] = replace(reader, opset_import=_opset_import(one, 9), in_function=True).function(one)
    called = reader.graph(graph)
    return Model(
        graph=Inliner(functions).graph(called) if functions else called,
        ir_version=number(fields, 1),
        opset_import=opset_import,
        producer_name=text(fields, 2),
        producer_version=text(fields, 3),
        metadata={text(entry, 1): text(entry, 2) for entry in messages(fields, 14)},
        doc_string=text(fields, 6),
        domain=text(fields, 4),
        model_version=number(fields, 5) if 5 in fields else None,
    )


def _model(data: bytes | bytearray | memoryview) -> Message:
    try:
        return message(memoryview(data).cast("B"))
    except FormatError as error:
        raise FormatError(f"These {len(data)} bytes are not an ONNX model, or a damaged one; export it again. {error}") from None


def load_tensor(data: bytes, external: Values = refuse_external) -> Tensor:
    """The tensor in a serialised TensorProto."""
    return read_tensor(message(memoryview(data)), external)


def _common(opset_import: Mapping[str, int], function: Message) -> dict[str, int]:
    """The model's opsets and the function's; a function of another opset means other ops."""
    own = _opset_import(function, 9)
    for domain, opset in own.items():
        if opset_import.get(domain, opset) != opset:
            name = text(function, 1)
            raise FormatError(f"The local function {name!r} is of opset {opset}, the model of {opset_import[domain]}; export it again.")
    return {**opset_import, **own}


def _opset_import(fields: Message, field: int = 8) -> dict[str, int]:
    """{domain: opset}. Raises FormatError for two opsets of one domain, and for one that no schema can have."""
    found: dict[str, int] = {}
    for entry in messages(fields, field):
        domain, opset = _domain(entry, 1), number(entry, 2)
        where = f"of the domain {domain!r}" if domain else "of ONNX"
        if abs(opset) > MOST_OPSET:
            raise FormatError(f"The model is damaged: it imports opset {opset} {where}.")
        if found.setdefault(domain, opset) != opset:
            raise FormatError(f"The model imports the opsets {found[domain]} and {opset} {where}; it may name one.")
    return found


def _domain(fields: Message, field: int) -> str:
    name = text(fields, field)
    return "" if name == "ai.onnx" else name


@dataclass(frozen=True, slots=True)
class _Reader:
    opset_import: Mapping[str, int]
    external: Values
    version_of: VersionOf
    depth: int = 0
    in_function: bool = False

    def graph(self, fields: Message) -> Graph:
        if 15 in fields:
            raise FormatError(f"The graph {text(fields, 2)!r} holds sparse initializers; store them as dense tensors.")
        if self.depth > MOST_NESTED:
            raise FormatError(f"The model has graphs inside graphs, more than {MOST_NESTED} deep.")
        inner = replace(self, depth=self.depth + 1)
        return Graph(
            name=text(fields, 2),
            nodes=tuple(inner.node(node) for node in messages(fields, 1)),
            inputs=_value_infos(fields, 11),
            outputs=_value_infos(fields, 12),
            initializers=self.tensors(fields, 5),
            value_info=_value_infos(fields, 13),
            doc_string=text(fields, 10),
        )

    def function(self, fields: Message) -> Function:
        defaults = dict(self.attribute(one, text(fields, 1)) for one in messages(fields, 11))
        return Function(texts(fields, 4), texts(fields, 5), defaults, tuple(self.node(node) for node in messages(fields, 7)))

    def node(self, fields: Message) -> Node:
        domain, op_type, name, outputs = _domain(fields, 7), text(fields, 4), text(fields, 3), texts(fields, 2)
        what = Node(op_type, (), outputs, name).label
        if not op_type:
            raise FormatError(f"The node{what} of the model has no op_type; export it again.")
        return Node(
            op_type=op_type,
            inputs=texts(fields, 1),
            outputs=outputs,
            name=name,
            domain=domain,
            attributes=dict(self.attribute(one, what) for one in messages(fields, 5)),
            since_version=self.version_of(op_type, domain, self.opset_import.get(domain, 1)),
            doc_string=text(fields, 6),
        )

    def attribute(self, fields: Message, node: str) -> tuple[str, Attribute]:
        name, number_of_kind, referred = text(fields, 1), number(fields, 20), text(fields, 21)
        if referred and self.in_function:
            return name, Attribute(AttributeType.INT, Reference(referred))  # the call's attribute brings its own kind
        if referred:
            raise FormatError(f"{node}: attribute {name!r} refers to {referred!r} of a function, but it is in none.")
        try:
            kind = AttributeType(number_of_kind)
        except ValueError:
            raise FormatError(f"{node}: attribute {name!r} is of kind {number_of_kind}, which pagetrain has not.") from None
        return name, Attribute(kind, self.attribute_value(fields, kind))

    def attribute_value(self, fields: Message, kind: AttributeType) -> object:
        match kind:
            case AttributeType.FLOAT:
                return float32(fields[2][-1]) if 2 in fields else 0.0
            case AttributeType.INT:
                return number(fields, 3)
            case AttributeType.STRING:
                return text(fields, 4)
            case AttributeType.TENSOR:
                return read_tensor(single(fields, 5) or {}, self.external)
            case AttributeType.GRAPH:
                return self.graph(single(fields, 6) or {})
            case AttributeType.FLOATS:
                return _floats(map(octets, fields.get(7, [])))
            case AttributeType.INTS:
                return tuple(signed_numbers(fields.get(8, [])).tolist())
            case AttributeType.STRINGS:
                return texts(fields, 9)
            case AttributeType.TENSORS:
                return self.tensors(fields, 10)

    def tensors(self, fields: Message, field: int) -> tuple[Tensor, ...]:
        return tuple(read_tensor(message(octets(value)), self.external) for value in fields.get(field, []))


def _floats(values: Iterable[memoryview]) -> tuple[float, ...]:
    """Numbers of 32 bits, one by one or packed."""
    data = b"".join(values)
    if len(data) % 4:
        raise FormatError("The model is damaged: the last float of an attribute is cut short.")
    return tuple(np.frombuffer(data, "<f4").tolist())


def _value_infos(fields: Message, field: int) -> tuple[ValueInfo, ...]:
    return tuple(read_value_info(one) for one in messages(fields, field))
