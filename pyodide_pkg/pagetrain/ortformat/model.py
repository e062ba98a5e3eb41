"""ORT-format model files (.ort): bytes <-> graph.Model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..graph import Model, Node

INPUT, OUTPUT = 0, 1


@dataclass(frozen=True, slots=True)
class OpSchema:
    """What a .ort file says about an op beyond its nodes.

    kernel_types: type string -> the formal parameters of that type, as (INPUT or OUTPUT, index); the key is the name of the parameter where
    the schema gives it a literal type (ReduceSum-13: "axes"). All formal parameters count, supplied or not.
    formal_inputs: how many inputs the schema has, a variadic one counted once. variadic_input: the last one takes any number of values.
    """

    kernel_types: Mapping[str, Sequence[tuple[int, int]]]
    formal_inputs: int
    variadic_input: bool = False


def op_id(node: Node) -> str:
    """ "domain:op_type:since_version"; the ONNX domain is empty: ":Gemm:13"."""
    return f"{node.domain}:{node.op_type}:{node.since_version}"


def load(data: bytes | bytearray | memoryview) -> Model:
    """The model in `data`, nodes in topological order. Raises FormatError for anything that is not a whole, sound .ort file of version 4 to 6.

    Everything that is neither input nor output of the graph but named in the file stands in `value_info` (initializers too).
    """
    raise NotImplementedError


def dump(model: Model, schemas: Mapping[str, OpSchema]) -> bytes:
    """The .ort file of `model`: same model, same bytes. `schemas`: op_id -> OpSchema of every op in it.

    Every value needs a type (element type at least): graph inputs and outputs and `value_info`; initializers are typed by their data.
    Raises InvalidInputError naming all ops without schema, or all values without type.
    """
    raise NotImplementedError
