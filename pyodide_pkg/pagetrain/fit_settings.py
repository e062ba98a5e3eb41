"""The settings of one training: what may be asked for, within which bounds, and what is taken otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from .errors import InvalidInputError

EPOCHS = 40
VALIDATION = 0.2
LOGIT_STEP = 0.5
DEEP_LEARNING_RATE = 0.001


def default_batch_size(pictures: int) -> int:
    """8, growing with the set so that an epoch has about 32 steps, up to 64: small batches learn more from few pictures."""
    return int(min(64, max(8, 2 ** round(math.log2(max(1, pictures) / 32)))))


def default_learning_rate(rows: np.ndarray, head_only: bool) -> float:
    """For a head on features: what moves a logit by about half a unit per step, as AdamW moves each weight by about the rate.

    rows: features, (N, width). Two digits. Where deeper layers are trained too: 0.001, ORT's default.
    """
    if not head_only:
        return DEEP_LEARNING_RATE
    reach = float(np.abs(rows).sum(axis=1, dtype=np.float64).mean())
    return float(f"{min(0.5, LOGIT_STEP / max(reach, 1.0)):.1e}")


class FitOptions(TypedDict, total=False):
    """What Personalizer.fit takes by keyword; FitSettings says what each is. None: the default."""

    epochs: int | None
    batch_size: int | None
    learning_rate: float | None
    validation: float | None
    seed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Checked settings of one run. validation: share of each class to hold out, 0 for none."""

    batch_size: int
    learning_rate: float
    seed: int
    epochs: int = EPOCHS
    validation: float = VALIDATION

    @classmethod
    def of(cls, options: FitOptions, batch_size: Callable[[], int], learning_rate: Callable[[], float], seed: int) -> FitSettings:
        """The options, and for those that are None or left out what the other arguments say. Raises InvalidInputError."""
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        defaults: dict[str, Callable[[], Any]] = {"batch_size": batch_size, "learning_rate": learning_rate, "seed": lambda: seed}
        return cls(**{name: make() for name, make in defaults.items() if name not in given}, **given)

    def __post_init__(self) -> None:
        _check("epochs", self.epochs, int, 1, 10_000)
        _check("batch_size", self.batch_size, int, 1, 4096)
        _check("learning_rate", self.learning_rate, float, 1e-8, 10)
        _check("validation", self.validation, float, 0, 0.9)
        _check("seed", self.seed, int, 0, 2**63 - 1)


def _check(name: str, value: object, kind: type, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float) or not low <= value <= high:
        raise InvalidInputError(
            f"fit: {name} is {value!r}, expected {'a whole number' if kind is int else 'a number'} from {low:g} to {high:g}."
        )
