"""Learner: one head over cached features. Its schedule, its epochs, its answers, and what is said where the numbers break.

What is told of the pictures that an epoch learns from (loss, accuracy, how sure) are the answers of its training steps, each from before
its step, as Keras and TensorFlow.js tell it: where a block is trained, scoring them again took a quarter as long as training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

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
from .metrics import Score, log_softmax, objective
from .names import MOMENTUM_NAMES
from .progress import Judged

_EVAL_BATCH = 256
_SCHEDULERS: Mapping[Schedule, type[LRScheduler]] = {
    "linear": LinearLRScheduler,
    "cosine": CosineLRScheduler,
    "constant": ConstantLRScheduler,
}


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Pictures to fit: keys, class indices, and rows(indices) -> features.

    is_current() -> False once classes or pictures were taken from under the run: rows may then be those of other pictures.
    class_weights: those of the module's loss, (classes,), by which epochs are judged too. learnt_rows(indices): for training steps, where
    they are to see other features than judging does.
    """

    keys: Sequence[str]
    labels: np.ndarray
    rows: Callable[[np.ndarray], np.ndarray]
    is_current: Callable[[], bool]
    class_weights: np.ndarray | None = None
    learnt_rows: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True, slots=True)
class Epoch:
    """What the steps of an epoch found: mean loss, the pictures in their order, logarithms of their probabilities; last: the last batch."""

    loss: float
    learnt: np.ndarray
    answers: np.ndarray
    last: np.ndarray


class Learner:
    """Steps of one Module and its Optimizer on a training set."""

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
        self._module, self._optimizer, self._layout, self.data = module, optimizer, layout, data
        self._logits, self._labels_input = logits, labels_input
        self.settings, self.state = settings, module.state

    def batches(self, pictures: int) -> int:
        """Of an epoch."""
        return -(-pictures // self.settings.batch_size)

    def schedule(self, pictures: int, epochs: int) -> LRScheduler:
        """Of the learning rate over all optimizer steps of so many epochs, from the present step on."""
        settings = self.settings
        steps = epochs * -(-self.batches(pictures) // settings.gradient_accumulation_steps)
        done = self.state.optimizer.step
        return _SCHEDULERS[settings.schedule](
            self._optimizer, round(settings.warmup * steps), steps, settings.learning_rate, start_step=done
        )

    def epoch(self, learnt: np.ndarray, scheduler: LRScheduler, rng: np.random.Generator) -> Generator[float, None, Epoch]:
        """Learns from these pictures once, in an order drawn from rng; yields the loss of every batch but the last."""
        losses: list[float] = []
        logits: list[np.ndarray] = []
        waiting = 0  # batches whose gradients no optimizer step has used yet
        batches = np.array_split(rng.permutation(learnt), self.batches(len(learnt)))
        for batch in batches:
            loss, scores = self._add_gradients(batch, first=waiting == 0)
            losses.append(loss)
            logits.append(scores)
            waiting += 1
            if waiting == self.settings.gradient_accumulation_steps or len(losses) == len(batches):
                self._update(waiting, scheduler)
                waiting = 0
            if len(losses) < len(batches):
                yield loss
        return Epoch(float(np.mean(losses)), np.concatenate(batches), log_softmax(np.concatenate(logits)), batches[-1])

    def answers(self, pictures: np.ndarray) -> np.ndarray:
        """Logarithms of probabilities by the present head. Raises TrainingDivergedError: the last optimizer step may have ruined it."""
        pieces = [
            self._module.eval_step(self._layout.unpack(self.data.rows(part)), [self._logits])[self._logits]
            for part in np.array_split(pictures, -(-len(pictures) // _EVAL_BATCH))
        ]
        logits = np.concatenate(pieces)
        if not is_finite(logits):
            raise self._diverged(f"the values of {self._logits!r} are not finite after the epoch", None)
        return log_softmax(logits)

    def rank(self, answers: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
        """Of pictures not learnt from; greater is better: by accuracy, then loss, or the other way round."""
        score = self._score(answers, labels)
        return (-score.loss, score.accuracy) if self.settings.monitor == "loss" else (score.accuracy, -score.loss)

    def _score(self, answers: np.ndarray, labels: np.ndarray) -> Score:
        """By the loss that is trained."""
        weights, smoothing = self.data.class_weights, self.settings.label_smoothing
        if weights is None and not smoothing:
            return Score.of(answers, labels)
        return objective(answers, labels, np.ones(answers.shape[1]) if weights is None else weights, smoothing)

    def own(self, pictures: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """The probability of its own class by key of a picture."""
        own = np.exp(answers[np.arange(len(pictures)), self.data.labels[pictures]])
        return {self.data.keys[index]: float(share) for index, share in zip(pictures, own, strict=True)}

    def judged(self, pictures: np.ndarray, answers: np.ndarray) -> Judged:
        """answers: logarithms of probabilities by heads that have not learnt from them."""
        return Judged(tuple(self.data.keys[index] for index in pictures), self.data.labels[pictures], np.exp(answers))

    def check_current(self) -> None:
        """Raises StateError once the pictures of the run are not those of the classes any more."""
        if not self.data.is_current():
            raise StateError("Classes were changed or pictures taken out while training; start the training again.")

    def _add_gradients(self, batch: np.ndarray, first: bool) -> tuple[float, np.ndarray]:
        """A train step, whose gradients are added to those from before unless it is the first; its loss and its logits."""
        self.check_current()
        feeds = self._layout.unpack((self.data.learnt_rows or self.data.rows)(batch))
        feeds[self._labels_input] = self.data.labels[batch]
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
