"""What must hold for any model before anybody looks at it: one maker for each value, an order, and nodes as their schemas have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pagetrain.errors import FormatError
from pagetrain.graph import Attribute, Graph, Model, Node
from pagetrain.ortformat import topology

from .op_schemas import signature_of


def sound(model: Model, open_ends: bool = False) -> Model:
    """The model with its nodes in order: ONNX asks for one, tools that edit models forget it now and then.

    open_ends: values may be read that nothing provides, as the parameters of an inference skeleton.
    Raises FormatError for a cycle, a value with two makers or none, and a node that its op's schema does not allow, or of a domain that
    the model does not import.
    """
    for node in all_nodes(model.graph):
        if node.domain not in model.opset_import:
            known = f"domain {node.domain!r}" if node.domain else "opset of ONNX"
            raise FormatError(f"{node.op_type} {node.name!r}: the model does not import the {known}; export it again.")
    return replace(model, graph=_sound_graph(model.graph, frozenset(), open_ends))


def all_nodes(graph: Graph) -> Iterator[Node]:
    """Those of the graph and of its sub-graphs."""
    for node in graph.nodes:
        yield node
        for inner in topology.subgraphs(node):
            yield from all_nodes(inner)


def _sound_graph(graph: Graph, outside: frozenset[str], open_ends: bool) -> Graph:
    """outside: values of the enclosing graphs."""
    _refuse_doubles("input", (value.name for value in graph.inputs))
    _refuse_doubles("initializer", (tensor.name for tensor in graph.initializers))
    made, given = topology.producers(graph.nodes), topology.provided(graph)
    if both := given & made.keys():
        raise FormatError(f"The value {min(both)!r} is made by a node, and is an input or initializer of the graph too.")
    known = outside.union(made, given, [""])
    nodes = tuple(_sound_node(node, known, open_ends) for node in graph.nodes)
    if not open_ends and (missing := [value.name for value in graph.outputs if value.name not in known]):
        raise FormatError(f"The graph's output {missing[0]!r} is made by no node.")
    return replace(graph, nodes=nodes if _is_ordered(nodes, made.keys()) else topology.sort(nodes))


def _refuse_doubles(kind: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise FormatError(f"The graph has {count} {kind}s named {name!r}; names must be unique.")


def _is_ordered(nodes: Iterable[Node], made: Iterable[str]) -> bool:
    later = set(made)
    for node in nodes:
        if not later.isdisjoint(topology.reads(node)):
            return False
        later.difference_update(node.outputs)
    return True


def _sound_node(node: Node, known: frozenset[str], open_ends: bool) -> Node:
    if not open_ends and (missing := [name for name in node.inputs if name not in known]):
        raise FormatError(f"{node.op_type} {node.name!r} reads {missing[0]!r}, which no node, input or initializer provides.")
    _check_signature(node)
    if not any(topology.subgraphs(node)):
        return node
    return replace(node, attributes={name: _sound_attribute(one, known, open_ends) for name, one in node.attributes.items()})


def _sound_attribute(attribute: Attribute, known: frozenset[str], open_ends: bool) -> Attribute:
    graph = attribute.value
    return replace(attribute, value=_sound_graph(graph, known, open_ends)) if isinstance(graph, Graph) else attribute


def _check_signature(node: Node) -> None:
    """Numbers of inputs and outputs, and the kinds of attributes. Ops without a schema pass: they are refused where they are needed."""
    signature = signature_of(node.op_type, node.domain, node.since_version)
    if signature is None:
        return
    where = f"{node.op_type} {node.name!r} (version {node.since_version})"
    for what, names, (least, most) in (("inputs", node.inputs, signature.inputs), ("outputs", node.outputs, signature.outputs)):
        if not least <= len(names) <= most or "" in names[: signature.needed if what == "inputs" else 0]:
            raise FormatError(f"{where} has {len(names)} {what}; it takes {least} to {most}, and none of the needed ones may be left out.")
    for name, kind in signature.attributes.items():
        given = node.attributes.get(name)
        if (given is None and name in signature.required) or (given is not None and given.type != kind):
            found = "none" if given is None else given.type.name
            raise FormatError(f"{where}: its attribute {name!r} must be of kind {kind.name}; it has {found}.")
