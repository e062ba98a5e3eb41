"""find_cut(graph): where the frozen prefix, a function of one picture, ends and what training runs over and over begins."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence

from .graph import Graph, Node, Shape, TensorType
from .topology import reads, subgraphs


class _Kind(enum.IntEnum):
    """What a value depends on; a node's result is the greatest kind among its inputs."""

    CONSTANT = 0  # constants and frozen parameters
    SHAPE = 1  # only the sizes of picture values
    PICTURE = 2
    REST = 3  # trainable parameters, labels, gradient buffers, flags


_REARRANGING = ("Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")  # made again at next to no cost


def find_cut(graph: Graph, frozen: Collection[str], data_inputs: Collection[str]) -> tuple[str, ...]:
    """The values at the end of the frozen prefix, in the order in which they are made.

    No trainable parameter, label, gradient buffer or flag reaches them, so they have one row per picture and can be computed once and kept:
    bind(graph, cut) computes them, bind(graph, fed=cut) goes on from there. A data input that is read beyond the prefix is in the cut too.
    What depends on constants and frozen parameters alone, what only tells a shape (it speaks of the batch, not of a picture), and what is
    known to have another axis first (time, say) is never in the cut: it is made again. So is a value of the cut in another type or order.
    """
    types = {value.name: value.type for value in (*graph.value_info, *graph.outputs, *graph.inputs)}
    shapes = {name: known.shape for name, known in types.items() if isinstance(known, TensorType) and known.shape}
    data = [shapes[name] for name in data_inputs if name in shapes]
    made = {name for name in shapes if name not in data_inputs}
    again: set[str] = set()
    while True:
        cut = _cut(graph, _kinds(graph, frozen, data_inputs, again))
        turned = {name for name in made.intersection(cut) if _is_turned(shapes[name], data)}
        if not turned:
            return cut
        again |= turned


def _is_turned(shape: Shape, data: Sequence[Shape]) -> bool:
    """Whether the first axis is certainly not the batch: a fixed size that no data input has first, or an axis that one has later."""
    if isinstance(shape[0], int):
        return all(shape[0] != own[0] for own in data)
    return shape[0] is not None and any(shape[0] in own[1:] and shape[0] != own[0] for own in data)


def _cut(graph: Graph, kinds: Mapping[str, _Kind]) -> tuple[str, ...]:
    needed = {output.name for output in graph.outputs}
    for node in reversed(graph.nodes):
        if any(kinds[name] != _Kind.PICTURE for name in node.outputs if name in needed and name):
            needed.update(reads(node))
    cut = [name for name, kind in kinds.items() if kind == _Kind.PICTURE and name in needed]
    same = {node.outputs[0] for node in graph.nodes if node.op_type in _REARRANGING and node.inputs[0] in cut}
    return tuple(name for name in cut if name not in same)


def _varies(node: Node) -> bool:
    """Whether the result for a picture depends on chance or on the others of its batch."""
    if any(_varies(inner) for graph in subgraphs(node) for inner in graph.nodes):
        return True
    if node.op_type == "Dropout":
        return len(node.inputs) > 2 and node.inputs[2] != ""
    mode = node.attributes.get("training_mode")
    return node.op_type in ("BatchNormInternal", "BatchNormalization") and mode is not None and mode.value == 1


def _kinds(graph: Graph, frozen: Collection[str], data_inputs: Collection[str], again: Collection[str]) -> dict[str, _Kind]:
    """again: values that count as REST whatever they are made of."""
    kinds = {value.name: _Kind.REST for value in graph.inputs}
    kinds.update((name, _Kind.CONSTANT) for name in ("", *frozen, *(tensor.name for tensor in graph.initializers)))
    kinds.update((name, _Kind.PICTURE) for name in data_inputs)
    for node in graph.nodes:
        kind = max((kinds.get(name, _Kind.REST) for name in reads(node)), default=_Kind.CONSTANT)
        if kind == _Kind.PICTURE and node.op_type in ("Shape", "Size"):
            kind = _Kind.SHAPE
        if kind == _Kind.PICTURE and _varies(node):
            kind = _Kind.REST
        kinds.update((name, _Kind.REST if name in again else kind) for name in node.outputs if name)
    return kinds
