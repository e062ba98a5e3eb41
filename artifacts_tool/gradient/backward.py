"""differentiate, pull_back: the backward pass of a graph, as nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pagetrain.graph import ELEMENT_TYPES, NUMPY_DTYPES, Attribute, AttributeType, ElementType, Graph, Node, Tensor, TensorType
from pagetrain.names import gradient_of
from pagetrain.topology import reads

from ..mode import without_dropping
from ..op_schemas import most_outputs, since_version
from .path import FLOAT_TYPES, Path, find_path, refuse_without_rule, trace
from .places import EXPAND_SINCE
from .registry import rule_of
from .scope import BACKWARD, Emitted, Scope

Backward = Emitted


def differentiate(graph: Graph, types: Mapping[str, TensorType], parameters: Sequence[str], loss: str, opset: int) -> Backward:
    """Nodes that compute gradient_of(p) of `loss` (of its sum, if it is no scalar) for each parameter, to be appended to `forward`: the
    graph's own, with the outputs that they read.

    Raises what find_path raises, and InvalidInputError where a rule needs a rank that is not known.
    """
    path = find_path(graph, types, parameters, loss)
    backward = Backward()
    _seed(backward, loss, types.get(loss), opset)
    _walk(graph, types, path, [loss], backward, opset)
    return backward


def pull_back(
    graph: Graph, types: Mapping[str, TensorType], parameters: Collection[str], outputs: Sequence[str], opset: int
) -> tuple[Backward, Path, tuple[str, ...]]:
    """(nodes that compute gradient_of(p) for each parameter on the path, the path, names under which they read the outputs' gradients).

    parameters: any values, computed ones too. outputs: may name a value twice; "" stands for the gradient of one that is not on the path.
    Raises UnsupportedOpError naming the ops without a gradient, and InvalidInputError where a rule needs a rank that is not known.
    """
    path = trace(graph, types, parameters, outputs)
    refuse_without_rule(path.nodes)
    backward = Backward()
    return backward, path, _walk(graph, types, path, outputs, backward, opset)


def _walk(
    graph: Graph, types: Mapping[str, TensorType], path: Path, outputs: Sequence[str], backward: Backward, opset: int
) -> tuple[str, ...]:
    """Emits the gradients of all values on the path; returns the names under which those of the outputs are read."""
    differentiated = {id(node) for node in path.nodes}
    backward.forward = [completed(node) if id(node) in differentiated else without_dropping(node) for node in graph.nodes]
    path = replace(path, nodes=tuple(node for node in backward.forward if path.values.intersection(node.outputs)))
    gradients = _Gradients(path, types, backward, opset, outputs)
    constants = {tensor.name: tensor.data for tensor in graph.initializers}
    prefixes = _prefixes(path.nodes)
    for node, prefix in reversed(list(zip(path.nodes, prefixes, strict=True))):
        wanted = gradients.take(node)
        rule = rule_of(node)
        assert rule is not None, "find_path refuses nodes without a rule"
        given = tuple(gradient_of(name) if name in path.values else "" for name in node.outputs)
        rule.emit(Scope(node, prefix, opset, types, constants, given, wanted, backward))
        gradients.join(name for _, name in path.edges(node))
    return gradients.seeds


def completed(node: Node) -> Node:
    """The node with all outputs that its rule reads, as far as its version has them."""
    rule = rule_of(node)
    assert rule is not None, "find_path refuses nodes without a rule"
    outputs = [*node.outputs, *[""] * (max(rule.reads, default=0) + 1 - len(node.outputs))]
    for position, suffix in rule.reads.items():
        outputs[position] = outputs[position] or f"{node.outputs[0]}_{suffix}"
    return replace(node, outputs=tuple(outputs[: most_outputs(node.op_type, node.domain, node.since_version)]))


def _seed(backward: Backward, loss: str, known: TensorType | None, opset: int) -> None:
    """gradient_of(loss) = 1, in the shape of the loss: of several losses the sum is minimised."""
    name, shape = gradient_of(loss), () if known is None or known.shape is None else known.shape
    one = np.ones((), NUMPY_DTYPES[known.element if known else ElementType.FLOAT])
    if all(size == 1 for size in shape):
        backward.initializers.append(Tensor(name, one.reshape((1,) * len(shape))))
        return
    steps: tuple[tuple[str, tuple[str, ...], str], ...]
    if opset < EXPAND_SINCE:  # the truth, in the shape of the loss, as a number
        never, always = f"{name}_never", f"{name}_always"
        steps = (("Less", (loss, loss), never), ("Not", (never,), always), ("Cast", (always,), name))
    else:
        backward.initializers.append(Tensor(f"{name}_one", one))
        steps = (("Shape", (loss,), f"{name}_shape"), ("Expand", (f"{name}_one", f"{name}_shape"), name))
    to = Attribute(AttributeType.INT, int(ELEMENT_TYPES[one.dtype]))
    for op_type, inputs, output in steps:
        attributes, version = {"to": to} if op_type == "Cast" else {}, since_version(op_type, "", opset)
        backward.nodes.append(Node(op_type, inputs, (output,), f"{name}/{op_type}", "", attributes, version, doc_string=BACKWARD))


class _Gradients:
    """Names of gradients. One with several contributions gets <value>_grad_<k> for each and a Sum once the last is there.

    `seeds`: the contributions from outside, one for each output that is on the path.
    """

    def __init__(self, path: Path, types: Mapping[str, TensorType], backward: Backward, opset: int, outputs: Sequence[str]) -> None:
        self._path, self._types, self._backward, self._opset = path, types, backward, opset
        seeded = [name for name in outputs if name in path.values]
        self._expected = Counter([*seeded, *(name for node in path.nodes for _, name in path.edges(node))])
        self._made: Counter[str] = Counter()
        self.seeds = tuple(self._next(name) if name in path.values else "" for name in outputs)
        self.join(seeded)

    def take(self, node: Node) -> tuple[str, ...]:
        """For each value that the node reads the name its gradient is to have, "" where none is wanted."""
        wanted = dict(self._path.edges(node))
        names = tuple(self._next(name) if index in wanted else "" for index, name in enumerate(reads(node)))
        for index, name in wanted.items():
            self._declare(names[index], name)
        return names

    def _declare(self, gradient: str, value: str) -> None:
        """A gradient has the type of its value; that of a quantized one is a float, of which shape inference finds the type."""
        if value in self._types and self._types[value].element in FLOAT_TYPES:
            self._backward.types[gradient] = self._types[value]

    def _next(self, value: str) -> str:
        gradient = gradient_of(value)
        if self._expected[value] > 1:
            gradient = f"{gradient}_{self._made[value]}"
        self._made[value] += 1
        return gradient

    def join(self, values: Iterable[str]) -> None:
        """Sums the contributions of those values that are complete by now."""
        for value in dict.fromkeys(values):
            if 1 < self._expected[value] == self._made[value]:
                self._sum(value)

    def _sum(self, value: str) -> None:
        total = gradient_of(value)
        parts = tuple(f"{total}_{index}" for index in range(self._made[value]))
        version = since_version("Sum", "", self._opset)
        self._backward.nodes.append(Node("Sum", parts, (total,), f"AccumulateGrad_{total}", since_version=version, doc_string=BACKWARD))
        self._declare(total, value)


def _prefixes(nodes: Sequence[Node]) -> list[str]:
    """<node name>_Grad for each node, unique; nameless nodes are called by op and number."""
    seen: Counter[str] = Counter()
    found = []
    for node in nodes:
        name = node.name or f"{node.op_type}_token"
        seen[name] += 1
        found.append(f"{name}_Grad" if node.name and seen[name] == 1 else f"{name}_{seen[name] - 1}_Grad")
    return found
