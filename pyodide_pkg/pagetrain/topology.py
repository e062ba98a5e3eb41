"""Who feeds whom: values a sub-graph takes from outside, one maker for each value, an order, and the edges that .ort files list."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from .errors import FormatError
from .graph import Attribute, Graph, Node

Scopes = tuple[Set[str], ...]  # the values of a graph, then of those around it; one set of all would be copied for each sub-graph
Edge = tuple[int, int, int]  # the other node, the producer's output position, the consumer's input position


def subgraphs(node: Node) -> Iterator[Graph]:
    """The graphs among the node's attributes (bodies of If, Loop, Scan)."""
    for attribute in node.attributes.values():
        if isinstance(attribute, Attribute) and isinstance(attribute.value, Graph):
            yield attribute.value


def implicit_inputs(node: Node) -> tuple[str, ...]:
    """Values that the node's sub-graphs take from outside, in order of first use."""
    return tuple(dict.fromkeys(name for graph in subgraphs(node) for name in _taken(graph)))


def reads(node: Node) -> tuple[str, ...]:
    """Every value the node depends on, positions kept: inputs ("" for one left out), then implicit inputs."""
    return node.inputs + implicit_inputs(node)


def provided(graph: Graph) -> set[str]:
    """Values that are there before any node runs: inputs and initializers."""
    return {info.name for info in graph.inputs} | {tensor.name for tensor in graph.initializers}


def _taken(graph: Graph) -> Iterator[str]:
    own = provided(graph).union(*(node.outputs for node in graph.nodes), [""])
    for node in graph.nodes:
        yield from (name for name in reads(node) if name not in own)
    yield from (info.name for info in graph.outputs if info.name not in own)


def producers(nodes: Sequence[Node]) -> dict[str, tuple[int, int]]:
    """Value -> (node, output position). Raises FormatError for a value made twice."""
    made: dict[str, tuple[int, int]] = {}
    for index, node in enumerate(nodes):
        for position, name in enumerate(node.outputs):
            if name in made:
                raise FormatError(f"Value {name!r} is made by two nodes, {nodes[made[name][0]].label} and {node.label}.")
            if name:
                made[name] = index, position
    return made


def sort(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes in topological order; those that may stand either way keep their order. Raises FormatError for a cycle."""
    made = producers(nodes)
    needs = [{made[name][0] for name in reads(node) if name in made} for node in nodes]
    consumers: dict[int, list[int]] = defaultdict(list)
    for index, needed in enumerate(needs):
        for producer in needed:
            consumers[producer].append(index)
    ready = [index for index, needed in enumerate(needs) if not needed]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for index in consumers[order[-1]]:
            needs[index].discard(order[-1])
            if not needs[index]:
                heapq.heappush(ready, index)
    if len(order) < len(nodes):
        first = min(set(range(len(nodes))) - set(order))
        raise FormatError(f"The nodes form a cycle through {nodes[first].label}.")
    return tuple(nodes[index] for index in order)


def sound(graph: Graph, open_ends: bool = False, outside: Scopes = ()) -> Graph:
    """The graph with its nodes in order: files should have one, and tools that edit models forget it now and then; in sub-graphs too.

    open_ends: values may be read that nothing provides. outside: values of the enclosing graphs.
    Raises FormatError for a cycle, a value with two makers or none, and a name that stands twice.
    """
    _refuse_doubles("input", (value.name for value in graph.inputs))
    _refuse_doubles("initializer", (tensor.name for tensor in graph.initializers))
    made, given = producers(graph.nodes), provided(graph)
    if both := given & made.keys():
        raise FormatError(f"The value {min(both)!r} is made by a node, and is an input or initializer of the graph too.")
    known = ({*made, *given, ""}, *outside)
    nodes = tuple(_sound_node(node, known, open_ends) for node in graph.nodes)
    if not open_ends and (missing := _missing((value.name for value in graph.outputs), known)):
        raise FormatError(f"The graph's output {missing[0]!r} is made by no node.")
    return replace(graph, nodes=nodes if _is_ordered(nodes, made) else sort(nodes))


def _refuse_doubles(kind: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise FormatError(f"The graph has {count} {kind}s named {name!r}; names must be unique.")


def _is_ordered(nodes: Sequence[Node], made: Iterable[str]) -> bool:
    later = set(made)
    for node in nodes:
        if not later.isdisjoint(reads(node)):
            return False
        later.difference_update(node.outputs)
    return True


def _missing(names: Iterable[str], known: Scopes) -> list[str]:
    return [name for name in names if not any(name in scope for scope in known)]


def _sound_node(node: Node, known: Scopes, open_ends: bool) -> Node:
    if not open_ends and (missing := _missing(node.inputs, known)):
        raise FormatError(f"{node.label} reads {missing[0]!r}, which no node, input or initializer provides.")
    bodies = {
        name: replace(one, value=sound(one.value, open_ends, known))
        for name, one in node.attributes.items()
        if isinstance(one.value, Graph)
    }
    return replace(node, attributes={**node.attributes, **bodies}) if bodies else node


def edges(nodes: Sequence[Node]) -> tuple[list[list[Edge]], list[list[Edge]]]:
    """Input edges and output edges of each node, sorted; only between nodes, none for graph inputs and initializers."""
    made = producers(nodes)
    incoming: list[list[Edge]] = [[] for _ in nodes]
    outgoing: list[list[Edge]] = [[] for _ in nodes]
    for consumer, node in enumerate(nodes):
        for position, name in enumerate(reads(node)):
            if name in made:
                producer, source = made[name]
                incoming[consumer].append((producer, source, position))
                outgoing[producer].append((consumer, source, position))
    return [sorted(ends) for ends in incoming], [sorted(ends) for ends in outgoing]
