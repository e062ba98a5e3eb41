"""What is done to gradients between train steps and the optimizer's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pagetrain import CheckpointState, Module, average_grad, clip_grad_norm, non_finite_grad
from pagetrain.errors import InvalidInputError, StateError, TrainingDivergedError
from tests.api.golden import Golden

CLIPPED = Golden("mlp_clipgrad")  # ORT's own artifacts, with ClipGradNorm in the optimizer graph
MAX_NORM = 0.05  # stands in that graph


def gradients(module: Module) -> dict[str, np.ndarray]:
    """Copies, by parameter."""
    made = {name: module.state.parameters[name].grad for name in module.state.trainable_names}
    return {name: gradient.copy() for name, gradient in made.items() if gradient is not None}


def test_clipping_is_ort_s() -> None:
    """From the gradients that ORT's train step made to those that its optimizer step left, which clips them in place; n is their norm."""
    module, _ = CLIPPED.trainer()
    for name in module.state.trainable_names:
        gradient = module.state.parameters[name].grad
        assert gradient is not None
        gradient[...] = CLIPPED.trace[f"grad_after_train_step/0/{name}"]
    flat = np.concatenate([gradient.ravel() for gradient in gradients(module).values()])
    assert clip_grad_norm(module.state, MAX_NORM) == pytest.approx(np.linalg.norm(flat.astype(np.float64)), rel=1e-12)  # both are float64
    for name, gradient in gradients(module).items():
        np.testing.assert_allclose(gradient, CLIPPED.trace[f"grad_after_opt/1/{name}"], rtol=1e-5)  # their norm is a float32 sum


def test_small_gradients_are_not_clipped() -> None:
    """Nothing is written; the norm is told all the same."""
    module, _ = CLIPPED.trainer()
    module(*CLIPPED.batch(0))
    before = gradients(module)
    assert 0 < clip_grad_norm(module.state, 1e6) < 1e6
    for name, gradient in gradients(module).items():
        np.testing.assert_array_equal(gradient, before[name])


@pytest.mark.parametrize("max_norm", [0, -1, float("nan"), float("inf"), "1", None])
def test_senseless_norms_are_refused(max_norm: Any) -> None:
    """Clipping to nothing is no training, to infinity no clipping."""
    with pytest.raises(InvalidInputError, match="max_norm"):
        clip_grad_norm(CLIPPED.trainer()[0].state, max_norm)


def test_the_mean_of_added_gradients_is_that_of_one_larger_batch() -> None:
    """Two batches of the same size, added up and averaged: the gradient of both in one."""
    module, _ = CLIPPED.trainer()
    (x, labels), (more_x, more_labels) = CLIPPED.batch(0), CLIPPED.batch(1)
    module(x, labels)
    module(more_x, more_labels)
    average_grad(module.state, 2)
    accumulated = gradients(module)
    module.lazy_reset_grad()
    module(np.concatenate([x, more_x]), np.concatenate([labels, more_labels]))
    for name, gradient in gradients(module).items():
        np.testing.assert_allclose(accumulated[name], gradient, rtol=1e-4, atol=1e-6)  # float32 sums of ten rows in another order


@pytest.mark.parametrize("steps", [0, float("nan"), float("inf"), "2", None])
def test_senseless_counts_are_refused(steps: Any) -> None:
    """There is no mean over nothing."""
    with pytest.raises(InvalidInputError, match=f"steps is {steps!r}"):
        average_grad(CLIPPED.trainer()[0].state, steps)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_gradients_that_are_no_numbers_are_named(value: float) -> None:
    """The first parameter in file order; clipping refuses them instead of spreading them, and changes nothing."""
    module, _ = CLIPPED.trainer()
    assert non_finite_grad(module.state) is None
    last = module.state.trainable_names[-1]
    gradient = module.state.parameters[last].grad
    assert gradient is not None
    gradient.flat[0] = value
    assert non_finite_grad(module.state) == last
    before = gradients(module)
    with pytest.raises(TrainingDivergedError, match=f"gradient of '{last}'"):
        clip_grad_norm(module.state, 1.0)
    for name, one in gradients(module).items():
        np.testing.assert_array_equal(one, before[name])


def test_gradients_need_a_module() -> None:
    """A state alone has none: StateError, not silence."""
    state = CheckpointState.load_checkpoint(CLIPPED.path("checkpoint"))
    for act in (lambda: average_grad(state, 1), lambda: clip_grad_norm(state, 1.0)):
        with pytest.raises(StateError, match="make a Module"):
            act()
