"""NodeArg: an input or output in onnxruntime's words."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph import Dimension, ElementType, SequenceType, TensorType, ValueInfo

_NAMES = {element: element.name.lower() for element in ElementType}


@dataclass(frozen=True, slots=True)
class NodeArg:
    """name; type, such as "tensor(float)" or "seq(tensor(int64))"; shape: a list of sizes, names, and None where nothing is known.

    As in onnxruntime the shape of a value of unknown rank is [].
    """

    name: str
    type: str
    shape: list[Dimension]


def node_arg(value: ValueInfo) -> NodeArg:
    """What the graph says of a value; type "" if it says nothing."""
    known = value.type
    shape = known.shape if isinstance(known, TensorType) else None
    return NodeArg(value.name, type_text(known), list(shape or ()))


def type_text(known: TensorType | SequenceType | None) -> str:
    """The type as onnxruntime prints it."""
    if known is None:
        return ""
    return f"tensor({_NAMES[known.element]})" if isinstance(known, TensorType) else f"seq({type_text(known.element)})"
