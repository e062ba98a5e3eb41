"""folded: convolution and normalization in one step, and the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.graph import ElementType, Graph, Node, Tensor
from pagetrain.plan import Plan, bind
from tests.graphs import graph, node, value

RANDOM = np.random.default_rng(11)
SIDES = {name: RANDOM.uniform(0.5, 2, 6).astype(np.float32) for name in ("scale", "bias", "mean", "var", "b")}
W = RANDOM.standard_normal((6, 2, 3, 3)).astype(np.float32)
X = RANDOM.standard_normal((2, 4, 7, 7)).astype(np.float32)
CONSTANTS = {"w": W, **SIDES}


def _model(
    *more: Node,
    inputs: str = "x w b",
    constants: dict[str, Any] = CONSTANTS,
    parameters: Sequence[str] = (),
    outputs: str = "y",
    normalized: str = "y",
    **attributes: Any,
) -> Graph:
    """A grouped convolution, the normalization of its result c, and more."""
    nodes = [
        node("Conv", inputs, "c", group=2),
        node("BatchNormalization", "c scale bias mean var", normalized, epsilon=0.01, **{"since": 15} | attributes),
        *more,
    ]
    given = [value("x", *X.shape), *(value(name, *CONSTANTS[name].shape) for name in parameters)]
    return graph(nodes, given, outputs.split(), {name: array for name, array in constants.items() if name not in parameters})


def _ops(plan: Plan) -> list[str]:
    return [step.kernel.op_type for step in plan.steps]


def _apart(inputs: str = "x w b") -> np.ndarray:
    """Y by two plans, one for the convolution and one for the normalization, in float64."""
    wide = {name: array.astype(np.float64) for name, array in CONSTANTS.items()}
    (c,) = executor.run(bind(_model(inputs=inputs, constants=wide), ["c"]), {"x": X.astype(np.float64)}).values()
    rest = bind(_model(inputs=inputs, constants=wide), ["y"], fed=["c"])
    assert _ops(rest) == ["BatchNormalization"]
    return np.asarray(executor.run(rest, {"c": c})["y"])


@pytest.mark.parametrize("inputs", ["x w b", "x w"])
def test_constants_are_folded_once(inputs: str) -> None:
    """One step is left, and its result is that of the two; with and without bias."""
    plan = bind(_model(inputs=inputs))
    assert _ops(plan) == ["Conv"]
    # float32 sums of 18 products, against float64
    np.testing.assert_allclose(executor.run(plan, {"x": X})["y"], _apart(inputs), rtol=1e-5, atol=1e-5)


def test_parameters_are_folded_in_each_pass() -> None:
    """A new value of a parameter counts at once; nothing of the old one is kept."""
    plan = bind(_model(parameters=list(CONSTANTS)))
    assert _ops(plan) == ["FoldBatchNormalization", "Conv"]
    np.testing.assert_allclose(executor.run(plan, {"x": X, **CONSTANTS})["y"], _apart(), rtol=1e-5, atol=1e-5)
    half = executor.run(plan, {"x": X, **CONSTANTS, "scale": SIDES["scale"] / 2, "bias": SIDES["bias"] / 2})["y"]
    np.testing.assert_allclose(half, _apart() / 2, rtol=1e-5, atol=1e-5)


def test_two_convolutions_may_share_their_weights() -> None:
    """Each gets filters of its own."""
    again = [node("Conv", "x w", "d", group=2), node("BatchNormalization", "d bias scale mean var", "z", since=15, epsilon=0.01)]
    plan = bind(_model(*again, inputs="x w", outputs="y z"))
    assert _ops(plan) == ["Conv", "Conv"]
    found = executor.run(plan, {"x": X})
    np.testing.assert_allclose(found["y"], _apart("x w"), rtol=1e-5, atol=1e-5)
    scale, bias = (SIDES[name].reshape(-1, 1, 1) for name in ("scale", "bias"))
    np.testing.assert_allclose(found["z"], (found["y"] - bias) / scale * bias + scale, rtol=1e-4, atol=1e-4)


def test_parameters_may_have_other_names() -> None:
    """Exporters share parameters through Identity, even between the convolution and the normalization, or write them as Constant."""
    renamed = {"var": "v", "scale": "s"}
    nodes = [
        node("Conv", "x w b", "c", group=2),
        node("Identity", "v", "var"),
        node("Constant", "", "scale", value=Tensor("", SIDES["scale"])),
        node("BatchNormalization", "c scale bias mean var", "y", epsilon=0.01, since=15),
    ]
    constants = {renamed.get(name, name): array for name, array in CONSTANTS.items() if name != "scale"}
    plan = bind(graph(nodes, [value("x", *X.shape)], ["y"], constants))
    assert _ops(plan) == ["Conv"]
    np.testing.assert_allclose(executor.run(plan, {"x": X})["y"], _apart(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(_model(node("Neg", "c", "z"), outputs="y z"), id="somebody else reads the convolution"),
        pytest.param(_model(outputs="y c"), id="the convolution is wanted"),
        pytest.param(_model(training_mode=1, normalized="y m v"), id="statistics of the batch"),
        pytest.param(_model(since=9, normalized="y m"), id="further results"),
        pytest.param(_model(constants={**CONSTANTS, "w": W.astype(np.float16)}), id="another type"),
        pytest.param(
            graph(
                [
                    node("Conv", "x w", "c", group=2),
                    node("Neg", "x", "scale"),
                    node("BatchNormalization", "c scale bias mean var", "y", since=15),
                ],
                [value("x", *X.shape)],
                ["y"],
                {name: array for name, array in CONSTANTS.items() if name != "scale"},
            ),
            id="a scale that is computed",
        ),
    ],
)
def test_what_cannot_be_folded_stays(model: Graph) -> None:
    """The normalization is a step of its own."""
    assert "BatchNormalization" in _ops(bind(model))


def test_statistics_of_every_position_stay() -> None:
    """spatial=0 of opset 7."""
    assert "BatchNormalization" in _ops(bind(_model(since=7, spatial=0)))


def test_half_precision_parameters_stay() -> None:
    """A filter would be rounded once more."""
    halves = [value("x", *X.shape), *(value(name, *array.shape, element=ElementType.FLOAT16) for name, array in CONSTANTS.items())]
    plan = bind(graph(list(_model().nodes), halves, ["y"]))
    assert _ops(plan) == ["Conv", "BatchNormalization"]
