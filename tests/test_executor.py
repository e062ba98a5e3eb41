"""run: the right values, nothing written, complaints that name the node."""

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.plan import bind
from tests.graphs import graph, node, value


def test_outputs_may_be_left_out() -> None:
    """At the end (the loss without log_prob) and in the middle ("")."""
    loss = bind(graph([node("SoftmaxCrossEntropyLoss", "x l", "y")], [value("x"), value("l")], ["y"]))
    result = executor.run(loss, {"x": np.zeros((1, 4), np.float32), "l": np.array([2])})
    np.testing.assert_allclose(result["y"], np.log(4), rtol=1e-6)
    grad = bind(graph([node("ConvGrad", "dy x w", "_ dw", since=1, domain="com.microsoft")], [value("dy"), value("x"), value("w")], ["dw"]))
    ones = np.ones((1, 1, 2, 2), np.float32)
    assert executor.run(grad, {"dy": ones[..., :1, :1], "x": ones, "w": ones})["dw"].tolist() == ones.tolist()


def test_inputs_may_be_left_out() -> None:
    """A "" is None to the kernel: Clip without a lower bound."""
    plan = bind(graph([node("Clip", "x _ high", "y")], [value("x")], ["y"], {"high": np.float32(1)}))
    assert executor.run(plan, {"x": np.float32([-5, 5])})["y"].tolist() == [-5, 1]


def test_feeds_are_left_alone() -> None:
    """Read-only arrays can be fed; the mapping stays as it was."""
    plan = bind(graph([node("Neg", "x", "a"), node("Relu", "a", "y")], [value("x")], ["y"]))
    x = np.float32([-1, 1])
    x.flags.writeable = False
    feeds = {"x": x, "more": x}
    assert executor.run(plan, feeds)["y"].tolist() == [1, 0]
    assert feeds.keys() == {"x", "more"}


def test_missing_feeds_are_named() -> None:
    """All of them."""
    plan = bind(graph([node("Add", "x w", "y")], [value("x"), value("w")], ["y"]))
    with pytest.raises(InvalidInputError, match=r"needs the inputs \['x', 'w'\] as well"):
        executor.run(plan, {})


def test_complaints_name_the_node_and_the_shapes() -> None:
    """The kernel's own error keeps its type; numpy's becomes ours."""
    gemm = bind(graph([node("Gemm", "a b", "y")], [value("a"), value("b")], ["y"]))
    with pytest.raises(ShapeMismatchError, match="Gemm 'Gemm_y': A' B' needs"):
        executor.run(gemm, {"a": np.ones((2, 3)), "b": np.ones((2, 3))})
    add = bind(graph([node("Add", "a b", "y")], [value("a"), value("b")], ["y"]))
    with pytest.raises(InvalidInputError, match=r"Add 'Add_y' cannot run on a \(2,\), b \(3,\)"):
        executor.run(add, {"a": np.ones(2), "b": np.ones(3)})


def test_infinities_are_values() -> None:
    """Division by zero follows IEEE without a warning, as in ORT."""
    plan = bind(graph([node("Div", "x c", "y")], [value("x")], ["y"], {"c": np.float32([0])}))
    assert executor.run(plan, {"x": np.float32([1])})["y"].tolist() == [np.inf]


@pytest.mark.parametrize(
    "x, place",
    [
        ([4, 1], None),
        ([4, -1], "output 'r' of Sqrt 'Sqrt_r'"),
        ([4, 0], "output 'q' of Div 'Div_q'"),
        ([0, -1], "output 'r' of Sqrt 'Sqrt_r'"),
        ([np.inf, 1], "input 'x'"),
        ([np.nan, 1], "input 'x'"),
    ],
)
def test_the_first_place_of_nan_is_found(x: list[float], place: str | None) -> None:
    """Roots of negative numbers before their sum; of an infinity only where there is no NaN; integers cannot have either."""
    nodes = [node("Cast", "x", "i", to=7), node("Div", "one x", "q"), node("Sqrt", "x", "r"), node("Add", "q r", "y")]
    plan = bind(graph(nodes, [value("x")], ["y", "i"], {"one": np.float32(1)}))
    assert executor.first_non_finite(plan, {"x": np.float32(x)}) == place


def test_looking_for_nan_changes_nothing() -> None:
    """Not even the buffer that the pass is meant to write."""
    accumulate = node("InPlaceAccumulatorV2", "buffer x reset", "out", since=1, domain="com.microsoft")
    plan = bind(graph([accumulate], [value("buffer"), value("x"), value("reset")], ["out"]))
    buffer = np.float32([1])
    feeds = {"buffer": buffer, "x": np.float32([2]), "reset": np.array([False])}
    assert executor.first_non_finite(plan, feeds) is None
    assert buffer.tolist() == [1]


def test_an_output_that_the_op_leaves_out_cannot_be_read() -> None:
    """Neither by a later op nor by who runs the graph."""
    for nodes in ([node("Neg", "x", "a y")], [node("Neg", "x", "a b"), node("Abs", "b", "y")]):
        plan = bind(graph(nodes, [value("x")], ["y"]))
        with pytest.raises(InvalidInputError, match="leaves that output out"):
            executor.run(plan, {"x": np.float32([1])})
