"""Open sizes of the inputs on which a fixed weight depends all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pagetrain.graph import Dimension, Node, TensorType

from ..value_types import shape_text
from .subject import Subject


def remarks(subject: Subject) -> Iterator[str]:
    """Layers whose width only one size of the input gives, although the inputs leave it open."""
    shapes = {value.name: value.type.shape for value in subject.model.graph.inputs if isinstance(value.type, TensorType)}
    loose = {name: shape for name, shape in shapes.items() if any(not isinstance(size, int) for size in (shape or ("?", "?"))[1:])}
    if not loose:
        return
    named = ", ".join(f"{name!r} {shape_text(shape)}" for name, shape in loose.items())
    for node in subject.upstream:
        found = _widths(node, subject.types)
        if found and isinstance(found[1], int) and not isinstance(found[0], int):
            yield (
                f"{node.op_type} {node.name!r} takes exactly {found[1]} numbers, but the sizes of {named} are open: "
                "only inputs of one size will do, so fix it in the model (the frozen prefix can then be measured, too)"
            )


def _widths(node: Node, types: Mapping[str, TensorType]) -> tuple[Dimension, Dimension] | None:
    """(columns of A, rows of B) of a product by a matrix, None where a shape is not known."""
    if node.op_type not in ("Gemm", "MatMul"):
        return None
    A, B = (types[name].shape if name in types else None for name in node.inputs[:2])
    if not A or not B or len(B) < 2:
        return None
    flips = [bool(node.attributes[name].value) if name in node.attributes else False for name in ("transA", "transB")]
    return A[0 if flips[0] else -1], B[-1 if flips[1] else -2]
