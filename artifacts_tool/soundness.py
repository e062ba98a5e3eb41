"""What must hold for any model before anybody looks at it: an order, nodes as their schemas have them, no texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pagetrain import topology
from pagetrain.errors import FormatError
from pagetrain.graph import Graph, Model, Node, Tensor

from .op_schemas import signature_of


def sound(model: Model, open_ends: bool = False) -> Model:
    """The model with its nodes in order. open_ends: values may be read that nothing provides, as the parameters of an inference skeleton.

    Raises FormatError for what topology.sound refuses, for texts, and for a node that its op's schema does not allow, or of a domain that
    the model does not import.
    """
    _refuse_texts(model.graph.initializers)
    for node in all_nodes(model.graph):
        if node.domain not in model.opset_import:
            known = f"domain {node.domain!r}" if node.domain else "opset of ONNX"
            raise FormatError(f"{node.label}: the model does not import the {known}; export it again.")
        _check_signature(node)
        _refuse_texts(attribute.value for attribute in node.attributes.values() if isinstance(attribute.value, Tensor))
        for graph in topology.subgraphs(node):
            _refuse_texts(graph.initializers)
    return replace(model, graph=topology.sound(model.graph, open_ends))


def all_nodes(graph: Graph) -> Iterator[Node]:
    """Those of the graph and of its sub-graphs."""
    for node in graph.nodes:
        yield node
        for inner in topology.subgraphs(node):
            yield from all_nodes(inner)


def _refuse_texts(tensors: Iterable[Tensor]) -> None:
    for tensor in tensors:
        if tensor.data.dtype.hasobject:
            raise FormatError(f"The tensor {tensor.name!r} holds STRING, which cannot be trained; take it out of the model.")


def _check_signature(node: Node) -> None:
    """Numbers of inputs and outputs, and the kinds of attributes. Ops without a schema pass: they are refused where they are needed."""
    signature = signature_of(node.op_type, node.domain, node.since_version)
    if signature is None:
        return
    where = f"{node.label} (version {node.since_version})"
    for what, names, (least, most) in (("inputs", node.inputs, signature.inputs), ("outputs", node.outputs, signature.outputs)):
        if not least <= len(names) <= most or "" in names[: signature.needed if what == "inputs" else 0]:
            raise FormatError(f"{where} has {len(names)} {what}; it takes {least} to {most}, and none of the needed ones may be left out.")
    for name, kind in signature.attributes.items():
        given = node.attributes.get(name)
        if (given is None and name in signature.required) or (given is not None and given.type != kind):
            found = "none" if given is None else given.type.name
            raise FormatError(f"{where}: its attribute {name!r} must be of kind {kind.name}; it has {found}.")
