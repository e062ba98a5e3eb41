"""What a training tells of itself after each step and each epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True)
class StepProgress:
    """After one step that did not end an epoch. step counts from 1 over the run; loss: of this batch.

    folds: of a cross-validation, 0 for none. fold: whose head made the step, 1 to folds, or 0 for the head to keep.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    fold: int = 0
    folds: int = 0


@dataclass(frozen=True, slots=True)
class EpochProgress:
    """After an epoch. loss: mean over its batches; accuracy: on the pictures it learnt from, which are all. Both are what the training
    steps found, each before it learnt from its batch: the head at the end of the epoch is usually better.

    validation_*: on the judged pictures, each by a head that has not learnt from it; None if none are.
    best: this epoch's head is the one to keep so far: by the judged pictures, or where there are none by `loss`.
    sure: key -> probability of its own class, found with the loss, or for a judged picture at the end of the epoch. folds: see
    StepProgress; fold is 0.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    accuracy: float
    validation_loss: float | None
    validation_accuracy: float | None
    best: bool
    sure: dict[str, float] = field(repr=False)
    fold: int = 0
    folds: int = 0


Progress = StepProgress | EpochProgress


@dataclass(frozen=True, slots=True)
class Judged:
    """What heads said of pictures that they had not learnt from, at the best epoch.

    keys, labels: of the pictures, N, and the index of the class that each stands in; probabilities: (N, classes) float64, rows sum to 1.
    """

    keys: tuple[str, ...]
    labels: np.ndarray
    probabilities: np.ndarray


NOTHING_JUDGED = Judged((), np.empty(0, np.int64), np.empty((0, 0)))
