"""Optimizer."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import CheckpointState, LinearLRScheduler, Module, Optimizer
from pagetrain.errors import InvalidInputError, StateError
from tests.api.golden import Golden
from tests.graphs import graph, model, node, value

MLP = Golden("mlp_ce_adamw_frozen")
MS = "com.microsoft"


def sgd(*more_inputs: str) -> Optimizer:
    """Plain gradient descent over the golden model's module."""
    names = ("learning_rate", "step", "params", "gradients", *more_inputs)
    of = graph([node("SGDOptimizerV2", "learning_rate params gradients", "updated", 1, MS)], [value(name) for name in names], ["updated"])
    return Optimizer(model(of), MLP.trainer()[0])


def test_default_learning_rate_is_ort_s() -> None:
    """0.001 as float32 has it; set and read back, and kept in the state."""
    state = CheckpointState.load_checkpoint(MLP.path("checkpoint"))
    module = Module(MLP.path("training_model.ort"), state)
    fresh = Optimizer(MLP.path("optimizer_model.ort"), module)
    assert fresh.get_learning_rate() == np.float32(0.001)
    optimizer = Optimizer(MLP.path("optimizer_model.ort").read_bytes(), module)
    optimizer.set_learning_rate(0.1)
    assert optimizer.get_learning_rate() == np.float32(0.1) == state.optimizer.learning_rate


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), 1e39])
def test_rates_that_ruin_all_parameters_are_refused(rate: float) -> None:
    """By the optimizer and by a scheduler; the rate from before stays."""
    _, optimizer = MLP.trainer()
    optimizer.set_learning_rate(-1)  # which climbs, as somebody may wish
    for act in (optimizer.set_learning_rate, lambda rate: LinearLRScheduler(optimizer, 1, 10, rate)):
        with pytest.raises(InvalidInputError, match="would ruin all parameters"):
            act(rate)
    assert optimizer.get_learning_rate() == -1
    assert optimizer.state.optimizer.initial_lr == np.float32(0.001)


def test_steps_are_counted_in_the_state() -> None:
    """A step without gradients moves nothing (no decay here), counts all the same, and makes the moments; gradients stay."""
    module, optimizer = MLP.trainer()
    before = module.get_contiguous_parameters()
    optimizer.step()
    optimizer.step()
    assert module.state.optimizer.step == 2
    assert set(module.state.optimizer.momentums) == set(MLP.meta["requires_grad"])
    np.testing.assert_array_equal(module.get_contiguous_parameters(), before)
    module(*MLP.batch(0))
    gradient = module.state.parameters["fc2.bias"].grad
    assert gradient is not None
    kept = gradient.copy()
    optimizer.step()
    np.testing.assert_array_equal(gradient, kept)


def test_frozen_parameters_stay() -> None:
    """Bit by bit."""
    module, optimizer = MLP.trainer()
    frozen = {name: module.state.parameters[name].data.copy() for name in MLP.meta["frozen"]}
    module(*MLP.batch(0))
    optimizer.step()
    for name, data in frozen.items():
        np.testing.assert_array_equal(module.state.parameters[name].data, data)


@pytest.mark.parametrize("moments", [(), ("first_order_moments",)])
def test_optimizers_with_fewer_moments_work(moments: tuple[str, ...]) -> None:
    """SGD: w - lr g, exactly, whether or not the graph names a first moment."""
    optimizer = sgd(*moments)
    optimizer.set_learning_rate(0.5)
    parameter = optimizer.state.parameters["fc2.bias"]
    assert parameter.grad is not None
    before, parameter.grad[...] = parameter.data.copy(), 0.25
    optimizer.step()
    np.testing.assert_array_equal(parameter.data, before - np.float32(0.125))


def test_other_graphs_are_refused() -> None:
    """With the inputs that an optimizer graph has."""
    module, _ = MLP.trainer()
    with pytest.raises(InvalidInputError, match="An optimizer graph has the inputs"):
        Optimizer(MLP.path("eval_model.ort"), module)
    with pytest.raises(InvalidInputError, match="An optimizer graph has the inputs"):
        sgd("second_order_moments")


def test_moments_of_another_optimizer_are_refused() -> None:
    """A state that AdamW has stepped cannot go on with one moment in silence."""
    optimizer = sgd("first_order_moments")
    optimizer.state.allocate_moments(("momentum0", "momentum1"))
    with pytest.raises(StateError, match="moments"):
        optimizer.step()


def test_training_goes_on_from_a_checkpoint_with_optimizer_state() -> None:
    """Saved after three steps and loaded, the last two steps are those of the uninterrupted run."""
    module, optimizer = MLP.trainer()
    for step in range(3):
        module(*MLP.batch(step))
        optimizer.step()
        module.lazy_reset_grad()
    state = CheckpointState.load_checkpoint(module.state.to_bytes(include_optimizer_state=True))
    resumed = Module(MLP.path("training_model.ort"), state)
    resumed_optimizer = Optimizer(MLP.path("optimizer_model.ort"), resumed)
    resumed_optimizer.set_learning_rate(MLP.meta["lr"])
    for one, with_optimizer in ((module, optimizer), (resumed, resumed_optimizer)):
        for step in (3, 4):
            one(*MLP.batch(step))
            with_optimizer.step()
            one.lazy_reset_grad()
    np.testing.assert_array_equal(resumed.get_contiguous_parameters(), module.get_contiguous_parameters())
