"""joined: the nodes of Clip's gradient are one step."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.graph import ElementType, Graph, Node
from pagetrain.plan import Plan, bind
from tests.graphs import graph, node, value
from tests.memory_measured import peak_of

FLOAT = int(ElementType.FLOAT)
BOUNDS = {"low": np.float32(-1), "high": np.float32([2])}
X = np.float32([[-np.inf, -1.5, -1, -0.0, 1.5], [2, 2.5, np.inf, np.nan, 1]])
DY = np.float32([[1, 2, 3, 4, 5], [6, 7, 8, 9, -10]])
INPUTS = [value("x", 2, 5), value("dy", 2, 5)]
BOTH = (
    node("GreaterOrEqual", "x low", "g"),
    node("LessOrEqual", "x high", "l"),
    node("And", "g l", "a"),
    node("Cast", "a", "m", to=FLOAT),
    node("Mul", "dy m", "dx"),
)


def _graph(*nodes: Node, outputs: str = "dx", inputs: list[object] = INPUTS, constants: dict[str, np.ndarray] = BOUNDS) -> Graph:
    return graph(nodes, inputs, outputs.split(), constants)


def _ops(plan: Plan) -> list[str]:
    return [step.kernel.op_type for step in plan.steps]


@pytest.mark.parametrize(
    "nodes, low, high",
    [
        (BOTH, -1, 2),
        ((*BOTH[:2], node("And", "l g", "a"), BOTH[3], node("Mul", "m dy", "dx")), -1, 2),
        ((BOTH[0], node("Cast", "g", "m", to=FLOAT), BOTH[4]), -1, np.inf),
        ((BOTH[1], node("Cast", "l", "m", to=FLOAT), BOTH[4]), -np.inf, 2),
    ],
    ids=["two bounds", "the other way round", "the lower", "the upper"],
)
def test_it_is_one_step(nodes: tuple[Node, ...], low: float, high: float) -> None:
    """dY in the closed interval, 0 outside and for NaN: what the nodes say, by the rules of IEEE comparisons."""
    plan = bind(_graph(*nodes))
    assert _ops(plan) == ["ClipGradient"]
    expected = [[dy if low <= x <= high else 0 for x, dy in zip(*rows, strict=True)] for rows in zip(X, DY, strict=True)]
    found = executor.run(plan, {"x": X, "dy": DY})["dx"]
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.float32


def test_a_gradient_that_is_lost_anyway_is_no_nan() -> None:
    """The one difference to the nodes: infinity times 0 would be NaN."""
    found = executor.run(bind(_graph(*BOTH)), {"x": X, "dy": np.full_like(X, np.inf)})["dx"]
    assert not np.isnan(found).any()


def test_what_is_not_such_a_gradient_stays() -> None:
    """A mask that is read elsewhere or wanted, bounds that are fed or are arrays, two different X, a mask of two lower bounds."""
    apart = ["GreaterOrEqual", "LessOrEqual", "And", "Cast", "Mul"]
    assert _ops(bind(_graph(*BOTH, outputs="dx m"))) == apart
    assert _ops(bind(_graph(*BOTH, node("Not", "a", "n"), outputs="dx n"))) == [*apart, "Not"]
    assert _ops(bind(_graph(*BOTH, inputs=[*INPUTS, value("low")], constants={"high": BOUNDS["high"]}))) == apart
    assert _ops(bind(_graph(*BOTH, constants={**BOUNDS, "high": np.ones((2, 5), np.float32)}))) == apart
    assert _ops(bind(_graph(BOTH[0], node("LessOrEqual", "dy high", "l"), *BOTH[2:]))) == apart
    twice = _graph(BOTH[0], node("GreaterOrEqual", "x high", "l"), *BOTH[2:])
    assert _ops(bind(twice)) == ["GreaterOrEqual", "GreaterOrEqual", "And", "Cast", "Mul"]


@pytest.mark.usefixtures("on_numpy")
def test_its_memory_is_known() -> None:
    """Within 20 percent of what numpy allocates."""
    plan = bind(graph(BOTH, [value("x", "n"), value("dy", "n")], ["dx"], BOUNDS))
    feeds = {name: np.ones(1_000_000, np.float32) for name in ("x", "dy")}
    expected, measured = plan.describe({"n": 1_000_000}).peak, peak_of(lambda: executor.run(plan, feeds))
    assert abs(expected - measured) <= 0.2 * measured
