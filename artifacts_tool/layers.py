"""Layers with weights, in the order in which a graph runs them; and which of their weights a pattern means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ELEMENT_TYPES, Graph, Node, Tensor
from pagetrain.topology import reads

from .gradient.path import FLOAT_TYPES
from .gradient.registry import rule_of

LAST = "last:"
PASS_ON = ("Identity", "Transpose", "Cast", "Reshape", "Unsqueeze", "Squeeze", "Flatten")
STATISTICS = {"BatchNormalization": (3, 4), "BatchNormInternal": (3, 4)}


class UnknownWeightError(InvalidInputError):
    """A pattern that means no weight of the model."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A node with weights; an addition right behind it that brings its bias counts to it."""

    node: Node
    weights: tuple[str, ...]


def weights_of(graph: Graph) -> list[str]:
    """Initializers that can be parameters: floats with at least one axis. Bounds and the like are scalars and stay in the graphs."""
    return [tensor.name for tensor in graph.initializers if ELEMENT_TYPES.get(tensor.data.dtype) in FLOAT_TYPES and tensor.data.ndim]


def origins(graph: Graph) -> dict[str, str]:
    """{value: the weight that it is}, of weights themselves and of what an Identity, Transpose or the like makes of one."""
    found = {name: name for name in weights_of(graph)}
    for node in graph.nodes:
        if node.op_type in PASS_ON and node.inputs and node.inputs[0] in found:
            found[node.outputs[0]] = found[node.inputs[0]]
    return found


def layers_of(graph: Graph) -> list[Layer]:
    """Every layer. A weight that several nodes read belongs to the first."""
    tensors = {tensor.name: tensor for tensor in graph.initializers}
    origin = origins(graph)
    made_by: dict[str, int] = {}
    found: list[Layer] = []
    seen: set[str] = set()
    for node in graph.nodes:
        if any(name in origin for name in node.outputs):
            continue
        read = tuple(name for name in dict.fromkeys(_read(node, origin)) if name not in seen)
        weights = read if any(tensors[name].data.size > 1 for name in read) else ()  # one number alone is no layer, but may be a bias
        seen.update(weights)
        before = _layer_before(node, made_by)
        if weights and before is not None and _is_bias(node, weights, tensors):
            found[before] = Layer(found[before].node, (*found[before].weights, *weights))
            made_by.update((name, before) for name in node.outputs)
        elif weights:
            found.append(Layer(node, weights))
            made_by.update((name, len(found) - 1) for name in node.outputs)
        elif node.op_type in PASS_ON and before is not None:
            made_by.update((name, before) for name in node.outputs)
    return found


def _read(node: Node, origin: Mapping[str, str]) -> Iterator[str]:
    rule = rule_of(node)
    fixed = (*STATISTICS.get(node.op_type, ()), *(rule.stop if rule else ()))
    return (origin[name] for index, name in enumerate(reads(node)) if name in origin and index not in fixed)


def _layer_before(node: Node, made_by: Mapping[str, int]) -> int | None:
    return next((made_by[name] for name in node.inputs if name in made_by), None)


def _is_bias(node: Node, weights: Sequence[str], tensors: Mapping[str, Tensor]) -> bool:
    """One vector, stretched over everything but an axis, that is added."""
    return node.op_type == "Add" and len(weights) == 1 and max(tensors[weights[0]].data.shape) == tensors[weights[0]].data.size


def parameters_of(graph: Graph) -> list[str]:
    """The weights without statistics and without what no node reads: what counts as the model's parameters."""
    origin = origins(graph)
    read = {origin[name] for node in graph.nodes for name in reads(node) if name in origin}
    measured = {
        origin[node.inputs[index]]
        for node in graph.nodes
        for index in STATISTICS.get(node.op_type, ())
        if index < len(node.inputs) and node.inputs[index] in origin
    }
    return [name for name in weights_of(graph) if name in read - measured]


def matching(graph: Graph, patterns: Sequence[str], option: str = "--trainable") -> list[str]:
    """Weights meant by names, by patterns with * and ?, and by last:N (the weights of the last N layers), in the graph's order.

    Raises UnknownWeightError for a pattern that means none.
    """
    names, chosen = weights_of(graph), set[str]()
    for pattern in patterns:
        meant = _last(graph, pattern, option) if pattern.startswith(LAST) else _named(names, pattern)
        if not meant:
            raise UnknownWeightError(f"{option} {pattern} fits no weight; {_hint(graph, names, pattern)}")
        chosen.update(meant)
    return [name for name in names if name in chosen]


def _named(names: Sequence[str], pattern: str) -> list[str]:
    return [pattern] if pattern in names else [name for name in names if fnmatchcase(name, pattern)]


def _hint(graph: Graph, names: Sequence[str], pattern: str) -> str:
    """What may have been meant: the weights of a layer of that name, weights that hold it, or whose names look like it."""
    of_nodes = [name for layer in layers_of(graph) if fnmatchcase(layer.node.called, pattern) for name in layer.weights]
    core = pattern.replace("*", "").replace("?", "").lower()
    holding = [name for name in names if core and core in name.lower()]
    near = of_nodes or holding or get_close_matches(pattern, names, 3, 0.5) or get_close_matches(core, names, 3, 0.4)
    if near:
        return f"did you mean {', '.join(map(repr, near[:5]))}? `inspect` lists all {len(names)}."
    return f"`inspect` lists the {len(names)} that the model has." if names else "the model has none, as initializer or Constant node."


def _last(graph: Graph, pattern: str, option: str) -> list[str]:
    number = pattern.removeprefix(LAST)
    if not number.isdecimal() or int(number) < 1:
        raise UnknownWeightError(f"{option} {pattern}: after {LAST} stands how many layers to train, 1 or more.")
    return [name for layer in layers_of(graph)[-int(number) :] for name in layer.weights]
