"""OptimizerState: steps done, rates and moments, as a CheckpointState holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..errors import FormatError
from ..names import OPTIMIZER_GROUP
from ..ortformat.checkpoint import CheckpointData

DEFAULT_LEARNING_RATE = 0.001
Moments = dict[str, np.ndarray]


@dataclass
class OptimizerState:
    """Optimizer steps done, rates and moments.

    momentums: parameter name -> {"momentum0": array, ...}, live, written in place by the optimizer; {} until allocate_moments.
    learning_rate is not saved: after a restore it is the default again, as in ORT. initial_lr is saved; a scheduler sets it.
    """

    step: int = 0
    learning_rate: float = DEFAULT_LEARNING_RATE
    initial_lr: float = DEFAULT_LEARNING_RATE
    momentums: dict[str, Moments] = field(default_factory=dict)


def from_checkpoint(checkpoint: CheckpointData) -> OptimizerState:
    """The optimizer state in a checkpoint, arrays copied. Raises FormatError where it does not go with the parameters."""
    groups = checkpoint.optimizer_groups
    if not groups:
        return OptimizerState()
    if groups.keys() != {OPTIMIZER_GROUP}:
        raise FormatError(f"The checkpoint has the optimizer groups {sorted(groups)}; only {OPTIMIZER_GROUP!r} is known.")
    group = groups[OPTIMIZER_GROUP]
    for name, moments in group.momentums.items():
        _check_moments(name, moments, None if checkpoint.is_nominal else checkpoint.trainable.get(name))
    momentums = {name: {key: np.array(moment) for key, moment in moments.items()} for name, moments in group.momentums.items()}
    return OptimizerState(step=group.step, initial_lr=group.initial_learning_rate, momentums=momentums)


def _check_moments(name: str, moments: Mapping[str, np.ndarray], parameter: np.ndarray | None) -> None:
    if parameter is None:
        raise FormatError(f"The checkpoint has moments for {name!r}, which is no trainable parameter with values.")
    for key, moment in moments.items():
        if (moment.shape, moment.dtype) != (parameter.shape, parameter.dtype):
            raise FormatError(
                f"Moment {key!r} of {name!r} is {moment.dtype} {moment.shape}, the parameter is {parameter.dtype} {parameter.shape}."
            )
