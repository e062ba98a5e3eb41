"""artifacts_tool.gradient: which values get a gradient, and how several contributions are joined."""

import numpy as np
import pytest

from artifacts_tool.gradient import differentiate
from artifacts_tool.gradient.registry import all_rules, gradient
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.op_schemas import since_version
from artifacts_tool.value_types import value_types
from pagetrain import kernels
from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo

from .cases import ALL
from .projection import STEP, backward, output_size, projected, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx


def graph_of(*nodes, inputs=("x", "w"), constants=()):
    """A typed graph of vectors of two doubles. nodes: (op, inputs, output)."""
    double = TensorType(ElementType.DOUBLE, (2,))
    made = tuple(
        Node(op, tuple(names.split()), (output,), f"{op}{i}", since_version=since_version(op, "", 17))
        for i, (op, names, output) in enumerate(nodes)
    )
    values = tuple(ValueInfo(name, double) for name in inputs)
    return infer_types(Model(Graph("g", made, values, (ValueInfo("loss", None),), constants), 8, {"": 17})).graph


def differentiated(graph, *parameters):
    return differentiate(graph, value_types(graph), parameters, "loss", 17)


def gradients(graph, feeds, *parameters):
    return run(backward(graph, parameters, 17), feeds, [f"{name}_grad" for name in parameters])


def test_contributions_of_several_consumers_are_summed():
    """loss = w * w * x + w: the gradient by w is 2 w x + 1, by way of a node that uses w twice and one that uses it once."""
    graph = graph_of(("Mul", "w w", "s"), ("Mul", "s x", "p"), ("Add", "p w", "loss"))
    feeds = {"x": np.array([3.0, 5.0]), "w": np.array([2.0, -1.0])}
    assert np.array_equal(gradients(graph, feeds, "w")["w_grad"], 2 * feeds["w"] * feeds["x"] + 1)
    sums = [n for n in differentiated(graph, "w").nodes if n.op_type == "Sum"]
    assert [(n.name, n.outputs) for n in sums] == [("AccumulateGrad_w_grad", ("w_grad",))]


def test_only_the_path_gets_gradients():
    """Inputs, frozen parameters and what only they reach have none."""
    graph = graph_of(("Mul", "x f", "frozen"), ("Mul", "frozen w", "loss"), inputs=("x", "f", "w"))
    names = {name for n in differentiated(graph, "w").nodes for name in n.outputs}
    assert "w_grad" in names
    assert not {"x_grad", "f_grad", "frozen_grad"} & names


def test_a_branch_that_the_loss_does_not_see_gets_none():
    """A consumer of w whose result goes nowhere contributes nothing, and may lack a gradient."""
    graph = graph_of(("Neg", "w", "loss"), ("Elu", "w", "aside"))
    assert [n.op_type for n in differentiated(graph, "w").nodes] == ["Shape", "Expand", "Neg"]


def test_values_that_are_no_floats_stop_the_way():
    """w reaches the loss through a comparison alone: no gradient can pass."""
    graph = graph_of(("Greater", "w x", "mask"), ("Where", "mask x x", "loss"))
    with pytest.raises(InvalidInputError, match="does not depend on 'w'"):
        differentiated(graph, "w")


def test_stop_edges_are_respected():
    """The bounds of Clip never get a gradient, even if they are parameters."""
    scalar = TensorType(ElementType.DOUBLE, ())
    nodes = (Node("Clip", ("x", "w"), ("loss",), "clip", since_version=13),)
    graph = Graph("g", nodes, (ValueInfo("x", scalar), ValueInfo("w", scalar)), (ValueInfo("loss", scalar),))
    with pytest.raises(InvalidInputError, match="does not depend on 'w'"):
        differentiated(graph, "w")


def test_a_value_captured_by_a_sub_graph_is_not_overlooked():
    """If reads w from outside: the op is named as one without gradient, instead of a gradient that misses a term."""
    double = TensorType(ElementType.DOUBLE, (2,))
    body = Graph("body", (Node("Neg", ("w",), ("n",), since_version=13),), (), (ValueInfo("n", double),))
    branches = {name: Attribute(AttributeType.GRAPH, body) for name in ("then_branch", "else_branch")}
    nodes = (
        Node("If", ("c",), ("i",), "if", attributes=branches, since_version=16),
        Node("Add", ("i", "w"), ("loss",), "add", since_version=14),
    )
    values = (ValueInfo("c", TensorType(ElementType.BOOL, ())), ValueInfo("w", double))
    with pytest.raises(UnsupportedOpError, match="If"):
        differentiated(Graph("g", nodes, values, (ValueInfo("loss", double),), (), (ValueInfo("i", double),)), "w")


def test_nameless_and_doubly_named_nodes_get_helpers_of_their_own():
    """Helper values never collide, whatever the nodes are called."""
    double = TensorType(ElementType.DOUBLE, (2,))
    for name in ("", "same"):
        nodes = tuple(Node("Mul", (a, "w"), (b,), name, since_version=14) for a, b in (("x", "p"), ("p", "q"), ("q", "loss")))
        values = tuple(ValueInfo(n, double) for n in ("x", "w", "p", "q"))
        graph = Graph("g", nodes, values[:2], (ValueInfo("loss", double),), (), values[2:])
        made = [output for n in differentiated(graph, "w").nodes for output in n.outputs]
        assert len(made) == len(set(made))
        feeds = {"x": np.array([3.0, 5.0]), "w": np.array([2.0, -1.0])}
        assert np.allclose(gradients(graph, feeds, "w")["w_grad"], 3 * feeds["x"] * feeds["w"] ** 2, rtol=1e-15)


def test_the_seed_has_the_type_and_shape_of_the_loss():
    """A double loss of one element starts from a double 1 of its rank; of several losses the sum is minimised."""
    for shape in ((), (1,), (1, 1)):
        double = TensorType(ElementType.DOUBLE, shape)
        nodes = (Node("Neg", ("w",), ("loss",), "neg", since_version=13),)
        seed = differentiated(Graph("g", nodes, (ValueInfo("w", double),), (ValueInfo("loss", double),)), "w").initializers[0]
        assert (seed.name, seed.data.dtype, seed.data.shape, seed.data.sum()) == ("loss_grad", np.float64, shape, 1)
    found = gradients(graph_of(("Neg", "w", "loss"), inputs=("w",)), {"w": np.ones(2)}, "w")["w_grad"]
    assert (found.dtype, found.tolist()) == (np.float64, [-1, -1])


def test_the_same_graph_gives_the_same_nodes():
    """No name or order depends on hashing or on what ran before."""
    graph = graph_of(("Mul", "w w", "s"), ("Mul", "s x", "p"), ("Add", "p w", "loss"))
    assert differentiated(graph, "w", "x").nodes == differentiated(graph, "w", "x").nodes


def test_every_op_a_rule_emits_has_a_kernel():
    """Over all cases of all rules, each emitted node finds a kernel."""
    emitted = set()
    for case in ALL:
        graph = projected(case, np.ones(output_size(case)))
        made = differentiate(graph, value_types(graph), [f"x{i}" for i in case.differentiable], "loss", case.opset)
        emitted |= {(n.domain, n.op_type, n.since_version) for n in made.nodes}
    assert {op for op in emitted if kernels.find(*op) is None} == set()


def test_an_unknown_rank_is_said_with_what_to_do():
    """GlobalMaxPool must know over which axes it pools."""
    double = TensorType(ElementType.DOUBLE)
    nodes = (Node("GlobalMaxPool", ("w",), ("loss",), "pool", since_version=1),)
    graph = Graph("g", nodes, (ValueInfo("w", double),), (ValueInfo("loss", double),))
    with pytest.raises(InvalidInputError, match="needs the rank of 'w'"):
        differentiated(graph, "w")


def test_two_rules_for_an_op_are_refused():
    """Declaring a second gradient of Relu raises at once."""
    with pytest.raises(ValueError, match="two gradients"):
        gradient("Relu")(lambda scope: None)
    assert "Relu" in {rule.op_type for rule in all_rules()}


def test_steps_of_the_check_are_small():
    """The finite difference steps over no kink: cases keep a distance of 0.05."""
    assert STEP < 1e-3


def test_constants_take_part():
    """A constant operand passes the gradient on to the other."""
    graph = graph_of(("Mul", "w c", "loss"), inputs=("w",), constants=(Tensor("c", np.array([2.0, 3.0])),))
    assert np.array_equal(gradients(graph, {"w": np.ones(2)}, "w")["w_grad"], [2.0, 3.0])
