"""LinearLRScheduler: warm-up, then linear decay, as onnxruntime.training.api.LinearLRScheduler means it."""

from __future__ import annotations

from .optimizer import Optimizer


class LinearLRScheduler:
    """lr = initial_lr * (s / max(1, warmup) while s < warmup, else max(0, (total - s) / max(1, total - warmup))), s = optimizer steps done.

    Applied once when made and at each step(). ORT's Python binding hands warm-up and total over swapped; here they mean what they say.
    """

    def __init__(self, optimizer: Optimizer, warmup_step_count: int, total_step_count: int, initial_lr: float) -> None:
        self._optimizer = optimizer
        self._warmup, self._total = warmup_step_count, total_step_count
        optimizer.state.optimizer.initial_lr = initial_lr
        self.step()

    def step(self) -> None:
        """Sets the learning rate for the optimizer's present step count."""
        progress = self._optimizer.state.optimizer
        if progress.step < self._warmup:
            factor = progress.step / max(1, self._warmup)
        else:
            factor = max(0.0, (self._total - progress.step) / max(1, self._total - self._warmup))
        self._optimizer.set_learning_rate(progress.initial_lr * factor)
