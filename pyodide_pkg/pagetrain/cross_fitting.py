"""A training with cross-validation: the head to keep learns from all pictures, and beside it one head for each fold from all the others.

All go through the epochs together. After each, the heads of the folds answer the pictures of their own fold: every picture is judged by a
head that never saw it, nor its near-duplicates, after as many epochs as the head to keep has had. The epoch in which these answers are best
gives the head to keep and the judged answers; so a stop in mid-training leaves both, of the same epoch.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .api import LRScheduler
from .best_head import BestHead
from .folds import NEVER
from .head import Snapshot
from .kernels import set_seed
from .learner import Epoch, Learner
from .metrics import Score
from .progress import NOTHING_JUDGED, EpochProgress, Progress, StepProgress


@dataclass(slots=True)
class _Fold:
    """number: from 1. judged: places of the fold's own pictures; learnt: of those its head learns from. head: as it is at the moment."""

    number: int
    judged: np.ndarray
    learnt: np.ndarray
    rng: np.random.Generator
    scheduler: LRScheduler
    head: Snapshot


class CrossFitting:
    """One run, as Fitting. The heads of the folds share one Learner on a state of its own, into which each is put when its turn comes."""

    def __init__(self, learner: Learner, fold_learner: Learner, folds: np.ndarray, heads: Sequence[Snapshot] = ()) -> None:
        """learner: of the head to keep. fold_learner: its state holds the values that the heads of the folds begin with.

        folds: see folds.folds_of; at least one picture is in a fold. heads: of the folds, from a run on the same pictures and folds, from
        which this one goes on.
        """
        self._learner, self._fold_learner, self.settings = learner, fold_learner, learner.settings
        self._rng = np.random.default_rng(self.settings.seed)
        set_seed(self.settings.seed)
        fold_learner.state.allocate_gradients()
        starts = heads or [Snapshot(fold_learner.state)] * (int(folds.max()) + 1)
        self._all = np.arange(len(folds))
        self._folds = [self._fold(number, folds, start) for number, start in enumerate(starts)]
        self._judged = np.flatnonzero(folds != NEVER)
        self.train_count, self.validation_count, self.folds = len(folds), len(self._judged), len(self._folds)
        self._best = BestHead(learner)
        self.heads: list[Snapshot] = []  # of the folds, at the best epoch
        self.judged = NOTHING_JUDGED
        self._round = sum(learner.batches(len(learnt)) for learnt in (self._all, *(fold.learnt for fold in self._folds)))
        self.epochs, self.steps = self.settings.epochs, self.settings.epochs * self._round
        self._epoch = self._step = 0

    def _fold(self, number: int, folds: np.ndarray, head: Snapshot) -> _Fold:
        head.restore()
        learnt = np.flatnonzero(folds != number)
        scheduler = self._fold_learner.schedule(len(learnt), self.settings.epochs)
        rng = np.random.default_rng((self.settings.seed, number + 1))
        return _Fold(number + 1, np.flatnonzero(folds == number), learnt, rng, scheduler, head)

    def run(self) -> Generator[Progress, None, None]:
        """Yields after every batch but the last of each head's epoch, and when all heads have ended an epoch. Raises as Fitting.run."""
        return self._best.left_by(self._run())

    def _run(self) -> Generator[Progress, None, None]:
        self._learner.check_current()
        epochs, waited = self.settings.epochs, 0
        scheduler = self._learner.schedule(len(self._all), epochs)
        for left in reversed(range(epochs)):
            self._epoch += 1
            progress = yield from self._run_epoch(scheduler)
            waited = 0 if progress.best else waited + 1
            if waited == self.settings.patience:
                self.epochs, self.steps = self.epochs - left, self.steps - left * self._round
                yield replace(progress, epochs=self.epochs, steps=self.steps)
                return
            yield progress

    def _run_epoch(self, scheduler: LRScheduler) -> Generator[Progress, None, EpochProgress]:
        epoch = yield from self._steps(self._learner.epoch(self._all, scheduler, self._rng), 0)
        self._learner.answers(epoch.last)  # to see whether the head still makes numbers
        outcome = np.empty((len(self._all), epoch.answers.shape[1]))
        for fold in self._folds:
            fold.head.restore()
            fold.scheduler.step()  # the rate is the state's, which another fold's head has used since
            yield from self._steps(self._fold_learner.epoch(fold.learnt, fold.scheduler, fold.rng), fold.number)
            fold.head = Snapshot(self._fold_learner.state)
            outcome[fold.judged] = self._fold_learner.answers(fold.judged)
        return self._end_of_epoch(epoch, outcome[self._judged])

    def _steps(self, steps: Generator[float, None, Epoch], fold: int) -> Generator[Progress, None, Epoch]:
        while True:
            try:
                loss = next(steps)
            except StopIteration as end:
                self._step += 1
                epoch: Epoch = end.value
                return epoch
            self._step += 1
            yield StepProgress(self._epoch, self.epochs, self._step, self.steps, loss, fold, self.folds)

    def _end_of_epoch(self, epoch: Epoch, outcome: np.ndarray) -> EpochProgress:
        """outcome: logarithms of probabilities of the judged pictures."""
        learner, labels = self._learner, self._learner.data.labels
        truth = labels[self._judged]
        score = Score.of(outcome, truth)
        best = self._best.offer(learner.rank(outcome, truth))
        if best:
            self.heads, self.judged = [fold.head for fold in self._folds], learner.judged(self._judged, outcome)
        return EpochProgress(
            self._epoch,
            self.epochs,
            self._step,
            self.steps,
            epoch.loss,
            Score.of(epoch.answers, labels[epoch.learnt]).accuracy,
            score.loss,
            score.accuracy,
            True,
            best,
            learner.own(epoch.learnt, epoch.answers) | learner.own(self._judged, outcome),
            0,
            self.folds,
        )
