"""Which values get a gradient: floats and quantized values on a way from a trainable parameter to the loss, past no stop edge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import ElementType, Graph, Node, TensorType
from pagetrain.topology import reads

from .registry import rule_of

FLOAT_TYPES = (ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BFLOAT16)


@dataclass(frozen=True)
class Path:
    """`values` get a gradient; `nodes` are differentiated, in forward order."""

    values: frozenset[str]
    nodes: tuple[Node, ...]

    def edges(self, node: Node) -> Iterator[tuple[int, str]]:
        """(position in reads(node), name) of each value that a node on the path reads and that gets a gradient from it."""
        return ((index, name) for index, name in _edges(node) if name in self.values)


def find_path(graph: Graph, types: Mapping[str, TensorType], parameters: Collection[str], loss: str) -> Path:
    """The path from `parameters` to `loss`.

    Raises UnsupportedOpError naming all ops on it without a gradient at once, InvalidInputError for parameters the loss does not depend on.
    """
    path = trace(graph, types, parameters, [loss])
    _refuse_unreachable(graph, [name for name in parameters if name not in path.values], loss)
    refuse_without_rule(path.nodes)
    return path


def trace(graph: Graph, types: Mapping[str, TensorType], parameters: Collection[str], outputs: Collection[str]) -> Path:
    """The path to any of the outputs, whether or not it can be differentiated."""
    values = frozenset(_backward(graph.nodes, _forward(graph.nodes, types, parameters), outputs))
    return Path(values, tuple(node for node in graph.nodes if values & set(node.outputs)))


def consumed(graph: Graph) -> set[str]:
    """Every value that a node of the graph or of its sub-graphs reads."""
    return {name for node in graph.nodes for name in reads(node)}


def dependents(graph: Graph, types: Mapping[str, TensorType], parameters: Collection[str]) -> set[str]:
    """Float and quantized values that depend on one of the parameters."""
    return _forward(graph.nodes, types, parameters)


def _forward(nodes: Iterable[Node], types: Mapping[str, TensorType], parameters: Collection[str]) -> set[str]:
    """Float and quantized values that depend on a parameter."""
    found = set(parameters)
    for node in nodes:
        if any(name in found for _, name in _edges(node)):
            rule = rule_of(node)
            found |= {name for name in node.outputs if name and (_is_float(types.get(name)) or (rule is not None and rule.quantizes))}
    return found


def _backward(nodes: tuple[Node, ...], trained: Collection[str], outputs: Collection[str]) -> set[str]:
    """Those of the `trained` values that an output depends on by way of trained values alone."""
    found = set(outputs) & set(trained)
    for node in reversed(nodes):
        if found & set(node.outputs):
            found |= {name for _, name in _edges(node) if name in trained}
    return found


def _is_float(known: TensorType | None) -> bool:
    return known is None or known.element in FLOAT_TYPES


def _edges(node: Node) -> Iterator[tuple[int, str]]:
    """Inputs that can pass a gradient. Values that a sub-graph takes from outside count, behind the others."""
    rule = rule_of(node)
    stop = rule.stop if rule else frozenset[int]()
    return ((index, name) for index, name in enumerate(reads(node)) if name and index not in stop)


def _refuse_unreachable(graph: Graph, parameters: list[str], loss: str) -> None:
    if not parameters:
        return
    read = consumed(graph)
    unused = [name for name in parameters if name not in read]
    reasons = [f"no node uses {', '.join(map(repr, unused))}"] if unused else []
    if cut_off := [name for name in parameters if name in read]:
        reasons.append(f"the loss {loss!r} does not depend on {', '.join(map(repr, cut_off))}")
    raise InvalidInputError(f"These parameters cannot be trained: {'; '.join(reasons)}; take them out of requires_grad.")


def refuse_without_rule(nodes: Iterable[Node]) -> None:
    """Raises UnsupportedOpError naming all ops without a gradient at once."""
    missing: dict[str, list[str]] = {}
    for node in nodes:
        if rule_of(node) is None:
            missing.setdefault(f"{node.domain}:{node.op_type}:{node.since_version}", []).append(node.called)
    if missing:
        named = ", ".join(f"{op.split(':')[1]} ({_nodes_text(names)})" for op, names in missing.items())
        raise UnsupportedOpError(
            f"These ops between the trainable parameters and the loss have no gradient: {named}; "
            "freeze the parameters before them, or write the model with other ops.",
            tuple(sorted(missing)),
        )


def _nodes_text(names: list[str]) -> str:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"node {names[0]!r}{others}"
