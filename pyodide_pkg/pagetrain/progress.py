"""What a training tells of itself after each step and each epoch."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StepProgress:
    """After one step that did not end an epoch. step counts from 1 over the run; loss: of this batch."""

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float


@dataclass(frozen=True, slots=True)
class EpochProgress:
    """After an epoch. loss: mean over its batches; accuracy: on the pictures it learnt from. Both are what the training steps found, each
    before it learnt from its batch: the head at the end of the epoch is usually better.

    validation_*: on held-out pictures, None if there are none. measured: False in the second half of a run with held-out pictures, when
    all of them are learnt from: validation_* are then those of the best measured epoch, from which it went on.
    best: this epoch's head is the one to keep so far: by the held-out pictures, or where nothing is measured by `loss`.
    sure: key -> probability of its own class, found with the loss, or for a held-out picture at the end of the epoch.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    accuracy: float
    validation_loss: float | None
    validation_accuracy: float | None
    measured: bool
    best: bool
    sure: dict[str, float] = field(repr=False)


Progress = StepProgress | EpochProgress
