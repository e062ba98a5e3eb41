"""topology.sound: what must hold for any graph before it is run."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain.errors import FormatError
from pagetrain.graph import Attribute, AttributeType, Graph, Node, Tensor, ValueInfo
from pagetrain.topology import sound

X, Y = ValueInfo("x", None), ValueInfo("y", None)
FIRST, SECOND = Node("Relu", ("x",), ("a",), "first"), Node("Neg", ("a",), ("y",), "second")


def _body(*nodes: Node, output: str) -> dict[str, Attribute]:
    return {"body": Attribute(AttributeType.GRAPH, Graph("body", nodes, (), (ValueInfo(output, None),)))}


def test_nodes_are_put_in_order() -> None:
    """In the graph and in the graphs inside it; what a body takes from outside counts."""
    assert sound(Graph("g", (SECOND, FIRST), (X,), (Y,))).nodes == (FIRST, SECOND)
    inner = _body(Node("Neg", ("b",), ("c",)), Node("Relu", ("a",), ("b",)), output="c")
    outer = Node("If", ("x",), ("y",), attributes=inner)
    found = sound(Graph("g", (outer, FIRST), (X,), (Y,)))
    assert [node.op_type for node in found.nodes] == ["Relu", "If"]
    body = found.nodes[1].attributes["body"].value
    assert isinstance(body, Graph)
    assert [node.op_type for node in body.nodes] == ["Relu", "Neg"]


def test_a_sound_graph_stays_as_it_is() -> None:
    """Its nodes are the very same."""
    graph = Graph("g", (FIRST, SECOND), (X,), (Y,))
    assert all(mine is theirs for mine, theirs in zip(sound(graph).nodes, graph.nodes, strict=True))


TENSOR = Tensor("w", np.zeros(1, np.float32))
UNSOUND = {
    "an input twice": (Graph("g", (FIRST, SECOND), (X, X), (Y,)), "2 inputs named 'x'"),
    "an initializer twice": (Graph("g", (FIRST, SECOND), (X,), (Y,), (TENSOR, TENSOR)), "2 initializers named 'w'"),
    "two makers": (Graph("g", (FIRST, FIRST, SECOND), (X,), (Y,)), "'a' is made by two nodes"),
    "a maker and an input": (Graph("g", (FIRST, SECOND), (X, ValueInfo("a", None)), (Y,)), "'a' is made by a node, and is an input"),
    "no maker": (Graph("g", (SECOND,), (X,), (Y,)), "Neg 'second' reads 'a'"),
    "no maker inside": (Graph("g", (Node("If", ("x",), ("y",), attributes=_body(SECOND, output="y")),), (X,), (Y,)), "reads 'a'"),
    "no output": (Graph("g", (FIRST,), (X,), (Y,)), "output 'y' is made by no node"),
    "a circle": (Graph("g", (Node("Add", ("x", "y"), ("a",), "first"), SECOND), (X,), (Y,)), "cycle through Add 'first'"),
}


@pytest.mark.parametrize("graph, told", UNSOUND.values(), ids=UNSOUND)
def test_unsound_graphs_are_refused(graph: Graph, told: str) -> None:
    """One sentence says what is wrong."""
    with pytest.raises(FormatError, match=told):
        sound(graph)


def test_open_ends_may_be_allowed() -> None:
    """As in the skeleton of an inference model, whose parameters follow later."""
    assert sound(Graph("g", (SECOND,), (X,), (Y,)), open_ends=True).nodes == (SECOND,)
