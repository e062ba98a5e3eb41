"""Open sizes of the inputs on which a layer of fixed width depends all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pagetrain.errors import PagetrainError
from pagetrain.graph import Dimension, Graph, Node, Shape, TensorType, ValueInfo

from ..onnx_io import infer_types
from ..value_types import shape_text, value_types
from .subject import Subject, upstream

PROBES = (224, 256)  # two sizes that most networks take; a width that follows them depends on them


def remarks(subject: Subject) -> Iterator[str]:
    """Layers whose width only one size of the input gives, although the inputs leave it open."""
    shapes = {value.name: value.type.shape for value in subject.model.graph.inputs if isinstance(value.type, TensorType)}
    loose = {name: shape for name, shape in shapes.items() if any(not isinstance(size, int) for size in (shape or ())[1:])}
    if not loose:
        return
    named = ", ".join(f"{name!r} {shape_text(shape)}" for name, shape in loose.items())
    for node in subject.upstream:
        columns, rows = _widths(node, subject.types)
        if isinstance(rows, int) and not isinstance(columns, int) and _follows(subject, node):
            yield (
                f"{node.label} takes exactly {rows} numbers, but how many come depends on the open sizes of {named}: "
                "only inputs of one size will do, so fix it in the model (the frozen prefix can then be measured, too)"
            )


def _widths(node: Node, types: Mapping[str, TensorType]) -> tuple[Dimension, Dimension]:
    """(columns of A, rows of B) of a product by a matrix, as far as they are known."""
    if node.op_type not in ("Gemm", "MatMul"):
        return None, None
    A, B = (types[name].shape if name in types else None for name in node.inputs[:2])
    if not A or not B or len(B) < 2:
        return None, None
    flips = [bool(node.attributes[name].value) if name in node.attributes else False for name in ("transA", "transB")]
    return A[0 if flips[0] else -1], B[-1 if flips[1] else -2]


def _follows(subject: Subject, node: Node) -> bool:
    """Whether the columns change with the open sizes: they are inferred for two, from what stands before the node."""
    before = replace(subject.graph, nodes=tuple(upstream(subject.graph, node.inputs[0])), value_info=(), outputs=())
    found = set()
    for size in PROBES:
        try:
            typed = infer_types(replace(subject.grown, graph=_bound(before, size)))
        except PagetrainError:
            return False
        found.add(_widths(node, {**subject.types, **value_types(typed.graph)})[0])
    return len(found) > 1 and all(isinstance(width, int) for width in found)


def _bound(graph: Graph, size: int) -> Graph:
    """The graph with every open size of its inputs, but the first of each, at `size`."""
    return replace(graph, inputs=tuple(_bound_input(value, size) for value in graph.inputs))


def _bound_input(value: ValueInfo, size: int) -> ValueInfo:
    if not isinstance(value.type, TensorType) or not value.type.shape:
        return value
    shape: Shape = (value.type.shape[0], *(known if isinstance(known, int) else size for known in value.type.shape[1:]))
    return ValueInfo(value.name, replace(value.type, shape=shape))
