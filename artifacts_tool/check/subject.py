"""What is checked: the model with its loss, typed, and the weights that are to be trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pagetrain.graph import Graph, Model, Node, TensorType
from pagetrain.topology import reads

from ..gradient.path import Path, trace
from ..value_types import value_types
from .request import Request


@dataclass(frozen=True)
class Subject:
    """model: as read, Constant nodes as initializers; grown: prepared, with the loss, typed. loss: the value; scored: what it is about.

    chosen: the weights to train, frozen: those that are parameters all the same.
    """

    model: Model
    grown: Model
    request: Request
    scored: str
    labels: str
    loss: str
    chosen: tuple[str, ...]
    frozen: tuple[str, ...]

    @property
    def graph(self) -> Graph:
        """The prepared graph with the loss."""
        return self.grown.graph

    @property
    def opset(self) -> int:
        """Of the default domain."""
        return self.model.opset_import.get("", 1)

    @cached_property
    def types(self) -> Mapping[str, TensorType]:
        """Of every value."""
        return value_types(self.graph)

    @cached_property
    def path(self) -> Path:
        """What gets a gradient."""
        return trace(self.graph, self.types, self.chosen, [self.loss])

    @cached_property
    def upstream(self) -> Sequence[Node]:
        """The nodes that the loss depends on, in order."""
        return upstream(self.graph, self.loss)

    def in_model(self, node: Node) -> Node:
        """The node of the model as it was read that `node` is, or is part of the body of (see functions)."""
        for one in self.model.graph.nodes:
            if one.outputs and node.name.startswith(f"{one.outputs[0]}/{one.op_type}/"):
                return one
        return node


def upstream(graph: Graph, output: str) -> list[Node]:
    """The nodes that a value depends on, in order."""
    needed, found = {output}, []
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            needed |= {name for name in reads(node) if name}
            found.append(node)
    return found[::-1]
