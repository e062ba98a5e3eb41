"""split(graph): the frozen prefix, which is a function of one picture, and the rest, which training runs over and over."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from .graph import Graph, Node, ValueInfo
from .plan import needed_nodes


@dataclass(frozen=True, slots=True)
class Split:
    """A graph cut in two. `cut`: values the prefix makes and the suffix (or the graph's outputs) needs; they have one row per picture."""

    prefix: Graph
    suffix: Graph
    cut: tuple[str, ...]


class _Kind(enum.IntEnum):
    """What a value depends on; a node's result is the greatest kind among its inputs."""

    CONSTANT = 0  # constants and frozen parameters
    SHAPE = 1  # only the sizes of picture values
    PICTURE = 2
    REST = 3  # trainable parameters, labels, gradient buffers, flags


def split(graph: Graph, frozen: Collection[str], data_inputs: Collection[str]) -> Split:
    """Cuts the graph where the first value that depends on something else than `data_inputs`, `frozen` inputs and constants is made.

    The prefix is a function of one picture at a time (no trainable parameter, label, gradient buffer or flag reaches it), so `cut` can be
    computed once per picture and kept. Its outputs are `cut`; the suffix has `cut` as its first inputs in place of `data_inputs`
    (a data input that the suffix reads itself is in `cut`). Names of values and of graph inputs stay. What depends on constants and
    frozen parameters alone, and what only tells a shape (it speaks of the batch, not of a picture), is never in `cut`: the suffix makes it again.
    """
    kinds = _kinds(graph, frozen, data_inputs)
    roots = [output.name for output in graph.outputs if kinds[output.name] == _Kind.REST]
    kept = [output.name for output in graph.outputs if kinds[output.name] != _Kind.REST]
    suffix_nodes, cut = _suffix(graph.nodes, kinds, [*roots, *kept])
    types = {value.name: value for value in (*graph.inputs, *graph.value_info, *graph.outputs)}
    cut_values = tuple(types.get(name, ValueInfo(name, None)) for name in cut)
    prefix = _part(graph, needed_nodes(graph.nodes, cut), (), cut_values)
    suffix = _part(graph, suffix_nodes, cut_values, graph.outputs)
    return Split(prefix, suffix, cut)


def _kinds(graph: Graph, frozen: Collection[str], data_inputs: Collection[str]) -> dict[str, _Kind]:
    kinds = {value.name: _Kind.REST for value in graph.inputs}
    kinds.update((name, _Kind.CONSTANT) for name in ("", *frozen, *(tensor.name for tensor in graph.initializers)))
    kinds.update((name, _Kind.PICTURE) for name in data_inputs)
    for node in graph.nodes:
        kind = max((kinds.get(name, _Kind.REST) for name in node.inputs), default=_Kind.CONSTANT)
        if kind == _Kind.PICTURE and node.op_type in ("Shape", "Size"):
            kind = _Kind.SHAPE
        kinds.update((name, kind) for name in node.outputs if name)
    return kinds


def _suffix(nodes: Iterable[Node], kinds: Mapping[str, _Kind], wanted: Iterable[str]) -> tuple[list[Node], tuple[str, ...]]:
    """(nodes that the wanted values need beyond picture values, those picture values in the order in which they are made)."""
    needed, kept = set(wanted), []
    for node in reversed(list(nodes)):
        made = [name for name in node.outputs if name in needed]
        if any(kinds[name] != _Kind.PICTURE for name in made):
            needed.update(node.inputs)
            kept.append(node)
    return kept[::-1], tuple(name for name, kind in kinds.items() if kind == _Kind.PICTURE and name in needed)


def _part(graph: Graph, nodes: list[Node], first_inputs: tuple[ValueInfo, ...], outputs: tuple[ValueInfo, ...]) -> Graph:
    used = {name for node in nodes for name in node.inputs} | {value.name for value in outputs}
    replaced = {value.name for value in first_inputs}
    inputs = tuple(value for value in graph.inputs if value.name in used and value.name not in replaced)
    initializers = tuple(tensor for tensor in graph.initializers if tensor.name in used)
    return replace(graph, nodes=tuple(nodes), inputs=(*first_inputs, *inputs), outputs=outputs, initializers=initializers)
