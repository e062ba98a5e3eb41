"""What is done to gradients between train steps and the optimizer's: averaged, clipped, looked at."""

from __future__ import annotations

import math
import numbers

import numpy as np

from ..errors import InvalidInputError, StateError, TrainingDivergedError
from ..finite import is_finite
from ..kernels.training import clip_to_norm
from .checkpoint_state import CheckpointState


def average_grad(state: CheckpointState, steps: int) -> None:
    """g /= steps for all gradients, in place: the mean over `steps` train steps, which ORT's graphs add up.

    Raises InvalidInputError for less than one step, StateError before there are gradients.
    """
    if not isinstance(steps, numbers.Real) or not 1 <= steps < math.inf:
        raise InvalidInputError(f"average_grad: steps is {steps!r}, expected the number of train steps since the last lazy_reset_grad.")
    for gradient in _gradients(state).values():
        gradient /= gradient.dtype.type(steps)


def clip_grad_norm(state: CheckpointState, max_norm: float) -> float:
    """g *= min(1, max_norm / (n + 1e-6)) for all gradients, in place; returns n, the root of the sum of all squares of all of them.

    The formula of com.microsoft InplaceClipGradNorm-1, which artifacts made with ClipGradNorm hold. Raises TrainingDivergedError for a
    gradient with NaN or infinity, naming its parameter, and nothing is changed then; InvalidInputError, StateError as average_grad.
    """
    if not isinstance(max_norm, numbers.Real) or not 0 < max_norm < math.inf:
        raise InvalidInputError(f"clip_grad_norm: max_norm is {max_norm!r}, expected a number above 0.")
    gradients = _gradients(state)
    wrong = non_finite_grad(state)
    if wrong is not None:
        raise TrainingDivergedError(f"The gradient of {wrong!r} is not finite and cannot be clipped; train with a lower learning rate.")
    return clip_to_norm(list(gradients.values()), max_norm)


def non_finite_grad(state: CheckpointState) -> str | None:
    """The first trainable parameter, in file order, whose gradient holds NaN or infinity; None if there is none."""
    gradients = ((name, state.parameters[name].grad) for name in state.trainable_names)
    return next((name for name, gradient in gradients if gradient is not None and not is_finite(gradient)), None)


def _gradients(state: CheckpointState) -> dict[str, np.ndarray]:
    gradients = {name: state.parameters[name].grad for name in state.trainable_names}
    present = {name: gradient for name, gradient in gradients.items() if gradient is not None}
    if len(present) < len(gradients):
        raise StateError("There are no gradients yet: make a Module of this state, and fill it if it is nominal.")
    return present
