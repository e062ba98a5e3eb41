"""The settings of one training: what may be asked for, within which bounds, and what is taken otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict, get_args

import numpy as np

from .class_weights import ClassWeights
from .errors import InvalidInputError
from .variants import Augment, variants_of

EPOCHS = 20
VALIDATION = 0.2
LOGIT_STEP = 0.5
DEEP_LEARNING_RATE = 0.001
LOWEST_LEARNING_RATE = 1e-8
FOLDS, CROSS_VALIDATED = 5, 300

Schedule = Literal["linear", "cosine", "constant"]
Monitor = Literal["accuracy", "loss"]


def default_batch_size(pictures: int) -> int:
    """8, growing with the set so that an epoch has about 32 steps, up to 64: small batches learn more from few pictures."""
    return int(min(64, max(8, 2 ** round(math.log2(max(1, pictures) / 32)))))


def default_learning_rate(rows: np.ndarray, head_only: bool) -> float:
    """For a head on features: what moves a logit by about half a unit per step, as AdamW moves each weight by about the rate.

    rows: features, (N, width). Two digits, from the lowest rate that may be asked for to 0.5. Where deeper layers are trained too: 0.001,
    ORT's default.
    """
    if not head_only:
        return DEEP_LEARNING_RATE
    reach = float(np.abs(rows).sum(axis=1, dtype=np.float64).mean())
    return max(LOWEST_LEARNING_RATE, float(f"{min(0.5, LOGIT_STEP / max(reach, 1.0)):.1e}"))


def default_folds(sizes: Sequence[int], head_only: bool) -> int:
    """min(5, the size of the class in the middle) for up to 300 pictures; 0 for more, or if there is nothing to judge.

    sizes: pictures of each class, near-duplicates counted once; a class of one is not judged. With more folds than a class has pictures,
    some folds have none of it: their heads learn from unlike shares of the classes and judge worse than the kept head would. Of many
    pictures a fifth is enough to measure on. 0 too where deeper layers are trained: five more would take long.
    """
    judged = sorted(size for size in sizes if size > 1)
    if not judged or not head_only or sum(sizes) > CROSS_VALIDATED:
        return 0
    return min(FOLDS, judged[(len(judged) - 1) // 2])


class FitOptions(TypedDict, total=False):
    """What Personalizer.fit takes by keyword; FitSettings says what each is. None: the default."""

    epochs: int | None
    batch_size: int | None
    learning_rate: float | None
    validation: float | None
    folds: int | None
    seed: int | None
    schedule: Schedule | None
    warmup: float | None
    gradient_accumulation_steps: int | None
    max_grad_norm: float | None
    patience: int | None
    monitor: Monitor | None
    class_weights: ClassWeights | None
    label_smoothing: float | None
    augment: Augment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Checked settings of one run; see Personalizer.fit.

    folds: of a cross-validation; 0: hold out `validation`, a share of each class, 0 for none. Default: 0 where validation is given, else
    what default_folds says. schedule: of the learning rate: "linear", "cosine", "constant"; warmup: share of the optimizer steps in which
    it rises from 0. gradient_accumulation_steps: batches whose gradients are averaged for one optimizer step. max_grad_norm: see
    clip_grad_norm. patience: the run ends after so many epochs that were no better than its best. monitor: what says which epoch is better
    where pictures are judged, "loss" (then accuracy) or "accuracy" (then loss).
    class_weights: "balanced" or by class name, see class_weights.py; label_smoothing: see with_loss_options.
    augment: {"mirror": True, "crop": True} or one of them, to learn from further rows of the pictures too, see augmentation.py.
    """

    batch_size: int
    learning_rate: float
    seed: int
    folds: int
    epochs: int = EPOCHS
    validation: float = VALIDATION
    schedule: Schedule = "linear"
    warmup: float = 0.0
    gradient_accumulation_steps: int = 1
    max_grad_norm: float | None = None
    patience: int | None = None
    monitor: Monitor = "loss"
    class_weights: ClassWeights | None = None
    label_smoothing: float = 0.0
    augment: Augment | None = None

    @classmethod
    def of(cls, options: FitOptions, **defaults: Callable[[], Any]) -> FitSettings:
        """The options, and for those that are None or left out what the other arguments say. Raises InvalidInputError."""
        known = [field.name for field in fields(cls)]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise InvalidInputError(f"fit: there is no option {', '.join(map(repr, unknown))}; there are {', '.join(known)}.")
        given: dict[str, Any] = {name: _plain(value) for name, value in options.items() if value is not None}
        if "validation" in given:
            defaults["folds"] = lambda: 0
        return cls(**{name: make() for name, make in defaults.items() if name not in given}, **given)

    def __post_init__(self) -> None:
        _check("epochs", self.epochs, int, 1, 10_000)
        _check("batch_size", self.batch_size, int, 1, 4096)
        _check("learning_rate", self.learning_rate, float, LOWEST_LEARNING_RATE, 10)
        _check("validation", self.validation, float, 0, 0.9)
        if self.folds != 0:
            _check("folds", self.folds, int, 2, 20)
        _check("seed", self.seed, int, 0, 2**63 - 1)
        _check_word("schedule", self.schedule, get_args(Schedule))
        _check("warmup", self.warmup, float, 0, 0.9)
        _check("gradient_accumulation_steps", self.gradient_accumulation_steps, int, 1, 4096)
        if self.max_grad_norm is not None:
            _check("max_grad_norm", self.max_grad_norm, float, 1e-8, 1e8)
        if self.patience is not None:
            _check("patience", self.patience, int, 1, 10_000)
        _check_word("monitor", self.monitor, get_args(Monitor))
        _check("label_smoothing", self.label_smoothing, float, 0, 0.99)
        variants_of(self.augment or {})


def _plain(value: object) -> object:
    """A numpy scalar as Python's number."""
    return value.item() if isinstance(value, np.generic) else value


def _check(name: str, value: object, kind: type, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float) or not low <= value <= high:
        raise InvalidInputError(
            f"fit: {name} is {value!r}, expected {'a whole number' if kind is int else 'a number'} from {low:g} to {high:g}."
        )


def _check_word(name: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"fit: {name} is {value!r}, expected one of {', '.join(map(repr, known))}.")
