"""The training loop over cached features: measured epochs first, then epochs on everything; the best head is kept.

While pictures are held out, the head learns from the rest and is measured on them. With few pictures per class the held-out fifth costs
several points of accuracy, so the second half of the epochs goes on from the best measured head and learns from all pictures.

What is told of the pictures that an epoch learns from (loss, accuracy, how sure) are the answers of its training steps, each from before
its step, as Keras and TensorFlow.js tell it: where a block is trained, scoring them again took a quarter as long as training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .api import (
    ConstantLRScheduler,
    CosineLRScheduler,
    LinearLRScheduler,
    LRScheduler,
    Module,
    Optimizer,
    average_grad,
    clip_grad_norm,
    non_finite_grad,
)
from .errors import StateError, TrainingDivergedError
from .features import FeatureLayout
from .finite import is_finite
from .fit_settings import FitSettings, Schedule
from .head import Snapshot
from .kernels import set_seed
from .metrics import Score, log_softmax, objective
from .names import MOMENTUM_NAMES
from .progress import EpochProgress, Progress, StepProgress

_EVAL_BATCH = 256
_SCHEDULERS: Mapping[Schedule, type[LRScheduler]] = {
    "linear": LinearLRScheduler,
    "cosine": CosineLRScheduler,
    "constant": ConstantLRScheduler,
}


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Pictures to fit: keys, class indices, which are held out, and rows(indices) -> features.

    is_current() -> False once classes or pictures were taken from under the run: rows may then be those of other pictures.
    class_weights: those of the module's loss, (classes,), by which epochs are judged too. learnt_rows(indices): for training steps, where
    they are to see other features than judging does.
    """

    keys: Sequence[str]
    labels: np.ndarray
    held_out: np.ndarray
    rows: Callable[[np.ndarray], np.ndarray]
    is_current: Callable[[], bool]
    class_weights: np.ndarray | None = None
    learnt_rows: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """Epochs with one schedule. learnt: the pictures learnt from; measured: the held-out ones say which epoch is the best."""

    learnt: np.ndarray
    measured: bool
    epochs: int
    batches: int  # of an epoch
    updates: int  # optimizer steps of an epoch


class Fitting:
    """One run over a Module and its Optimizer. `run` is the generator; closing it stops and keeps the best head so far."""

    def __init__(
        self,
        module: Module,
        optimizer: Optimizer,
        layout: FeatureLayout,
        data: TrainingSet,
        settings: FitSettings,
        *,
        logits: str,
        labels_input: str,
    ) -> None:
        self._module, self._optimizer, self._layout, self._data = module, optimizer, layout, data
        self._logits, self._labels_input = logits, labels_input
        self.settings = settings
        self.train_count, self.validation_count = int((~data.held_out).sum()), int(data.held_out.sum())
        self._rng = np.random.default_rng(settings.seed)
        set_seed(settings.seed)
        self._best: Snapshot | None = None
        self._best_rank: tuple[float, float] = (0.0, 0.0)
        self._best_score: Score | None = None  # of the held-out pictures
        measured = (settings.epochs + 1) // 2 if data.held_out.any() else 0
        first, second = np.flatnonzero(~data.held_out), np.arange(len(data.labels))
        self._parts = [self._part(first, True, measured), self._part(second, False, settings.epochs - measured)]
        self.epochs, self.steps = settings.epochs, sum(part.epochs * part.batches for part in self._parts)
        self._epoch = self._step = 0

    def _part(self, learnt: np.ndarray, measured: bool, epochs: int) -> _Part:
        batches = -(-len(learnt) // self.settings.batch_size)
        return _Part(learnt, measured, epochs, batches, -(-batches // self.settings.gradient_accumulation_steps))

    def run(self) -> Generator[Progress, None, None]:
        """Yields after every batch; the last batch of an epoch yields EpochProgress.

        Raises TrainingDivergedError; StateError when classes changed or pictures were taken out since the run was made: they stay as they
        are then, with what the classes have learnt so far.
        """
        state = self._module.state
        state.allocate_gradients()
        before, untrained = Snapshot(state), state.optimizer.step == 0
        diverged = False
        try:
            for part in self._parts:
                yield from self._run_part(part)
        except TrainingDivergedError:
            diverged = True
            raise
        finally:
            if not self._data.is_current():
                pass  # another change has the last word: what was remembered is of other classes
            elif self._best is not None:
                self._best.restore()
            elif diverged or not untrained:
                before.restore()

    def _check_current(self) -> None:
        if not self._data.is_current():
            raise StateError("Classes were changed or pictures taken out while training; start the training again.")

    def _run_part(self, part: _Part) -> Generator[Progress, None, None]:
        """Until its epochs are over, or `patience` of them in a row were not the best; those left out are not counted any more."""
        if part.epochs == 0:
            return
        scheduler, waited = self._new_schedule(part), 0
        for left in reversed(range(part.epochs)):
            self._epoch += 1
            progress = yield from self._run_epoch(part, scheduler)
            waited = 0 if progress.best else waited + 1
            if waited == self.settings.patience:
                self.epochs, self.steps = self.epochs - left, self.steps - left * part.batches
                yield replace(progress, epochs=self.epochs, steps=self.steps)
                return
            yield progress

    def _new_schedule(self, part: _Part) -> LRScheduler:
        """From the best head so far on, over all optimizer steps of the part."""
        self._check_current()
        if self._best is not None:
            self._best.restore()
            self._best_rank = (-math.inf, -math.inf)
        steps, settings = part.epochs * part.updates, self.settings
        done = self._module.state.optimizer.step
        return _SCHEDULERS[settings.schedule](
            self._optimizer, round(settings.warmup * steps), steps, settings.learning_rate, start_step=done
        )

    def _run_epoch(self, part: _Part, scheduler: LRScheduler) -> Generator[Progress, None, EpochProgress]:
        losses: list[float] = []
        logits: list[np.ndarray] = []
        waiting = 0  # batches whose gradients no optimizer step has used yet
        batches = np.array_split(self._rng.permutation(part.learnt), part.batches)
        for batch in batches:
            loss, scores = self._add_gradients(batch, first=waiting == 0)
            losses.append(loss)
            logits.append(scores)
            self._step += 1
            waiting += 1
            if waiting == self.settings.gradient_accumulation_steps or len(losses) == part.batches:
                self._update(waiting, scheduler)
                waiting = 0
            if len(losses) < part.batches:
                yield StepProgress(self._epoch, self.epochs, self._step, self.steps, losses[-1])
        return self._end_of_epoch(float(np.mean(losses)), batches, log_softmax(np.concatenate(logits)), part.measured)

    def _add_gradients(self, batch: np.ndarray, first: bool) -> tuple[float, np.ndarray]:
        """A train step, whose gradients are added to those from before unless it is the first; its loss and its logits."""
        self._check_current()
        feeds = self._layout.unpack((self._data.learnt_rows or self._data.rows)(batch))
        feeds[self._labels_input] = self._data.labels[batch]
        if first:
            self._module.lazy_reset_grad()
        outputs = self._module.train_step(feeds, [self._logits])
        loss = float(next(iter(outputs.values())))
        self._check_finite(loss, feeds)
        return loss, outputs[self._logits]

    def _update(self, batches: int, scheduler: LRScheduler) -> None:
        """An optimizer step with the mean of the gradients of so many batches."""
        if batches > 1:
            average_grad(self._module.state, batches)
        if self.settings.max_grad_norm is not None:
            clip_grad_norm(self._module.state, self.settings.max_grad_norm)
        self._optimizer.step()
        self._check_step()
        scheduler.step()

    def _check_finite(self, loss: float, feeds: Mapping[str, np.ndarray]) -> None:
        gradient = non_finite_grad(self._module.state)
        if not math.isfinite(loss) or gradient is not None:
            what = f"the gradient of {gradient!r} is not finite" if math.isfinite(loss) else f"the loss became {loss}"
            raise self._diverged(what, self._module.first_non_finite(feeds))

    def _check_step(self) -> None:
        """What the optimizer has made of finite gradients: an infinite second moment stops its weight, an infinite first shows in it."""
        state = self._module.state
        for name in state.trainable_names:
            if not is_finite(state.parameters[name].data):
                raise self._diverged(f"the optimizer step made {name!r} not finite", None)
            second = state.optimizer.momentums.get(name, {}).get(MOMENTUM_NAMES[1])
            if second is not None and not is_finite(second):
                raise self._diverged(f"the second moment of {name!r} overflowed, the mean of its gradient's squares", None)

    def _diverged(self, what: str, place: str | None) -> TrainingDivergedError:
        seen = f", seen first in {place}" if place else ""
        return TrainingDivergedError(
            f"At learning rate {self.settings.learning_rate:g} {what}{seen}; "
            "the weights from before are kept. Train with a lower learning rate."
        )

    def _end_of_epoch(self, loss: float, batches: Sequence[np.ndarray], answers: np.ndarray, measured: bool) -> EpochProgress:
        """Remembers the present head if it is the best of the part. loss, answers: of the training steps. Raises TrainingDivergedError.

        Only held-out pictures are scored again; where there are none, the last batch is, to see whether the head still makes numbers.
        """
        labels, learnt = self._data.labels, np.concatenate(batches)
        scored = np.flatnonzero(self._data.held_out) if measured else batches[-1]
        outcome = self._answers(scored)
        score = Score.of(outcome, labels[scored]) if measured else self._best_score
        rank = self._rank(outcome, labels[scored]) if measured else (0.0, -loss)
        best = self._best is None or rank > self._best_rank
        if best:
            self._best, self._best_rank = Snapshot(self._module.state), rank
            self._best_score = score
        return EpochProgress(
            self._epoch,
            self.epochs,
            self._step,
            self.steps,
            loss,
            Score.of(answers, labels[learnt]).accuracy,
            score.loss if score else None,
            score.accuracy if score else None,
            measured,
            best,
            self._sure(learnt, answers) | (self._sure(scored, outcome) if measured else {}),
        )

    def _sure(self, pictures: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        own = np.exp(answers[np.arange(len(pictures)), self._data.labels[pictures]])
        return {self._data.keys[index]: float(share) for index, share in zip(pictures, own, strict=True)}

    def _rank(self, answers: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
        """Of held-out pictures; greater is better: by accuracy, then loss, or the other way round."""
        score = self._score(answers, labels)
        return (-score.loss, score.accuracy) if self.settings.monitor == "loss" else (score.accuracy, -score.loss)

    def _score(self, answers: np.ndarray, labels: np.ndarray) -> Score:
        """By the loss that is trained."""
        weights, smoothing = self._data.class_weights, self.settings.label_smoothing
        if weights is None and not smoothing:
            return Score.of(answers, labels)
        return objective(answers, labels, np.ones(answers.shape[1]) if weights is None else weights, smoothing)

    def _answers(self, pictures: np.ndarray) -> np.ndarray:
        """Logarithms of probabilities by the present head. Raises TrainingDivergedError: the last optimizer step may have ruined it."""
        pieces = [
            self._module.eval_step(self._layout.unpack(self._data.rows(part)), [self._logits])[self._logits]
            for part in np.array_split(pictures, -(-len(pictures) // _EVAL_BATCH))
        ]
        logits = np.concatenate(pieces)
        if not is_finite(logits):
            raise self._diverged(f"the values of {self._logits!r} are not finite after the epoch", None)
        return log_softmax(logits)
