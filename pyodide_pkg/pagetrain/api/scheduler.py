"""Learning rates by the optimizer's step count: linear as onnxruntime.training.api.LinearLRScheduler means it, cosine, constant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import cos, pi

from .optimizer import Optimizer


class LRScheduler(ABC):
    """lr = initial_lr * (s / max(1, warmup) while s < warmup, else what the kind of scheduler says), s = optimizer steps since start_step.

    Applied once when made and at each step(), which belongs behind each Optimizer.step(). ORT's Python binding hands warm-up and total
    over swapped; here they mean what they say.
    """

    def __init__(
        self, optimizer: Optimizer, warmup_step_count: int, total_step_count: int, initial_lr: float, *, start_step: int = 0
    ) -> None:
        """start_step: steps of the state from before, when an earlier training goes on with a schedule of its own."""
        self._optimizer = optimizer
        self._warmup, self._total, self._start = warmup_step_count, total_step_count, start_step
        optimizer.set_learning_rate(initial_lr)  # it has to be one
        optimizer.state.optimizer.initial_lr = initial_lr
        self.step()

    def step(self) -> None:
        """Sets the learning rate for the optimizer's present step count."""
        progress = self._optimizer.state.optimizer
        done = progress.step - self._start
        factor = done / max(1, self._warmup) if done < self._warmup else self._factor(done - self._warmup, self._total - self._warmup)
        self._optimizer.set_learning_rate(progress.initial_lr * factor)

    @abstractmethod
    def _factor(self, done: int, steps: int) -> float:
        """The part of initial_lr after `done` of the `steps` behind the warm-up; done may go on beyond steps."""


class LinearLRScheduler(LRScheduler):
    """After the warm-up: initial_lr * max(0, (total - s) / max(1, total - warmup)). Source: ORT 1.19, LinearLRScheduler."""

    def _factor(self, done: int, steps: int) -> float:
        return max(0.0, (steps - done) / max(1, steps))


class CosineLRScheduler(LRScheduler):
    """After the warm-up: initial_lr * (1 + cos(pi * min(1, (s - warmup) / max(1, total - warmup)))) / 2.

    Source: Loshchilov and Hutter 2017, "SGDR", equation 5 with eta_min = 0 and no restart.
    """

    def _factor(self, done: int, steps: int) -> float:
        return (1 + cos(pi * min(1.0, done / max(1, steps)))) / 2


class ConstantLRScheduler(LRScheduler):
    """After the warm-up: initial_lr. total_step_count has no effect."""

    def _factor(self, done: int, steps: int) -> float:
        return 1.0
