"""What the cases do not show of the gradient of Scan: what its bodies hold, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from artifacts_tool.gradient import differentiate
from artifacts_tool.value_types import value_types
from pagetrain.errors import UnsupportedOpError
from pagetrain.graph import ElementType, TensorType
from pagetrain.topology import subgraphs
from tests.graphs import node

from .cases.scan import CASES, body, case
from .projection import backward, output_size, projected

pytestmark = pytest.mark.oracle


def graph_of(case):
    return projected(case, np.ones(output_size(case)))


def ops_of(node):
    (body,) = subgraphs(node)
    return [inner.op_type for inner in body.nodes]


def scans_of(case):
    """(forward, backward)."""
    graph = backward(graph_of(case), [f"x{index}" for index in case.differentiable], case.opset)
    return [node for node in graph.nodes if node.op_type == "Scan"]


def test_the_gradient_of_a_matrix_is_one_product_in_the_end():
    """W and R are captured and multiplied from the left: no step multiplies for them, the bias is summed up step by step."""
    cell = next(case for case in CASES if case.note == "cell")
    _, back = scans_of(replace(cell, differentiable=(2, 3, 4)))
    assert ops_of(back).count("Gemm") == 1  # what goes to the step before
    assert ops_of(back).count("Add") == 1


def test_views_and_shapes_are_not_handed_out():
    """A Split is made again, a shape taken in the forward body: of the halves of x, and of s, nothing is kept but shapes."""
    halves = body([node("Split", "x", "a b", since=13, axis=0), node("Add", "a b", "c"), node("Add", "s c", "t")], "s x", "t")
    forward, back = scans_of(case("halves", halves, [(2,)], [(3, 4)]))
    assert len(forward.outputs) == 1
    assert not {"Split", "Shape"} & set(ops_of(back))


def refusal(change):
    """What differentiation says when `change` has made another node of a Scan."""
    graph = graph_of(CASES[0])
    nodes = tuple(change(node) if node.op_type == "Scan" else node for node in graph.nodes)
    with pytest.raises(UnsupportedOpError) as caught:
        differentiate(replace(graph, nodes=nodes), value_types(graph), ["x0"], "loss", 17)
    return str(caught.value)


def with_body(node, graph):
    return replace(node, attributes={**node.attributes, "body": replace(node.attributes["body"], value=graph)})


def in_half(node):
    (graph,) = subgraphs(node)
    return with_body(node, replace(graph, inputs=tuple(replace(v, type=TensorType(ElementType.FLOAT16, (2,))) for v in graph.inputs)))


def test_a_body_s_op_without_a_gradient_is_named():
    """As one outside of a body is."""
    unknown = body([node("Add", "s x", "p"), node("Own", "p", "t", since=1, domain="com.microsoft")], "s x", "t")
    assert "have no gradient: Own (node 'Own_t')" in refusal(lambda scan: with_body(scan, unknown))


def test_forms_without_a_gradient_are_refused():
    """By name, with what to do."""
    old = refusal(lambda scan: replace(scan, since_version=8))
    assert old == "Scan 'node' of opset 8 has no gradient; export the model with opset 9 or newer."
    assert refusal(in_half) == "Scan 'node' of half precision has no gradient; export the model in float32."


def own_names(graph):
    return (
        {value.name for value in graph.inputs}
        | {tensor.name for tensor in graph.initializers}
        | {n for node in graph.nodes for n in node.outputs if n}
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_value_of_a_body_is_called_as_one_outside(case):
    """ONNX wants the names in a graph and in the graphs around it to differ."""
    graph = backward(graph_of(case), [f"x{index}" for index in case.differentiable], case.opset)
    inner = [own_names(one) for scan in graph.nodes for one in subgraphs(scan)]
    assert inner
    assert all(own_names(graph).isdisjoint(names) for names in inner)
