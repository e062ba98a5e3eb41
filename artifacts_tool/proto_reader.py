"""ModelProto -> graph.Model.

Source: onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import numpy_helper

from pagetrain.errors import FormatError
from pagetrain.graph import (
    NUMPY_DTYPES,
    Attribute,
    AttributeType,
    Dimension,
    ElementType,
    Graph,
    Model,
    Node,
    SequenceType,
    Tensor,
    TensorType,
    ValueInfo,
)
from pagetrain.ortformat.tensor import MAX_RANK

from .light import is_large
from .op_schemas import since_version

LONG = 1 << 16
MOST_NESTED = 32  # graphs inside graphs
TENSOR_KINDS = {number: name for name, number in onnx.TensorProto.DataType.items()}
Values = Callable[[onnx.TensorProto], np.ndarray]


def refuse_external(tensor: onnx.TensorProto) -> np.ndarray:
    """Raises FormatError: the values are in a file, and nobody said in which folder."""
    raise FormatError(f"The tensor {tensor.name!r} has its values in a file beside the model's; give the path of the model instead.")


def model_of(proto: onnx.ModelProto, external: Values = refuse_external) -> Model:
    """The Model a ModelProto holds. external: the values of a tensor that are stored elsewhere.

    Raises FormatError for types that pagetrain has not (texts, map, optional, sparse), and for a size that does not fit its values.
    """
    opset_import = {_domain(entry.domain): entry.version for entry in proto.opset_import}
    return Model(
        graph=_Reader(opset_import, external).graph(proto.graph),
        ir_version=proto.ir_version,
        opset_import=opset_import,
        producer_name=proto.producer_name,
        producer_version=proto.producer_version,
        metadata={entry.key: entry.value for entry in proto.metadata_props},
        doc_string=proto.doc_string,
    )


def with_types_of(graph: Graph, proto: onnx.GraphProto) -> Graph:
    """The graph with the types of a GraphProto that was made from it and typed since; large initializers need none."""
    large = {tensor.name for tensor in graph.initializers if is_large(tensor)}
    return replace(
        graph,
        nodes=tuple(_node_with_types_of(node, typed) for node, typed in zip(graph.nodes, proto.node, strict=True)),
        inputs=_value_infos_of(proto.input),
        outputs=_value_infos_of(proto.output),
        value_info=tuple(value for value in _value_infos_of(proto.value_info) if value.name not in large),
    )


def has_long_vector(proto: onnx.GraphProto) -> bool:
    """Whether a value of the graph has one axis, and more elements there than any shape has."""
    values = itertools.chain(proto.input, proto.value_info, proto.output)
    shapes = (value.type.tensor_type.shape.dim for value in values)
    return any(len(shape) == 1 and shape[0].dim_value > LONG for shape in shapes)


def _node_with_types_of(node: Node, proto: onnx.NodeProto) -> Node:
    """The node with typed sub-graphs; the very node if it has none."""
    graphs = {name: attribute.value for name, attribute in node.attributes.items() if isinstance(attribute.value, Graph)}
    if not graphs:
        return node
    bodies = (item for item in proto.attribute if item.name in graphs)
    typed = {item.name: Attribute(AttributeType.GRAPH, with_types_of(graphs[item.name], item.g)) for item in bodies}
    return replace(node, attributes={**node.attributes, **typed})


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


@dataclass(frozen=True, slots=True)
class _Reader:
    opset_import: Mapping[str, int]
    external: Values
    depth: int = 0

    def graph(self, proto: onnx.GraphProto) -> Graph:
        if proto.sparse_initializer:
            raise FormatError(f"The graph {proto.name!r} holds sparse initializers; store them as dense tensors.")
        if self.depth > MOST_NESTED:
            raise FormatError(f"The model has graphs inside graphs, more than {MOST_NESTED} deep.")
        inner = replace(self, depth=self.depth + 1)
        return Graph(
            name=proto.name,
            nodes=tuple(inner.node(node) for node in proto.node),
            inputs=_value_infos_of(proto.input),
            outputs=_value_infos_of(proto.output),
            initializers=tuple(self.tensor(tensor) for tensor in proto.initializer),
            value_info=_value_infos_of(proto.value_info),
            doc_string=proto.doc_string,
        )

    def node(self, proto: onnx.NodeProto) -> Node:
        domain = _domain(proto.domain)
        return Node(
            op_type=proto.op_type,
            inputs=tuple(proto.input),
            outputs=tuple(proto.output),
            name=proto.name,
            domain=domain,
            attributes={attribute.name: self.attribute(attribute, proto) for attribute in proto.attribute},
            since_version=since_version(proto.op_type, domain, self.opset_import.get(domain, 1)),
            doc_string=proto.doc_string,
        )

    def attribute(self, proto: onnx.AttributeProto, node: onnx.NodeProto) -> Attribute:
        if proto.type not in AttributeType._value2member_map_:
            raise FormatError(f"{node.op_type} {node.name!r}: attribute {proto.name!r} is of kind {proto.type}, which pagetrain has not.")
        kind = AttributeType(proto.type)
        match kind:
            case AttributeType.STRING:
                value: object = proto.s.decode()
            case AttributeType.STRINGS:
                value = tuple(item.decode() for item in proto.strings)
            case AttributeType.TENSOR:
                value = self.tensor(proto.t)
            case AttributeType.TENSORS:
                value = tuple(self.tensor(item) for item in proto.tensors)
            case AttributeType.GRAPH:
                value = self.graph(proto.g)
            case AttributeType.FLOATS | AttributeType.INTS:
                value = tuple(proto.floats if kind is AttributeType.FLOATS else proto.ints)
            case _:
                value = proto.f if kind is AttributeType.FLOAT else proto.i
        return Attribute(kind, value)

    def tensor(self, proto: onnx.TensorProto) -> Tensor:
        if proto.data_type not in NUMPY_DTYPES:
            kind = TENSOR_KINDS.get(proto.data_type, f"the unknown type {proto.data_type}")
            raise FormatError(f"The tensor {proto.name!r} holds {kind}, which pagetrain has not; take it out of the model.")
        shape = tuple(proto.dims)
        if min(shape, default=0) < 0 or len(shape) > MAX_RANK:
            raise FormatError(f"The tensor {proto.name!r} has the impossible shape {shape[:MAX_RANK]}.")
        elsewhere = proto.data_location == onnx.TensorProto.EXTERNAL
        data = self.external(proto) if elsewhere else numpy_helper.to_array(proto)
        if data.dtype.kind == "b":
            data = data.view(np.uint8) != 0  # a bool of any other byte is undefined in numpy
        return Tensor(proto.name, np.ascontiguousarray(data).reshape(shape), proto.doc_string)


def _value_infos_of(protos: Iterable[onnx.ValueInfoProto]) -> tuple[ValueInfo, ...]:
    return tuple(ValueInfo(proto.name, _type_of(proto), proto.doc_string) for proto in protos)


def _type_of(proto: onnx.ValueInfoProto) -> TensorType | SequenceType | None:
    match proto.type.WhichOneof("value"):
        case "tensor_type" if not proto.type.tensor_type.elem_type:
            return None
        case "tensor_type":
            return _tensor_type_of(proto.type.tensor_type)
        case "sequence_type":
            return SequenceType(_tensor_type_of(proto.type.sequence_type.elem_type.tensor_type))
        case None:
            return None
        case kind:
            raise FormatError(f"The value {proto.name!r} is of kind {kind}; pagetrain has tensors and sequences of tensors.")


def _tensor_type_of(proto: onnx.TypeProto.Tensor) -> TensorType:
    shape = tuple(_dimension_of(dim) for dim in proto.shape.dim) if proto.HasField("shape") else None
    if proto.elem_type not in ElementType._value2member_map_:
        kind = TENSOR_KINDS.get(proto.elem_type, f"the unknown type {proto.elem_type}")
        raise FormatError(f"A value of the model holds {kind}, which pagetrain has not; take it out of the model.")
    return TensorType(ElementType(proto.elem_type), shape)


def _dimension_of(proto: onnx.TensorShapeProto.Dimension) -> Dimension:
    if proto.HasField("dim_value"):
        return proto.dim_value if proto.dim_value >= 0 else None  # some exporters write -1 for a size that is open
    return proto.dim_param if proto.dim_param not in ("", "?") else None
