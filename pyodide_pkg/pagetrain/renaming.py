"""Nodes with other names for their values, as what is put into another graph needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .graph import Attribute, Graph, Node


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """The node, and what its sub-graphs take from outside, under the new names."""
    return replace(
        node,
        inputs=_all(node.inputs, names),
        outputs=_all(node.outputs, names),
        attributes={name: _renamed_attribute(attribute, names) for name, attribute in node.attributes.items()},
    )


def _all(values: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in values)


def _renamed_attribute(attribute: Attribute, names: Mapping[str, str]) -> Attribute:
    graph = attribute.value
    if not isinstance(graph, Graph):
        return attribute
    own = {tensor.name for tensor in graph.initializers} | {value.name for value in graph.inputs}
    outer = {name: new for name, new in names.items() if name not in own}
    nodes = tuple(renamed(node, outer) for node in graph.nodes)
    outputs = tuple(replace(value, name=outer.get(value.name, value.name)) for value in graph.outputs)
    return replace(attribute, value=replace(graph, nodes=nodes, outputs=outputs))
