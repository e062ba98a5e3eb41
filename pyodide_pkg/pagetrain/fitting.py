"""A training with held-out pictures, or without: measured epochs first, then epochs on everything; the best head is kept.

While pictures are held out, the head learns from the rest and is measured on them. With few pictures per class the held-out fifth costs
several points of accuracy, so the second half of the epochs goes on from the best measured head and learns from all pictures.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from .api import LRScheduler
from .best_head import BestHead
from .kernels import set_seed
from .learner import Epoch, Learner
from .metrics import Score
from .progress import NOTHING_JUDGED, EpochProgress, Progress, StepProgress


@dataclass(frozen=True, slots=True)
class _Part:
    """Epochs with one schedule. learnt: the pictures learnt from; measured: the held-out ones say which epoch is the best."""

    learnt: np.ndarray
    measured: bool
    epochs: int
    batches: int  # of an epoch


class Fitting:
    """One run of a Learner. `run` is the generator; closing it stops and keeps the best head so far."""

    folds = 0  # of a cross-validation

    def __init__(self, learner: Learner, held_out: np.ndarray) -> None:
        """held_out: bool, one per picture of the learner's training set."""
        self._learner, self._held_out, self.settings = learner, np.flatnonzero(held_out), learner.settings
        self.train_count, self.validation_count = int((~held_out).sum()), int(held_out.sum())
        self._rng = np.random.default_rng(self.settings.seed)
        set_seed(self.settings.seed)
        self._best = BestHead(learner)
        self._best_score: Score | None = None  # of the held-out pictures
        self.judged = NOTHING_JUDGED
        measured = (self.settings.epochs + 1) // 2 if held_out.any() else 0
        first, second = np.flatnonzero(~held_out), np.arange(len(held_out))
        self._parts = [
            _Part(learnt, measuring, epochs, learner.batches(len(learnt)))
            for learnt, measuring, epochs in ((first, True, measured), (second, False, self.settings.epochs - measured))
        ]
        self.epochs, self.steps = self.settings.epochs, sum(part.epochs * part.batches for part in self._parts)
        self._epoch = self._step = 0

    def run(self) -> Generator[Progress, None, None]:
        """Yields after every batch; the last batch of an epoch yields EpochProgress.

        Raises TrainingDivergedError; StateError when classes changed or pictures were taken out since the run was made: they stay as they
        are then, with what the classes have learnt so far.
        """
        return self._best.left_by(self._run())

    def _run(self) -> Generator[Progress, None, None]:
        for part in self._parts:
            yield from self._run_part(part)

    def _run_part(self, part: _Part) -> Generator[Progress, None, None]:
        """Until its epochs are over, or `patience` of them in a row were not the best; those left out are not counted any more."""
        if part.epochs == 0:
            return
        self._learner.check_current()
        self._best.go_on()
        scheduler, waited = self._learner.schedule(len(part.learnt), part.epochs), 0
        for left in reversed(range(part.epochs)):
            self._epoch += 1
            progress = yield from self._run_epoch(part, scheduler)
            waited = 0 if progress.best else waited + 1
            if waited == self.settings.patience:
                self.epochs, self.steps = self.epochs - left, self.steps - left * part.batches
                yield replace(progress, epochs=self.epochs, steps=self.steps)
                return
            yield progress

    def _run_epoch(self, part: _Part, scheduler: LRScheduler) -> Generator[Progress, None, EpochProgress]:
        steps = self._learner.epoch(part.learnt, scheduler, self._rng)
        while True:
            try:
                loss = next(steps)
            except StopIteration as end:
                self._step += 1
                return self._end_of_epoch(end.value, part.measured)
            self._step += 1
            yield StepProgress(self._epoch, self.epochs, self._step, self.steps, loss)

    def _end_of_epoch(self, epoch: Epoch, measured: bool) -> EpochProgress:
        """Remembers the present head if it is the best of the part. Raises TrainingDivergedError.

        Only held-out pictures are scored again; where there are none, one of the last batch, to see whether the head still makes numbers.
        """
        learner, labels = self._learner, self._learner.data.labels
        scored = self._held_out if measured else epoch.last[:1]
        outcome = learner.answers(scored)
        score = Score.of(outcome, labels[scored]) if measured else self._best_score
        rank = learner.rank(outcome, labels[scored]) if measured else (0.0, -epoch.loss)
        best = self._best.offer(rank)
        if best:
            self._best_score = score
        if best and measured:
            self.judged = learner.judged(scored, outcome)
        return EpochProgress(
            self._epoch,
            self.epochs,
            self._step,
            self.steps,
            epoch.loss,
            Score.of(epoch.answers, labels[epoch.learnt]).accuracy,
            score.loss if score else None,
            score.accuracy if score else None,
            measured,
            best,
            learner.own(epoch.learnt, epoch.answers) | (learner.own(scored, outcome) if measured else {}),
        )
