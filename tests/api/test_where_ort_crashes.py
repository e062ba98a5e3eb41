"""Where ONNX Runtime ends the process or is silently wrong: the rows of docs/migrating.md that are the trainer's."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import CheckpointState, LinearLRScheduler, Module, Optimizer
from pagetrain.errors import InvalidInputError, StateError
from tests.api.golden import Golden

GOLDEN = Golden("mlp_ce_adamw_frozen")


def test_an_eval_step_without_an_eval_model() -> None:
    """StateError, and no name of an input."""
    module = Module(GOLDEN.path("training_model.onnx"), CheckpointState.load_checkpoint(GOLDEN.path("checkpoint"))).eval()
    assert (module.input_names(), module.output_names()) == ([], [])
    with pytest.raises(StateError, match="eval model"):
        module.eval_step({})


def test_parameters_are_set_before_there_is_a_module() -> None:
    """By either way of setting them, and a Module made later trains on these values."""
    state = CheckpointState.load_checkpoint(GOLDEN.path("checkpoint"))
    ones, twos = np.ones_like(state.parameters["fc2.bias"].data), np.full_like(state.parameters["fc2.weight"].data, 2)
    state.parameters["fc2.bias"] = ones
    state.parameters["fc2.weight"].data = twos
    module = Module(GOLDEN.path("training_model.onnx"), state)
    np.testing.assert_array_equal(module.state.parameters["fc2.bias"].data, ones)
    np.testing.assert_array_equal(module.state.parameters["fc2.weight"].data, twos)


def test_the_learning_rate_of_a_nominal_state() -> None:
    """It is there, is kept, and a scheduler sets it."""
    _, optimizer = GOLDEN.trainer("nominal_checkpoint")
    optimizer.set_learning_rate(0.5)
    assert optimizer.get_learning_rate() == 0.5
    LinearLRScheduler(optimizer, 0, 10, 0.25)
    assert optimizer.get_learning_rate() == 0.25


def test_warm_up_and_total_are_not_swapped() -> None:
    """Three steps up, seven down: the formula at each step."""
    module, optimizer = GOLDEN.trainer()
    scheduler, rates = LinearLRScheduler(optimizer, 3, 10, 0.01), []
    for step in range(11):
        rates.append(optimizer.get_learning_rate())
        module(*GOLDEN.batch(step % 2))
        optimizer.step()
        scheduler.step()
    np.testing.assert_allclose(rates, [0.01 * (s / 3 if s < 3 else (10 - s) / 7) for s in range(11)], rtol=1e-6)


def test_properties_keep_what_they_are_given() -> None:
    """A float of numpy stays one, and a number that no field can hold is refused."""
    state = CheckpointState.load_checkpoint(GOLDEN.path("checkpoint"))
    state.properties["rate"] = float(np.float32(1.5))
    state.properties["half"] = np.float32(0.5)  # type: ignore[assignment]
    assert (state.properties["rate"], state.properties["half"]) == (1.5, 0.5)
    with pytest.raises(InvalidInputError, match="64 bits"):
        state.properties["large"] = 2**64
    assert "half" in repr(state.properties)
    assert "fc2.weight" in repr(state.parameters)


def test_the_state_of_another_optimizer_is_named() -> None:
    """AdamW on what SGD left."""
    other = Golden("mlp_mse_sgd")
    module, optimizer = other.trainer()
    module(*other.batch(0))
    optimizer.step()
    state = CheckpointState.load_checkpoint(module.state.to_bytes(include_optimizer_state=True))
    adamw = Optimizer(GOLDEN.path("optimizer_model.onnx"), Module(other.path("training_model.onnx"), state))
    name = state.trainable_names[0]
    with pytest.raises(StateError, match=rf"{name}.*\['momentum0'\].*'momentum1'"):
        adamw.step()


def test_other_devices_are_refused() -> None:
    """By name; "cpu:0" is the CPU."""
    state = CheckpointState.load_checkpoint(GOLDEN.path("checkpoint"))
    Module(GOLDEN.path("training_model.onnx"), state, device="cpu:0")
    with pytest.raises(InvalidInputError, match="'cuda:0'"):
        Module(GOLDEN.path("training_model.onnx"), state, device="cuda:0")
