"""bind: kernels found, only what is needed, constants computed, last uses known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pagetrain import executor, folding
from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Node, Tensor
from pagetrain.plan import bind
from tests.graphs import graph, node, value

CHAIN = graph(
    [node("Neg", "x", "a"), node("Add", "a c", "b"), node("Mul", "b w", "y"), node("Relu", "x", "z")],
    [value("x", 2), value("w", 2)],
    ["y", "z"],
    {"c": np.float32([1, 1])},
)


def test_all_ops_without_kernel_are_named_at_once() -> None:
    """Each once, with domain and version, sorted; also as a list for programs."""
    bad = graph(
        [node("Foo", "x", "a"), node("Bar", "a", "b", domain="x.y"), node("Foo", "b", "y"), node("Add", "y y", "z", since=6)],
        [value("x")],
        ["z"],
    )
    with pytest.raises(UnsupportedOpError, match=r":Add:6, :Foo:13, x.y:Bar:13") as caught:
        bind(bad)
    assert caught.value.ops == (":Add:6", ":Foo:13", "x.y:Bar:13")


def test_ops_without_kernel_inside_bodies_are_named_with_the_others() -> None:
    """Also two levels down; what a body makes and nobody needs is not asked for."""
    innermost = graph([node("Bar", "x", "q"), node("Baz", "x", "unused")], [], ["q"])
    inner = graph([_with_body("If", "c", "r", then_branch=innermost, else_branch=innermost)], [], ["r"])
    outer = graph([node("Foo", "x", "c"), _with_body("If", "c", "y", then_branch=inner, else_branch=inner)], [value("x")], ["y"])
    with pytest.raises(UnsupportedOpError) as caught:
        bind(outer)
    assert caught.value.ops == (":Bar:13", ":Foo:13")


def _with_body(op_type: str, inputs: str, outputs: str, **bodies: Graph) -> Node:
    attributes = {name: Attribute(AttributeType.GRAPH, body) for name, body in bodies.items()}
    return replace(node(op_type, inputs, outputs), attributes=attributes)


def test_ops_that_are_not_needed_need_no_kernel() -> None:
    """Fetching a value asks for the nodes before it alone."""
    with_loss = graph([node("Neg", "x", "y"), node("Foo", "y labels", "loss")], [value("x"), value("labels")], ["loss"])
    plan = bind(with_loss, ["y"])
    assert plan.inputs == ("x",)
    assert len(plan.steps) == 1


def test_attributes_that_the_kernel_does_not_know_are_refused() -> None:
    """Ignoring one could give wrong numbers in silence."""
    with pytest.raises(UnsupportedOpError, match=r"Relu 'Relu_y' has the attributes \['slope'\]"):
        bind(graph([node("Relu", "x", "y", slope=2)], [value("x")], ["y"]))


def test_a_kernel_is_told_what_it_asks_of_its_node() -> None:
    """Which outputs are wanted and what shapes are declared for them."""
    first, second = bind(
        graph(
            [node("MaxPool", "x", "y", kernel_shape=(2,)), node("MaxPoolGrad", "y i", "dx", kernel_shape=(2,))],
            [value("x", "N", 1, 4), value("i", "N", 1, 3, element=ElementType.INT64)],
            [],
            value_info=[value("dx", "N", 1, 4)],
        ),
        ["dx"],
    ).steps
    assert first.attributes == {"kernel_shape": (2,), "wanted": {0}}
    assert second.attributes == {"kernel_shape": (2,), "output_shapes": (("N", 1, 4),)}


def test_version_of_the_node_picks_the_kernel() -> None:
    """Softmax before 13 flattens from axis 1 on; from 13 on it is along the last axis."""
    X = np.zeros((1, 2, 5), np.float32)
    for since, expected in ((11, 0.1), (13, 0.2)):
        plan = bind(graph([node("Softmax", "x", "y", since=since)], [value("x", 1, 2, 5)], ["y"]))
        np.testing.assert_allclose(executor.run(plan, {"x": X})["y"], expected, rtol=1e-6)


def test_what_depends_on_constants_alone_is_computed_once() -> None:
    """It becomes an initializer; a Constant node is the simplest case. Constants that only led to it are let go."""
    folded = graph(
        [node("Constant", "", "k", value=Tensor("", np.float32(3))), node("Mul", "k c", "kc"), node("Add", "x kc", "y")],
        [value("x")],
        ["y"],
        {"c": np.float32(2)},
    )
    plan = bind(folded)
    assert {name: float(constant) for name, constant in plan.initializers.items()} == {"kc": 6}
    assert len(plan.steps) == 1


HUGE = np.array([1 << 20, 1 << 20])


@pytest.mark.parametrize(
    "op_type, constants",
    [
        ("ConstantOfShape", [HUGE]),
        ("Expand", [np.float32(1), HUGE]),
        ("Tile", [np.ones((1, 1), np.float32), HUGE]),
        ("Range", [np.int64(0), np.int64(1 << 40), np.int64(1)]),
        ("Add", [np.ones((1 << 20, 1), np.float32), np.ones(1 << 20, np.float32)]),
        ("MatMul", [np.ones((1 << 20, 1), np.float32), np.ones((1, 1 << 20), np.float32)]),
        ("Gather", [np.ones((2, 1 << 20), np.float32), np.zeros(1 << 20, np.int64)]),
        ("NonZero", [np.ones((1,) * 7 + (1 << 24,), np.bool_)]),
    ],
)
def test_constants_that_would_be_huge_are_left_to_the_run(op_type: str, constants: list[np.ndarray]) -> None:
    """Hundreds of megabytes and up, asked for by small ones: bind makes none of them."""
    names = " ".join(f"c{index}" for index in range(len(constants)))
    asking = graph([node(op_type, names, "y")], [], ["y"], dict(zip(names.split(), constants, strict=True)))
    assert len(bind(asking).steps) == 1


def test_constants_that_double_again_and_again_come_to_an_end() -> None:
    """Forty nodes would make four terabytes; what bind makes stays within its limit."""
    doubling = [node("Concat", f"v{index} v{index}", f"v{index + 1}", axis=0) for index in range(40)]
    plan = bind(graph(doubling, [], ["v40"], {"v0": np.ones(1000, np.float32)}))
    assert sum(value.nbytes for value in plan.initializers.values()) <= folding.MOST_BYTES
    assert len(plan.steps) > 20


def test_weights_are_prepared_ahead() -> None:
    """A quantised weight with a scale for each row becomes floats once, though weight times scale would be a large number of elements."""
    dequantized = node("DequantizeLinear", "w s", "f", axis=0)
    constants = {"w": np.ones((4000, 1000), np.int8), "s": np.ones(4000, np.float32)}
    plan = bind(graph([dequantized, node("MatMul", "x f", "y")], [value("x", 1, 4000)], ["y"], constants))
    assert [step.label for step in plan.steps] == ["MatMul 'MatMul_y'"]


@pytest.mark.parametrize(
    "bad",
    [
        node("Gemm", "", "y"),  # too few inputs
        node("Add", "c _", "y"),  # None where an array must be
        node("Cast", "c", "y", to=99),
        node("Reshape", "c c", "y"),
    ],
)
def test_constants_that_do_not_fit_their_op_fail_when_it_is_run(bad: Node) -> None:
    """Not with what Python or numpy say when the plan is made: a branch that is never taken may hold such a node."""
    plan = bind(graph([bad], [], ["y"], {"c": np.float32([1, 2, 3])}))
    with pytest.raises(InvalidInputError, match=f"{bad.op_type} '{bad.op_type}_y'"):
        executor.run(plan, {})


@pytest.mark.parametrize("bad", [Node("Identity", (), ("y",)), Node("InPlaceAccumulatorV2", (), ("y",), domain="com.microsoft")])
def test_ops_without_their_first_input_fail_when_they_are_run(bad: Node) -> None:
    """Also those that only pass it on, or write it."""
    plan = bind(graph([bad], [], ["y"]))
    with pytest.raises(InvalidInputError, match="cannot run"):
        executor.run(plan, {})


def test_ops_that_mutate_are_never_folded() -> None:
    """A gradient buffer that happens to be a constant is still written at each run, not once."""
    accumulating = graph(
        [node("InPlaceAccumulatorV2", "c c", "flag buffer", since=1, domain="com.microsoft")], [], ["flag"], {"c": np.float32([1, 2])}
    )
    assert len(bind(accumulating).steps) == 1


def test_fed_values_are_not_computed() -> None:
    """The rest of the graph runs from them on; inputs that only led to them are not asked for."""
    plan = bind(CHAIN, ["y"], fed=["b"])
    assert plan.inputs == ("b", "w")
    result = executor.run(plan, {"b": np.float32([2, 3]), "w": np.float32([5, 7])})
    assert result["y"].tolist() == [10, 21]


def test_values_die_after_their_last_use() -> None:
    """Never before, never a fetch or an initializer, and what nobody reads at once."""
    plan = bind(
        graph([node("Neg", "x", "a"), node("Neg", "a", "b"), node("Add", "a c", "y")], [value("x")], ["y", "b"], {"c": np.float32(1)})
    )
    assert [step.dead for step in plan.steps] == [("x",), (), ("a",)]


def test_unknown_fetch_is_refused() -> None:
    """With the names of what there is."""
    with pytest.raises(InvalidInputError, match=r"no values named \['logits'\]; its outputs are \['y', 'z'\]"):
        bind(CHAIN, ["logits"])


def test_what_only_passes_a_value_on_is_left_out() -> None:
    """Readers and fetches get the value itself, under its other names too; what a body captures keeps its name."""
    passed = [node("Neg", "x", "a"), node("Identity", "a", "b"), node("Identity", "b", "c"), node("Relu", "c", "y")]
    plan = bind(graph(passed, [value("x", 2)], ["y", "c", "a"]))
    assert [step.label for step in plan.steps] == ["Neg 'Neg_a'", "Relu 'Relu_y'"]
    found = executor.run(plan, {"x": np.float32([-1, 2])})
    assert {name: array.tolist() for name, array in found.items()} == {"y": [1, 0], "c": [1, -2], "a": [1, -2]}
    assert executor.run(bind(graph(passed, [value("x", 2)], ["y"]), fed=["b"]), {"b": np.float32([-3, 3])})["y"].tolist() == [0, 3]
    body = graph([node("Add", "v b", "w")], [value("v")], ["w"])
    attributes = {"body": Attribute(AttributeType.GRAPH, body), "num_scan_inputs": Attribute(AttributeType.INT, 1)}
    scan = Node("Scan", ("x",), ("z",), attributes=attributes, since_version=16)
    captured = bind(graph([node("Neg", "x", "a"), node("Identity", "a", "b"), scan], [value("x", 2)], ["z"]))
    assert executor.run(captured, {"x": np.float32([1, 2])})["z"].tolist() == [[0, -1], [1, 0]]


def test_a_constant_that_is_passed_on_and_written_is_copied() -> None:
    """The initializer of the graph stays as it is, however the mutated value is called."""
    nodes = [node("Identity", "w", "v"), node("InPlaceAccumulatorV2", "v g flag", "_ out", since=1, domain="com.microsoft")]
    held = np.float32([1, 2])
    plan = bind(graph(nodes, [value("g", 2), value("flag", 1)], ["out"], {"w": held}))
    assert executor.run(plan, {"g": np.float32([1, 1]), "flag": np.array([False])})["out"].tolist() == [2, 3]
    assert held.tolist() == [1, 2]


def test_bodies_share_the_room_for_constants() -> None:
    """A hundred branches that each make 16 MB of nothing make no more than one graph may."""
    nodes = []
    for index in range(100):
        body = graph([node("ConstantOfShape", "n", f"a{index}")], [], [f"a{index}"], {"n": np.array([1 << 22], np.int64)})
        nodes.append(_with_body("If", "c", f"y{index}", then_branch=body, else_branch=body))
    plan = bind(graph(nodes, [value("c")], [f"y{index}" for index in range(100)]))
    bodies = [body.plan.initializers for step in plan.steps for body in step.bodies.values()]
    assert 0 < sum(array.nbytes for initializers in bodies for array in initializers.values()) <= folding.MOST_BYTES


@pytest.mark.parametrize(
    "hostile",
    [
        graph([node("ConstantOfShape", "n", "y")], [], ["y"], {"n": HUGE}),
        graph([node("Gemm", "x", "y")], [value("x", 2, 2)], ["y"]),
        graph([node("Conv", "x w", "y", strides=(0, 0))], [value("x", 1, 1, 8, 8), value("w", 1, 1, 3, 3)], ["y"]),
        graph([node("Flatten", "x", "y")], [value("x", 1 << 40, 1 << 40)], ["y"]),
        graph([node("Flatten", "x", "y")], [value("x", 1 << 70)], ["y"]),
        graph([Node("Reshape", (), ("y",), since_version=13)], [], ["y"]),
    ],
)
def test_plans_that_cannot_run_can_be_described(hostile: Graph) -> None:
    """Without computing what would be huge."""
    assert str(bind(hostile).describe())


@pytest.mark.parametrize(
    "bad, expected",
    [
        (node("InstanceNormalization", "x x x", "y", epsilon="nearest"), "float"),
        (node("Softmax", "x", "y", axis="1"), "int"),
        (node("Einsum", "x x", "y", equation=1), "str"),
        (node("Conv", "x x", "y", pads=("1", "1")), "Sequence"),
        (node("ConstantOfShape", "x", "y", value=1.0), "ndarray"),
        (node("Conv", "x x", "y", pads=1), "Sequence"),
        (node("Conv", "x x", "y", strides=(1.0, 1.0)), "Sequence"),
        (node("Conv", "x x", "y", group=(1,)), "int"),
        (node("Conv", "x x", "y", group=2.0), "int"),
        (node("Conv", "x x", "y", auto_pad=("VALID",)), "str"),
    ],
)
def test_attributes_of_another_kind_are_refused(bad: Node, expected: str) -> None:
    """A text for a number can end the process: float8(text) of ml_dtypes 0.6 reads memory that is not there.

    Several for one, or fractions, some kernels would compute with.
    """
    with pytest.raises(InvalidInputError, match=f"{bad.op_type}.* expected .*{expected}"):
        bind(graph([bad], [value("x")], ["y"]))
