"""A training: the head to keep learns from all pictures, and beside it heads that measure learn from all but those that they judge.

In a cross-validation there is one of them for each fold, with held-out pictures there is one, without either none. All heads go through the
epochs together, each from the values that heads begin with. After each epoch they answer their own pictures, which they never saw, nor
near-duplicates of them. The epoch in which these answers are best gives the head to keep and the judged answers; so a stop in mid-training
leaves both, of the same epoch.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from .api import LRScheduler
from .best_head import BestHead
from .folds import NEVER
from .head import Snapshot
from .kernels import set_seed
from .learner import Epoch, Learner
from .metrics import Score
from .progress import NOTHING_JUDGED, EpochProgress, Judged, Progress, StepProgress


@dataclass(slots=True)
class _Fold:
    """number: from 1. judged: places of the fold's own pictures; learnt: of those its head learns from. head: as it is at the moment."""

    number: int
    judged: np.ndarray
    learnt: np.ndarray
    rng: np.random.Generator
    scheduler: LRScheduler
    head: Snapshot


class Fitting:
    """One run. `run` is the generator; closing it stops and keeps the best head so far.

    folds: of a cross-validation, 0 for none. train_count: all pictures; validation_count: those that are judged.
    """

    def __init__(self, learner: Learner, judge: Learner | None, folds: np.ndarray, before: Fitting | None = None) -> None:
        """learner: of the head to keep. judge: of those that measure, on a state of its own, with the values that they begin with.

        folds: of each picture, as folds.folds_of has them, or 0 for the held-out ones and NEVER for the rest. before: the run on the same
        pictures and folds from which this one goes on.
        """
        self._learner, self._judge, self.settings = learner, judge, learner.settings
        self._rng = np.random.default_rng(self.settings.seed)
        set_seed(self.settings.seed)
        self._all, self._judged = np.arange(len(folds)), np.flatnonzero(folds != NEVER)
        self._best = BestHead(learner)
        self.heads: list[Snapshot] = before.heads if before else []  # that measure, at the best epoch
        self.judged: Judged = before.judged if before else NOTHING_JUDGED
        self.kept_step = learner.state.optimizer.step  # at the best epoch
        self._folds = [] if judge is None else self._folds_of(judge, folds)
        self.folds = len(self._folds) if self.settings.folds else 0
        self.train_count, self.validation_count = len(folds), len(self._judged)
        self._round = sum(learner.batches(len(learnt)) for learnt in (self._all, *(fold.learnt for fold in self._folds)))
        self.epochs, self.steps = self.settings.epochs, self.settings.epochs * self._round
        self._epoch = self._step = 0

    def _folds_of(self, judge: Learner, folds: np.ndarray) -> list[_Fold]:
        judge.state.allocate_gradients()
        begin = Snapshot(judge.state)
        made = []
        for number in range(int(folds.max()) + 1):
            head = self.heads[number] if self.heads else begin
            head.restore(judge.state)
            learnt, rng = np.flatnonzero(folds != number), np.random.default_rng((self.settings.seed, number + 1))
            scheduler = judge.schedule(len(learnt), self.settings.epochs)
            made.append(_Fold(number + 1, np.flatnonzero(folds == number), learnt, rng, scheduler, head))
        return made

    def run(self) -> Generator[Progress, None, None]:
        """Yields after every batch but the last of each head's epoch, and when all heads have ended an epoch.

        Raises TrainingDivergedError; StateError when classes changed or pictures were taken out since the run was made: they stay as they
        are then, with what the classes have learnt so far.
        """
        return self._best.left_by(self._run())

    def _run(self) -> Generator[Progress, None, None]:
        """Until the epochs are over, or `patience` of them in a row were not the best; those left out are not counted any more."""
        self._learner.check_current()
        scheduler, waited = self._learner.schedule(len(self._all), self.epochs), 0
        for left in reversed(range(self.epochs)):
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
        self._learner.answers(epoch.last[:1])  # to see whether the head still makes numbers
        outcome = np.empty((len(self._all), epoch.answers.shape[1]))
        for fold in self._folds:
            outcome[fold.judged] = yield from self._run_fold(fold, self._judge)
        return self._end_of_epoch(epoch, outcome[self._judged])

    def _run_fold(self, fold: _Fold, judge: Learner | None) -> Generator[Progress, None, np.ndarray]:
        """Logarithms of probabilities of the fold's own pictures, after an epoch of its head."""
        assert judge is not None
        fold.head.restore(judge.state)
        fold.scheduler.step()  # the rate is the state's, which another fold's head has used since
        yield from self._steps(judge.epoch(fold.learnt, fold.scheduler, fold.rng), fold.number if self.folds else 0)
        fold.head = Snapshot(judge.state)
        return judge.answers(fold.judged)

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
        """outcome: logarithms of probabilities of the judged pictures. Remembers the heads if they are the best so far."""
        learner, labels, measures = self._learner, self._learner.data.labels, len(self._judged) > 0
        truth = labels[self._judged]
        score = Score.of(outcome, truth)
        best = self._best.offer(learner.rank(outcome, truth) if measures else (0.0, -epoch.loss))
        if best:
            self.heads, self.judged = [fold.head for fold in self._folds], learner.judged(self._judged, outcome)
            self.kept_step = learner.state.optimizer.step
        return EpochProgress(
            self._epoch,
            self.epochs,
            self._step,
            self.steps,
            epoch.loss,
            Score.of(epoch.answers, labels[epoch.learnt]).accuracy,
            score.loss if measures else None,
            score.accuracy if measures else None,
            best,
            learner.own(epoch.learnt, epoch.answers) | learner.own(self._judged, outcome),
            0,
            self.folds,
        )
