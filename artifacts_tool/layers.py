"""Layers with weights, in the order in which a graph runs them; and which of their weights a pattern means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ELEMENT_TYPES, Graph, Node, Tensor

from .gradient.path import FLOAT_TYPES
from .gradient.registry import rule_of

LAST = "last:"
PASS_ON = ("Identity", "Transpose", "Cast", "Reshape", "Unsqueeze", "Squeeze", "Flatten")
STATISTICS = {"BatchNormalization": (3, 4), "BatchNormInternal": (3, 4)}


@dataclass(frozen=True, slots=True)
class Layer:
    """A node with weights; an addition right behind it that brings its bias counts to it."""

    node: Node
    weights: tuple[str, ...]


def weights_of(graph: Graph) -> list[str]:
    """Initializers that can be parameters: floats with at least one axis. Bounds and the like are scalars and stay in the graphs."""
    return [tensor.name for tensor in graph.initializers if ELEMENT_TYPES.get(tensor.data.dtype) in FLOAT_TYPES and tensor.data.ndim]


def layers_of(graph: Graph) -> list[Layer]:
    """Every layer. A weight that several nodes read belongs to the first."""
    tensors = {tensor.name: tensor for tensor in graph.initializers}
    origin = {name: name for name in weights_of(graph)}
    made_by: dict[str, int] = {}
    found: list[Layer] = []
    seen: set[str] = set()
    for node in graph.nodes:
        if node.op_type in PASS_ON and node.inputs and node.inputs[0] in origin:
            origin[node.outputs[0]] = origin[node.inputs[0]]
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
    return (origin[name] for index, name in enumerate(node.inputs) if name in origin and index not in fixed)


def _layer_before(node: Node, made_by: Mapping[str, int]) -> int | None:
    return next((made_by[name] for name in node.inputs if name in made_by), None)


def _is_bias(node: Node, weights: Sequence[str], tensors: Mapping[str, Tensor]) -> bool:
    """One vector, stretched over everything but an axis, that is added."""
    return node.op_type == "Add" and len(weights) == 1 and max(tensors[weights[0]].data.shape) == tensors[weights[0]].data.size


def matching(graph: Graph, patterns: Sequence[str]) -> list[str]:
    """Weights meant by names, by patterns with * and ?, and by last:N (the weights of the last N layers), in the graph's order.

    Raises InvalidInputError for a pattern that means none.
    """
    names, chosen, idle = weights_of(graph), set[str](), []
    for pattern in patterns:
        meant = _last(graph, pattern) if pattern.startswith(LAST) else [name for name in names if fnmatchcase(name, pattern)]
        chosen.update(meant)
        idle += [] if meant else [pattern]
    if idle:
        raise InvalidInputError(f"--trainable {', '.join(idle)} fits no initializer; the model has {', '.join(names)}.")
    return [name for name in names if name in chosen]


def _last(graph: Graph, pattern: str) -> list[str]:
    number = pattern.removeprefix(LAST)
    if not number.isdecimal() or int(number) < 1:
        raise InvalidInputError(f"--trainable {pattern}: after {LAST} stands how many layers to train, 1 or more.")
    return [name for layer in layers_of(graph)[-int(number) :] for name in layer.weights]
