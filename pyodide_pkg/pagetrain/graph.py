"""Model, Graph, Node, Tensor, ValueInfo: an ONNX model in memory, in ONNX's own words. Frozen, and no I/O.

Readers and writers (ORT format here, protobuf in artifacts_tool) turn bytes into these and back; plan.bind turns them into a Plan.
Source: onnx.proto (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Dimension = int | str | None  # a size, a symbolic name, or nothing known
Shape = tuple[Dimension, ...]
NAMELESS = ("", "?", None)  # what files write for a dimension of which nothing is known; two of them need not be equal

ONNX_DOMAIN = ""
MS_DOMAIN = "com.microsoft"
ML_DOMAIN = "ai.onnx.ml"


class ElementType(enum.IntEnum):
    """TensorProto.DataType: the number that files hold."""

    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4E2M1 = 23
    FLOAT8E8M0 = 24
    UINT2 = 25
    INT2 = 26


def _beyond_numpy() -> dict[ElementType, np.dtype]:
    """The types that numpy has not, if the package ml_dtypes is there; onnx brings it, Pyodide lacks it."""
    try:
        import ml_dtypes
    except ImportError:
        return {}
    return {
        ElementType.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
        ElementType.FLOAT8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
        ElementType.FLOAT8E4M3FNUZ: np.dtype(ml_dtypes.float8_e4m3fnuz),
        ElementType.FLOAT8E5M2: np.dtype(ml_dtypes.float8_e5m2),
        ElementType.FLOAT8E5M2FNUZ: np.dtype(ml_dtypes.float8_e5m2fnuz),
        ElementType.UINT4: np.dtype(ml_dtypes.uint4),
        ElementType.INT4: np.dtype(ml_dtypes.int4),
        ElementType.FLOAT4E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
        ElementType.FLOAT8E8M0: np.dtype(ml_dtypes.float8_e8m0fnu),
        ElementType.UINT2: np.dtype(ml_dtypes.uint2),
        ElementType.INT2: np.dtype(ml_dtypes.int2),
    }


NUMPY_DTYPES: Mapping[ElementType, np.dtype] = {
    ElementType.FLOAT: np.dtype(np.float32),
    ElementType.UINT8: np.dtype(np.uint8),
    ElementType.INT8: np.dtype(np.int8),
    ElementType.UINT16: np.dtype(np.uint16),
    ElementType.INT16: np.dtype(np.int16),
    ElementType.INT32: np.dtype(np.int32),
    ElementType.INT64: np.dtype(np.int64),
    ElementType.BOOL: np.dtype(np.bool_),
    ElementType.FLOAT16: np.dtype(np.float16),
    ElementType.DOUBLE: np.dtype(np.float64),
    ElementType.UINT32: np.dtype(np.uint32),
    ElementType.UINT64: np.dtype(np.uint64),
    ElementType.COMPLEX64: np.dtype(np.complex64),
    ElementType.COMPLEX128: np.dtype(np.complex128),
    **_beyond_numpy(),
}
ELEMENT_TYPES: Mapping[np.dtype, ElementType] = {dtype: element for element, dtype in NUMPY_DTYPES.items()}


class AttributeType(enum.IntEnum):
    """AttributeProto.AttributeType; ORT's files use the same numbers."""

    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor; shape is None when not even the rank is known."""

    element: ElementType
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A sequence of tensors, as the optimizer graph's parameter lists are."""

    element: TensorType


@dataclass(frozen=True, slots=True)
class ValueInfo:
    """Name and type of one value. `type` is None where the file names a value without typing it (the empty name)."""

    name: str
    type: TensorType | SequenceType | None
    doc_string: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A named constant. `data` is C-contiguous and little-endian; do not write to it."""

    name: str
    data: np.ndarray
    doc_string: str = ""

    def __eq__(self, other: object) -> bool:
        """The same name and type, and the same elements bit for bit."""
        if not isinstance(other, Tensor):
            return NotImplemented
        mine, theirs = ((item.name, item.doc_string, item.data.dtype, item.data.shape) for item in (self, other))
        # tolist compares texts (dtype object); tobytes holds NaN equal to itself.
        return mine == theirs and (
            self.data.tolist() == other.data.tolist() if self.data.dtype.hasobject else self.data.tobytes() == other.data.tobytes()
        )


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. `value` by type: float, int, str, Tensor, Graph, or a tuple of those. STRING bytes are UTF-8 text."""

    type: AttributeType
    value: object


@dataclass(frozen=True, slots=True)
class Node:
    """One operation. "" among inputs or outputs is an optional one left out. since_version is the op schema's, not the model's."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str = ""
    domain: str = ONNX_DOMAIN
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    since_version: int = 1
    doc_string: str = ""

    @property
    def called(self) -> str:
        """Its name or, as files need not give it one, its first output: what it goes by in messages."""
        return self.name or next(filter(None, self.outputs), "")

    @property
    def label(self) -> str:
        """The node in messages, such as Gemm 'classifier'."""
        return f"{self.op_type} {self.called!r}"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in topological order, with their interface. `value_info` types inner values where known."""

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[ValueInfo, ...]
    outputs: tuple[ValueInfo, ...]
    initializers: tuple[Tensor, ...] = ()
    value_info: tuple[ValueInfo, ...] = ()
    doc_string: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A graph and the versions it was written against. `opset_import` maps domain to version."""

    graph: Graph
    ir_version: int
    opset_import: Mapping[str, int]
    producer_name: str = ""
    producer_version: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    doc_string: str = ""
    domain: str = ""
    model_version: int | None = None
