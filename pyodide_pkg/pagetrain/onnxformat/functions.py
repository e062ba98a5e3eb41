"""Local functions of a model written out where they are called, once it is sure that this ends and does not blow the model up.

Source: onnx.proto, FunctionProto and AttributeProto.ref_attr_name (onnx/onnx:onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from ..errors import FormatError
from ..graph import Attribute, Graph, Node
from ..renaming import renamed
from ..topology import subgraphs

MOST_NODES = 200_000  # after writing out; exporters' models have thousands
MOST_CALLS = 100  # of functions by functions, one inside the other
Key = tuple[str, str]  # domain and name


@dataclass(frozen=True, slots=True)
class Reference:
    """In place of an attribute's value: the attribute of that name of the call."""

    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A body. defaults: attributes that a call may leave out."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: Mapping[str, Attribute]
    nodes: tuple[Node, ...]


class Inliner:
    """Writes out the calls of a model's functions."""

    def __init__(self, functions: Mapping[Key, Function]) -> None:
        self._functions = functions
        self._seen = 0

    def graph(self, graph: Graph, above: tuple[Key, ...] = ()) -> Graph:
        """The graph without calls. Raises FormatError for functions that call each other in a circle, blow it up, or do not fit."""
        return replace(graph, nodes=tuple(one for node in graph.nodes for one in self._nodes(node, above)))

    def _nodes(self, node: Node, above: tuple[Key, ...]) -> Iterator[Node]:
        self._seen += 1
        if self._seen > MOST_NODES:
            raise FormatError(f"The model's functions make more than {MOST_NODES} nodes of its graph.")
        key = (node.domain, node.op_type)
        if key not in self._functions:
            yield self._with_bodies(node, above)
            return
        if key in above or len(above) >= MOST_CALLS:
            raise FormatError(f"The model's function {node.op_type!r} calls itself, or functions call each other over {MOST_CALLS} deep.")
        for inner in _called(self._functions[key], node, self._seen):
            yield from self._nodes(inner, (*above, key))

    def _with_bodies(self, node: Node, above: tuple[Key, ...]) -> Node:
        graphs = {name: one.value for name, one in node.attributes.items() if isinstance(one.value, Graph)}
        bodies = {name: replace(node.attributes[name], value=self.graph(graph, above)) for name, graph in graphs.items()}
        return replace(node, attributes={**node.attributes, **bodies}) if bodies else node


def _called(function: Function, call: Node, number: int) -> Iterator[Node]:
    """The function's nodes in place of the call, their inner values under names of their own."""
    if len(call.inputs) > len(function.inputs) or len(call.outputs) > len(function.outputs):
        raise FormatError(
            f"The model's functions do not fit where they are called: {call.label} has {len(call.inputs)} inputs and "
            f"{len(call.outputs)} outputs, the function {len(function.inputs)} and {len(function.outputs)}."
        )
    prefix = f"{next(filter(None, call.outputs), '')}/{call.op_type}_{number}/"
    given = dict(zip_longest(function.inputs, call.inputs, fillvalue=""))
    wanted = {inner: outer for inner, outer in zip(function.outputs, call.outputs, strict=False) if outer}
    names = {name: f"{prefix}{name}" for name in _made(function.nodes)} | wanted | given
    attributes = {**function.defaults, **call.attributes}
    for index, node in enumerate(function.nodes):
        named = replace(node, name=f"{prefix}{node.name or f'{node.op_type}_{index}'}")
        yield renamed(_filled(named, attributes), names)
    for inner, outer in wanted.items():
        if inner in given:
            yield Node("Identity", (given[inner],), (outer,), f"{prefix}{inner}")


def _made(nodes: Iterable[Node]) -> Iterator[str]:
    """The names of all values that nodes make, in graphs inside them too."""
    for node in nodes:
        yield from filter(None, node.outputs)
        for graph in subgraphs(node):
            yield from _made(graph.nodes)


def _filled(node: Node, attributes: Mapping[str, Attribute]) -> Node:
    """The node with the call's attributes where it refers to them; without those that the call has not."""
    found: dict[str, Attribute] = {}
    for name, one in node.attributes.items():
        if isinstance(one.value, Reference):
            if one.value.name in attributes:
                found[name] = attributes[one.value.name]
        elif isinstance(one.value, Graph):
            inner = tuple(_filled(body, attributes) for body in one.value.nodes)
            found[name] = replace(one, value=replace(one.value, nodes=inner))
        else:
            found[name] = one
    return replace(node, attributes=found)
