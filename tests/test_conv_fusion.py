"""fused: convolution, residual and activation in one step, and the same numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.graph import Graph, Node
from pagetrain.plan import Plan, bind
from tests.graphs import graph, node, value
from tests.memory_measured import peak_of

pytestmark = pytest.mark.usefixtures("on_numpy")

RANDOM = np.random.default_rng(3)
X, Z = (RANDOM.standard_normal((2, channels, 6, 5)).astype(np.float32) for channels in (4, 3))
CONSTANTS = {
    "w": RANDOM.standard_normal((3, 4, 3, 3)).astype(np.float32),
    "b": RANDOM.standard_normal(3).astype(np.float32),
    "low": np.float32(-0.5),
    "high": np.float32([0.75]),
}
CONV = node("Conv", "x w b", "c", pads=(1, 1, 1, 1))
ADD = node("Add", "c z", "s")
INPUTS = [value("x", "batch", 4, 6, 5), value("z", "batch", 3, 6, 5)]
FEEDS = {"x": X, "z": Z}
CLIP = node("Clip", "s low high", "y")
CLIP_R = node("Clip", "r low high", "y")


def _graph(*nodes: Node, outputs: str = "y", constants: Mapping[str, Any] = CONSTANTS, **more: Any) -> Graph:
    return graph(nodes, INPUTS, outputs.split(), constants, **more)


def _ops(plan: Plan) -> list[str]:
    return [step.kernel.op_type for step in plan.steps]


def _one_by_one(of: Graph) -> dict[str, np.ndarray]:
    """Its values, each by a plan of one node."""
    values: dict[str, np.ndarray] = dict(FEEDS)
    for each in of.nodes:
        plan = bind(of, [name for name in each.outputs if name], fed=list(values))
        assert _ops(plan) == [each.op_type]
        values |= executor.run(plan, values)
    return values


@pytest.mark.parametrize(
    "activation",
    [
        node("Relu", "s", "y"),
        CLIP,
        node("Clip", "s low", "y"),
        node("Clip", "s _ high", "y"),
        node("Clip", "s", "y", 6, min=-0.5, max=0.5),
        node("Clip", "s", "y", 6, min=-0.5),
    ],
    ids=lambda one: f"{one.op_type} {' '.join(one.inputs[1:])}{list(one.attributes)}",
)
@pytest.mark.parametrize("order", ["c z", "z c"])
def test_a_chain_is_one_step(activation: Node, order: str) -> None:
    """Bit for bit what the steps one by one give: the same operations on the same numbers."""
    chain = _graph(CONV, node("Add", order, "s"), activation)
    plan = bind(chain)
    assert _ops(plan) == ["FusedConv"]
    np.testing.assert_array_equal(executor.run(plan, FEEDS)["y"], _one_by_one(chain)["y"])


@pytest.mark.parametrize("nodes", [(CONV, node("Relu", "c", "y")), (CONV, node("Add", "c z", "y"))])
def test_residual_and_activation_do_not_need_each_other(nodes: tuple[Node, ...]) -> None:
    """Either is joined alone."""
    plan = bind(_graph(*nodes))
    assert _ops(plan) == ["FusedConv"]
    np.testing.assert_array_equal(executor.run(plan, FEEDS)["y"], _one_by_one(_graph(*nodes))["y"])


def test_without_bias() -> None:
    """Its place stays empty."""
    chain = _graph(node("Conv", "x w", "c", pads=(1, 1, 1, 1)), ADD, CLIP)
    assert bind(chain).steps[0].inputs == ("x", "w", "", "z")
    np.testing.assert_array_equal(executor.run(bind(chain), FEEDS)["y"], _one_by_one(chain)["y"])


def test_the_label_names_all_of_it() -> None:
    """For messages."""
    assert bind(_graph(CONV, ADD, CLIP)).steps[0].label == "Conv 'Conv_c' + Add 'Add_s' + Clip 'Clip_y'"


def test_what_is_read_or_wanted_ends_the_chain() -> None:
    """A gradient may read the activation's input, somebody may want the convolution's own result."""
    assert _ops(bind(_graph(CONV, ADD, CLIP, outputs="y s"))) == ["FusedConv", "Clip"]
    assert _ops(bind(_graph(CONV, ADD, CLIP, outputs="y c"))) == ["Conv", "Add", "Clip"]
    assert _ops(bind(_graph(CONV, ADD, CLIP, node("Neg", "s", "n"), outputs="y n"))) == ["FusedConv", "Clip", "Neg"]
    assert _ops(bind(_graph(CONV, node("Add", "c c", "s"), CLIP))) == ["Conv", "Add", "Clip"]


def test_one_activation_and_one_residual() -> None:
    """FusedConv has no place for more, nor for an Add behind the activation."""
    assert _ops(bind(_graph(CONV, node("Relu", "c", "r"), CLIP_R))) == ["FusedConv", "Clip"]
    assert _ops(bind(_graph(CONV, node("Relu", "c", "r"), node("Add", "r z", "y")))) == ["FusedConv", "Add"]
    assert _ops(bind(_graph(CONV, ADD, node("Add", "s z", "y")))) == ["FusedConv", "Add"]


def test_other_activations_stay_apart() -> None:
    """They do not clamp."""
    assert _ops(bind(_graph(CONV, node("LeakyRelu", "c", "y")))) == ["Conv", "LeakyRelu"]


def test_bounds_that_are_not_known_yet_stay_apart() -> None:
    """They may be others at each pass; an array is none."""
    fed = graph([CONV, node("Clip", "c low high", "y")], [*INPUTS, value("low")], ["y"], {n: a for n, a in CONSTANTS.items() if n != "low"})
    assert _ops(bind(fed)) == ["Conv", "Clip"]
    assert _ops(bind(_graph(CONV, node("Clip", "c b", "y")))) == ["Conv", "Clip"]


def test_a_sum_with_something_else_than_a_residual_stays() -> None:
    """A constant, or a value that the graph declares in another shape; grouped convolutions have few channels to a sum."""
    assert _ops(bind(_graph(CONV, node("Add", "c low", "y")))) == ["Conv", "Add"]
    gate = [node("GlobalAveragePool", "z", "g"), node("Add", "c g", "y")]
    declared = [value("c", "batch", 3, 6, 5), value("g", "batch", 3, 1, 1)]
    assert _ops(bind(_graph(CONV, *gate, value_info=declared))) == ["Conv", "GlobalAveragePool", "Add"]
    depthwise = node("Conv", "z d", "c", group=3)
    assert _ops(bind(_graph(depthwise, node("Add", "c x", "y"), constants={"d": np.ones((3, 1, 1, 1), np.float32)}))) == ["Conv", "Add"]


@pytest.mark.parametrize(
    "nodes",
    [
        (node("GlobalAveragePool", "z", "g"), CONV, node("Add", "c g", "y")),
        (node("GlobalAveragePool", "x", "g"), node("Conv", "g w1", "c"), node("Add", "c z", "y")),
    ],
    ids=["to the result", "beyond it"],
)
def test_a_residual_that_broadcasts_is_right_all_the_same(nodes: tuple[Node, ...]) -> None:
    """Where the graph declares no shapes."""
    chain = _graph(*nodes, constants=CONSTANTS | {"w1": CONSTANTS["w"][:, :, :1, :1]})
    assert _ops(bind(chain)) == ["GlobalAveragePool", "FusedConv"]
    # a backend that leaves such sums to numpy adds the 36 products in another order: float32, results below 20
    np.testing.assert_allclose(executor.run(bind(chain), FEEDS)["y"], _one_by_one(chain)["y"], rtol=0, atol=1e-4)


def test_of_two_convolutions_the_later_takes_the_sum() -> None:
    """The shortcut of a residual block that changes the size."""
    shortcut = node("Conv", "z v", "k")
    chain = _graph(CONV, shortcut, node("Add", "c k", "s"), CLIP, constants=CONSTANTS | {"v": np.ones((3, 3, 1, 1), np.float32)})
    plan = bind(chain)
    assert [(step.kernel.op_type, step.inputs) for step in plan.steps] == [("Conv", ("x", "w", "b")), ("FusedConv", ("z", "v", "", "c"))]
    np.testing.assert_array_equal(executor.run(plan, FEEDS)["y"], _one_by_one(chain)["y"])


def test_a_normalization_between_is_no_obstacle() -> None:
    """It is folded first."""
    sides = {name: RANDOM.uniform(0.5, 2, 3).astype(np.float32) for name in ("scale", "bias", "mean", "var")}
    chain = _graph(CONV, node("BatchNormalization", "c scale bias mean var", "n", 15), node("Relu", "n", "y"), constants=CONSTANTS | sides)
    assert _ops(bind(chain)) == ["FusedConv"]


def test_training_graphs_keep_what_the_gradient_reads() -> None:
    """ReluGrad goes by the result, so the chain is one step; the gradient of Clip asks where its input lay."""
    relu = [CONV, node("Relu", "c", "r"), node("ReluGrad", "z r", "y", 1, "com.microsoft")]
    assert _ops(bind(_graph(*relu))) == ["FusedConv", "ReluGrad"]
    clip = [CONV, node("Clip", "c low high", "r"), node("GreaterOrEqual", "c low", "y")]
    assert _ops(bind(_graph(*clip, outputs="r y"))) == ["Conv", "Clip", "GreaterOrEqual"]


def test_the_memory_of_the_joined_step_is_known() -> None:
    """Within 20 percent of what numpy allocates; one array less than by two steps."""
    plan = bind(_graph(CONV, ADD, CLIP))
    feeds = {name: np.concatenate([array] * 2000) for name, array in FEEDS.items()}
    expected, measured = plan.describe({"batch": 4000}).peak, peak_of(lambda: executor.run(plan, feeds))
    assert abs(expected - measured) <= 0.2 * measured
