"""Learning rates by the optimizer's step count."""

from __future__ import annotations

from math import cos, pi

import numpy as np
import pytest

from pagetrain import ConstantLRScheduler, CosineLRScheduler, LinearLRScheduler
from pagetrain.api import LRScheduler
from tests.api.golden import Golden

MLP = Golden("mlp_ce_adamw_frozen")


def rates_of(kind: type[LRScheduler], warmup: int, total: int, count: int, done: int = 0) -> list[float]:
    """The rates of `count` optimizer steps, as parts of the initial one; `done` steps came before."""
    _, optimizer = MLP.trainer()
    for _ in range(done):
        optimizer.step()
    scheduler = kind(optimizer, warmup, total, 0.04, start_step=done)
    rates = []
    for _ in range(count):
        rates.append(optimizer.get_learning_rate() / 0.04)
        optimizer.step()
        scheduler.step()
    assert optimizer.state.optimizer.initial_lr == 0.04
    return rates


@pytest.mark.parametrize(
    "warmup, total, expected",
    [
        (2, 6, [0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0]),
        (0, 4, [1, 0.75, 0.5, 0.25, 0, 0]),
        (3, 3, [0, 1 / 3, 2 / 3, 0, 0]),
    ],
)
def test_linear_warms_up_and_decays(warmup: int, total: int, expected: list[float]) -> None:
    """Warm-up from 0 to the full rate, then down to 0 at `total`, and 0 from there on; applied when made."""
    # 1e-6: the state keeps the rate as float32
    np.testing.assert_allclose(rates_of(LinearLRScheduler, warmup, total, len(expected)), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "warmup, total, expected",
    [
        (0, 4, [1, (1 + cos(pi / 4)) / 2, 0.5, (1 + cos(3 * pi / 4)) / 2, 0, 0]),
        (2, 4, [0, 0.5, 1, 0.5, 0, 0]),
        (1, 1, [0, 1]),
    ],
)
def test_cosine_warms_up_and_decays(warmup: int, total: int, expected: list[float]) -> None:
    """Half a cosine from the full rate down to 0 at `total`, and 0 from there on; without steps to decay over, the full rate once."""
    np.testing.assert_allclose(rates_of(CosineLRScheduler, warmup, total, len(expected)), expected, rtol=1e-6, atol=1e-7)


def test_constant_warms_up_and_stays() -> None:
    """The full rate from the warm-up on, whatever the total."""
    np.testing.assert_allclose(rates_of(ConstantLRScheduler, 2, 3, 6), [0, 0.5, 1, 1, 1, 1], rtol=1e-6)


@pytest.mark.parametrize("kind", [LinearLRScheduler, CosineLRScheduler, ConstantLRScheduler])
def test_a_later_training_has_a_schedule_of_its_own(kind: type[LRScheduler]) -> None:
    """Steps before start_step do not count."""
    assert rates_of(kind, 2, 5, 7, done=3) == rates_of(kind, 2, 5, 7)


def test_scheduler_takes_the_rate_over() -> None:
    """A rate set by hand lasts until the scheduler's next step, as in ORT."""
    _, optimizer = MLP.trainer()
    scheduler = LinearLRScheduler(optimizer, 0, 10, 0.1)
    optimizer.set_learning_rate(5)
    scheduler.step()
    assert optimizer.get_learning_rate() == np.float32(0.1)
