"""What is prepared of constant filters is memory, too: describe() tells it as it is measured."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import CheckpointState, Module
from pagetrain.graph import ElementType
from pagetrain.ortformat.checkpoint import CheckpointData
from pagetrain.plan import bind
from tests.graphs import graph, model, node, value
from tests.memory_measured import kept_by

pytestmark = pytest.mark.usefixtures("on_numpy")

# Where there is something, it is 0.5 MB and more; the plan's own Python objects are some KB.
OBJECTS = 30_000
SHAPES = {
    "a window": ((256, 64, 3, 3), 1),
    "in groups": ((256, 128, 3, 3), 2),
    "one filter for each channel": ((16_384, 1, 3, 3), 16_384),
    "one pixel": ((512, 512, 1, 1), 1),
}


@pytest.mark.parametrize("shape, group", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_filters_that_are_laid_out(shape: tuple[int, ...], group: int, dtype: type) -> None:
    """Beside the initializer, which the graph holds anyway: a copy, if it does not lie so already; half precision is widened."""
    W = np.ones(shape, dtype)
    made = graph([node("Conv", "x w", "y", group=group)], [value("x")], ["y"], {"w": W})
    plan, measured = kept_by(lambda: bind(made))
    assert abs(plan.describe().constants - W.nbytes - measured) < OBJECTS


def test_filters_that_a_normalization_is_folded_into() -> None:
    """The folded ones and their laid-out copy; not those of the file, which nothing reads any more."""
    nodes = [node("Conv", "x w", "c"), node("BatchNormalization", "c s s s s", "y", 15)]
    made = graph(nodes, [value("x")], ["y"], {"w": np.ones((256, 64, 3, 3), np.float32), "s": np.ones(256, np.float32)})
    plan, measured = kept_by(lambda: bind(made))
    assert abs(plan.describe().constants - measured) < OBJECTS


def test_in_a_body() -> None:
    """Of an If, which keeps what its branches need."""
    W = np.ones((256, 64, 3, 3), np.float32)
    branch = graph([node("Conv", "x w", "y")], [], ["y"], {"w": W})
    branches = {"then_branch": branch, "else_branch": graph([node("Neg", "x", "y")], [], ["y"])}
    made = graph([node("If", "which", "y", **branches)], [value("x"), value("which")], ["y"])
    plan, measured = kept_by(lambda: bind(made))
    assert abs(plan.describe().constants - W.nbytes - measured) < OBJECTS


def test_frozen_parameters_of_a_module() -> None:
    """Parameters are told apart, as what the state holds; what the plan prepares of them when it first runs counts.

    The values in between have no types: their shapes are followed.
    """
    frozen, trained = np.ones((128, 64, 3, 3), np.float32), np.ones((4, 128), np.float32)
    nodes = [
        node("Conv", "x k", "c"),
        node("Flatten", "c", "f"),
        node("Gemm", "f w", "y", transB=1),
        node("ReduceSum", "y", "loss", keepdims=0),
        node("Gemm", "y f", "w_grad", transA=1),
        node("InPlaceAccumulatorV2", "w_grad.accumulation.buffer w_grad lazy_reset_grad", "w_grad.accumulation.out", 1, "com.microsoft"),
    ]
    inputs = [value("x", "N", 64, 3, 3), value("k", *frozen.shape), value("w", *trained.shape)]
    inputs += [value("w_grad.accumulation.buffer", *trained.shape), value("lazy_reset_grad", 1, element=ElementType.BOOL)]
    training = model(graph(nodes, inputs, ["loss", "w_grad.accumulation.out"]))
    state = CheckpointState(CheckpointData({"w": trained}, {"k": frozen}))

    def used() -> Module:
        module = Module(training, state)
        module.train_step({"x": np.ones((1, 64, 3, 3), np.float32)})
        return module

    module, measured = kept_by(used)
    description = module.describe(1)
    assert abs(description.step.constants - measured) < OBJECTS
    assert description.step.constants == frozen.nbytes  # as much again as the parameters
    assert description.kept == {"f": 4 * 128}
