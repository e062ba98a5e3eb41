"""The training loop over cached features: measured epochs first, then epochs on everything; the best head is kept.

While pictures are held out, the head learns from the rest and is measured on them. With few pictures per class the held-out fifth costs
several points of accuracy, so the second half of the epochs goes on from the best measured head and learns from all pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .api import LinearLRScheduler, Module, Optimizer
from .errors import StateError, TrainingDivergedError
from .features import FeatureLayout
from .fit_settings import FitSettings
from .head import Snapshot
from .kernels import set_seed
from .metrics import Score, log_softmax
from .progress import EpochProgress, Progress, StepProgress

_EVAL_BATCH = 256


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Pictures to fit: keys, class indices, which are held out, and rows(indices) -> features.

    is_current() -> False once classes or pictures were taken from under the run: rows may then be those of other pictures.
    """

    keys: Sequence[str]
    labels: np.ndarray
    held_out: np.ndarray
    rows: Callable[[np.ndarray], np.ndarray]
    is_current: Callable[[], bool]


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
        everything = np.arange(len(data.labels))
        measured = (settings.epochs + 1) // 2 if data.held_out.any() else 0
        self._plan = [(np.flatnonzero(~data.held_out), True)] * measured + [(everything, False)] * (settings.epochs - measured)
        self.steps = sum(self._batches(len(learnt)) for learnt, _ in self._plan)

    def _batches(self, pictures: int) -> int:
        return -(-pictures // self.settings.batch_size)

    def run(self) -> Generator[Progress, None, None]:
        """Yields after every step; the last step of an epoch yields EpochProgress.

        Raises TrainingDivergedError; StateError when classes changed or pictures were taken out since the run was made: they stay as they
        are then, with what the classes have learnt so far.
        """
        state = self._module.state
        state.allocate_gradients()
        before, untrained = Snapshot(state), state.optimizer.step == 0
        step, diverged = 0, False
        try:
            for epoch, (learnt, measured) in enumerate(self._plan, 1):
                self._check_current()
                if epoch == 1 or measured != self._plan[epoch - 2][1]:
                    scheduler = self._new_phase(sum(self._batches(len(indices)) for indices, kind in self._plan if kind == measured))
                losses = []
                for batch in np.array_split(self._rng.permutation(learnt), self._batches(len(learnt))):
                    losses.append(self._step(batch, scheduler))
                    step += 1
                    if len(losses) < self._batches(len(learnt)):
                        yield StepProgress(epoch, len(self._plan), step, self.steps, losses[-1])
                yield self._end_of_epoch(epoch, step, float(np.mean(losses)), learnt, measured)
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

    def _new_phase(self, steps: int) -> LinearLRScheduler:
        """From the best head so far, the learning rate falls to zero over `steps`. Steps of earlier runs count as warm-up: done."""
        if self._best is not None:
            self._best.restore()
            self._best_rank = (-math.inf, -math.inf)
        done = self._module.state.optimizer.step
        return LinearLRScheduler(self._optimizer, done, done + steps, self.settings.learning_rate)

    def _step(self, batch: np.ndarray, scheduler: LinearLRScheduler) -> float:
        self._check_current()
        feeds = self._layout.unpack(self._data.rows(batch))
        feeds[self._labels_input] = self._data.labels[batch]
        self._module.lazy_reset_grad()
        loss = float(next(iter(self._module.train_step(feeds).values())))
        self._check_finite(loss, feeds)
        self._optimizer.step()
        scheduler.step()
        return loss

    def _check_finite(self, loss: float, feeds: Mapping[str, np.ndarray]) -> None:
        parameters = self._module.state.parameters
        wrong = [] if math.isfinite(loss) else [f"the loss became {loss}"]
        wrong += [f"the gradient of {name!r} is not finite" for name, one in parameters if not _is_finite(one.grad)]
        if wrong:
            place = self._module.first_non_finite(feeds)
            seen = f", seen first in {place}" if place else ""
            raise TrainingDivergedError(
                f"At learning rate {self.settings.learning_rate:g} {wrong[0]}{seen}; "
                "the weights from before are kept. Train with a lower learning rate."
            )

    def _end_of_epoch(self, epoch: int, step: int, loss: float, learnt: np.ndarray, measured: bool) -> EpochProgress:
        """Scores all pictures with the present head and remembers it if it is the best: by held-out accuracy, then loss; else by loss."""
        labels = self._data.labels
        answers = log_softmax(self._all_logits())
        here = Score.of(answers[learnt], labels[learnt])
        score = Score.of(answers[self._data.held_out], labels[self._data.held_out]) if measured else self._best_score
        rank = (score.accuracy, -score.loss) if measured and score else (0.0, -here.loss)
        best = (self._best is None or rank > self._best_rank) and math.isfinite(here.loss)
        if best:
            self._best, self._best_rank = Snapshot(self._module.state), rank
            self._best_score = score
        sure = np.exp(answers[np.arange(len(labels)), labels])
        return EpochProgress(
            epoch,
            len(self._plan),
            step,
            self.steps,
            loss,
            here.accuracy,
            score.loss if score else None,
            score.accuracy if score else None,
            measured,
            best,
            dict(zip(self._data.keys, map(float, sure), strict=True)),
        )

    def _all_logits(self) -> np.ndarray:
        pieces = [
            self._module.eval_step(self._layout.unpack(self._data.rows(part)), [self._logits])[self._logits]
            for part in np.array_split(np.arange(len(self._data.labels)), -(-len(self._data.labels) // _EVAL_BATCH))
        ]
        return np.concatenate(pieces)


def _is_finite(array: np.ndarray | None) -> bool:
    return array is None or bool(np.isfinite(array).all())
