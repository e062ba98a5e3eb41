"""without_conditionals: If nodes replaced by the branch that known shapes decide on, or by both branches and a Where.

So gradients need no rule for sub-graphs. Computing both branches changes no value: nodes have no side effects.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Model, Node, Shape, Tensor
from pagetrain.renaming import renamed

from .more_types import Values
from .onnx_io import infer_types
from .op_schemas import since_version
from .value_types import value_types

CONDITIONAL = "If"
CHOICE = "Where"  # stands for itself and, before it is checked, for the choice between two branches
MOST_BRANCHES = 150  # the graph before each is typed anew
WHERE_SINCE = 9


def without_conditionals(model: Model) -> Model:
    """The model without If nodes, but for those with branches of different shapes and a condition that inputs decide: they stay."""
    if all(node.op_type != CONDITIONAL for node in model.graph.nodes) or model.opset_import.get("", 1) < WHERE_SINCE:
        return model
    return _Resolver(model).resolved()


@dataclass
class _Open:
    """An If whose branches are in the graph, and what was there before, in case it has to stay. `unchecked`: outputs still to choose."""

    node: Node
    nodes: int
    initializers: int
    waiting: tuple[Node, ...]
    unchecked: set[str]


class _Resolver:
    def __init__(self, model: Model) -> None:
        self._model, self._opset = model, model.opset_import[""]
        self._nodes: list[Node] = []
        self._initializers = list(model.graph.initializers)
        self._waiting = deque(model.graph.nodes)
        self._open: list[_Open] = []  # each stands in a branch of the one before
        self._choices: dict[str, tuple[str, str]] = {}  # output -> the values of both branches
        self._count = 0

    def resolved(self) -> Model:
        """Node by node; branches are put in front of what waits, so that nested ones take their turn."""
        while self._waiting:
            node = self._waiting.popleft()
            try:
                self._take(node)
            except PagetrainError:
                self._leave(node)
        graph = self._model.graph
        return replace(self._model, graph=replace(graph, nodes=tuple(self._nodes), initializers=tuple(self._initializers)))

    def _take(self, node: Node) -> None:
        if node.op_type == CONDITIONAL:
            self._replace(node)
            return
        if node.op_type == CHOICE and node.outputs[0] in self._choices:
            self._check_choice(node)
        self._nodes.append(node)

    def _leave(self, node: Node) -> None:
        """Puts the outermost If back whose branches cannot be computed both: inside of it, an If that stays would run without need."""
        if self._open:
            outermost = self._open[0]
            del self._nodes[outermost.nodes :], self._initializers[outermost.initializers :]
            node, self._waiting = outermost.node, deque(outermost.waiting)
            self._open.clear()
        self._nodes.append(node)

    def _typed(self) -> Graph:
        graph = self._model.graph
        made = {name for node in self._nodes for name in node.outputs} | {value.name for value in graph.inputs}
        known = tuple(value for value in graph.value_info if value.name in made)
        sofar = replace(graph, nodes=tuple(self._nodes), initializers=tuple(self._initializers), outputs=(), value_info=known)
        return infer_types(replace(self._model, graph=sofar)).graph

    def _replace(self, node: Node) -> None:
        if self._count > MOST_BRANCHES:
            raise PagetrainError(f"The model has more than {MOST_BRANCHES} branches.")
        typed = self._typed()
        decided = Values(typed, value_types(typed)).elements(node.inputs[0])
        if decided and decided[0] is not None:
            nodes, outputs = self._inlined(node, "then_branch" if decided[0] else "else_branch")
            self._waiting.extendleft(
                reversed([*nodes, *(self._made("Identity", (a,), b) for a, b in zip(outputs, node.outputs, strict=True))])
            )
            return
        named = {name for name in node.outputs if name}
        self._open.append(_Open(node, len(self._nodes), len(self._initializers), tuple(self._waiting), named))
        (then, yes), (other, no) = (self._inlined(node, branch) for branch in ("then_branch", "else_branch"))
        condition = self._scalar(node.inputs[0])
        self._choices |= dict(zip(node.outputs, zip(yes, no, strict=True), strict=True))
        choices = [self._made(CHOICE, (condition.outputs[0], *self._choices[name]), name) for name in node.outputs if name]
        self._waiting.extendleft(reversed([*then, *other, condition, *choices]))

    def _inlined(self, node: Node, branch: str) -> tuple[list[Node], list[str]]:
        """(nodes of the branch with names of their own, its outputs)."""
        graph = node.attributes[branch].value
        assert isinstance(graph, Graph), "ONNX's checker sees to it"
        self._count += 1
        prefix = f"{node.name or CONDITIONAL}/{branch}_{self._count}/"
        inner = [*(tensor.name for tensor in graph.initializers), *(name for one in graph.nodes for name in one.outputs if name)]
        names = {name: f"{prefix}{name}" for name in inner}
        self._initializers += (Tensor(names[tensor.name], tensor.data) for tensor in graph.initializers)
        nodes = [replace(renamed(one, names), name=f"{prefix}{one.name or one.op_type}") for one in graph.nodes]
        return nodes, [names.get(output.name, output.name) for output in graph.outputs]

    def _scalar(self, condition: str) -> Node:
        """The condition without axes, as a condition of one axis would give its axis to the result."""
        self._count += 1
        shape = f"{condition}/no_axes_{self._count}"
        self._initializers.append(Tensor(shape, np.zeros(0, np.int64)))
        return self._made("Reshape", (condition, shape), f"{condition}/scalar_{self._count}")

    def _made(self, op_type: str, inputs: tuple[str, ...], output: str) -> Node:
        return Node(op_type, inputs, (output,), f"{output}/{op_type}", since_version=since_version(op_type, "", self._opset))

    def _check_choice(self, node: Node) -> None:
        """Raises PagetrainError when the branches do not give the same shape, as far as it is known."""
        types = value_types(self._typed())
        yes, no = (types.get(name) for name in self._choices[node.outputs[0]])
        if yes is None or no is None or yes.element != no.element or not _agree(yes.shape, no.shape):
            raise PagetrainError(f"The branches of {node.outputs[0]!r} differ.")
        self._open[-1].unchecked.remove(node.outputs[0])
        if not self._open[-1].unchecked:
            self._open.pop()


def _agree(one: Shape | None, other: Shape | None) -> bool:
    if one is None or other is None or len(one) != len(other):
        return False
    return all(a == b or (1 not in (a, b) and not (isinstance(a, int) and isinstance(b, int))) for a, b in zip(one, other, strict=True))
