"""Model-local functions inlined, once it is sure that this ends and does not blow the model up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import onnx
import onnx.inliner

from pagetrain.errors import FormatError

MOST_NODES = 200_000  # after inlining; exporters' models have thousands
MOST_CALLS = 100  # of functions by functions, one inside the other
Key = tuple[str, str, str]


def inlined(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model without local functions. Raises FormatError for those that call each other in a circle, blow it up, or do not fit."""
    if not proto.functions:
        return proto
    bodies = {(function.domain, function.name, function.overload): function.node for function in proto.functions}
    if _size(proto.graph.node, bodies, {}, ()) > MOST_NODES:
        raise FormatError(f"The model's functions make more than {MOST_NODES} nodes of its graph.")
    try:
        return onnx.inliner.inline_local_functions(proto)
    except RuntimeError as error:  # an assertion in onnx's own code
        raise FormatError(f"The model's functions do not fit where they are called: {str(error).rpartition('failed: ')[2]}") from error


def _size(
    nodes: Iterable[onnx.NodeProto], bodies: Mapping[Key, Iterable[onnx.NodeProto]], known: dict[Key, int], above: tuple[Key, ...]
) -> int:
    """How many nodes these become. known: the sizes of functions by now. above: the functions that we are in."""
    total = 0
    for node in _all(nodes):
        key = (node.domain, node.op_type, node.overload)
        if key in above or len(above) > MOST_CALLS:
            raise FormatError(f"The model's function {node.op_type!r} calls itself, or functions call each other over {MOST_CALLS} deep.")
        if key in bodies and key not in known:
            known[key] = _size(bodies[key], bodies, known, (*above, key))
        total += known.get(key, 1)
    return total


def _all(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes and those of their sub-graphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _all(graph.node)
