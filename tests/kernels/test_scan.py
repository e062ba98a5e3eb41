"""What the replay cannot show of Scan: values from outside of its body, and what is refused."""

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Attribute, AttributeType, Graph, Node
from pagetrain.plan import bind
from tests.cases.scan import SUMS, value
from tests.graphs import graph, node


def scan(body: Graph, inputs: str, outputs: str, scan_inputs: int = 1) -> Node:
    """A Scan of a body."""
    attributes = {"body": Attribute(AttributeType.GRAPH, body), "num_scan_inputs": Attribute(AttributeType.INT, scan_inputs)}
    return Node("Scan", tuple(inputs.split()), tuple(outputs.split()), "scan", attributes=attributes, since_version=16)


def test_a_body_reads_values_from_outside() -> None:
    """At any depth, constants too; each is let go after its last use, which may be in a body."""
    inner = Graph("inner", (node("Mul", "v w", "p"), node("Add", "s p", "t")), (value("s"), value("v")), (value("t"),))
    outer = Graph("outer", (scan(inner, "zero row", "total"), node("Add", "S total", "T")), (value("S"), value("row", 3)), (value("T"),))
    whole = graph(
        [node("Neg", "x", "w"), scan(outer, "zero rows", "y")],
        [value("x"), value("rows", 2, 3)],
        ["y"],
        {"zero": np.float32(0)},
    )
    plan = bind(whole)
    assert plan.inputs == ("x", "rows")
    assert executor.run(plan, {"x": np.float32(-2), "rows": np.float32([[1, 2, 3], [4, 5, 6]])})["y"] == 42


def test_a_body_with_constants_alone_is_run_when_the_graph_is() -> None:
    """Its node is no constant to be computed in advance."""
    plan = bind(graph([scan(SUMS, "s x", "t y")], [], ["t"], {"s": np.zeros(2, np.float32), "x": np.ones((3, 2), np.float32)}))
    assert len(plan.steps) == 1
    assert executor.run(plan, {})["t"].tolist() == [3, 3]


@pytest.mark.parametrize("sizes", [(2, 3), (0, 0)])
def test_scan_inputs_need_the_same_number_of_steps(sizes: tuple[int, int]) -> None:
    """At least one; the message names the node and the sizes."""
    body = Graph("both", (node("Add", "a b", "c"),), (value("a"), value("b")), (value("c"),))
    plan = bind(graph([scan(body, "x z", "y", 2)], [value("x"), value("z")], ["y"]))
    with pytest.raises(InvalidInputError, match=rf"Scan 'scan': the scan inputs have \[{sizes[0]}, {sizes[1]}\] steps"):
        executor.run(plan, {"x": np.ones(sizes[0]), "z": np.ones(sizes[1])})


def test_complaints_from_a_body_name_both_nodes() -> None:
    """The Scan, then the one inside."""
    plan = bind(graph([scan(SUMS, "s x", "t y")], [value("s", 2), value("x", 3, 2)], ["t"]))
    with pytest.raises(InvalidInputError, match=r"Scan 'scan': Add 'Add_after' cannot run on before \(2,\), x \(5,\)"):
        executor.run(plan, {"s": np.ones(2), "x": np.ones((3, 5))})
