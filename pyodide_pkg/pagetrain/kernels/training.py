"""The ops that write their inputs: gradient accumulation and optimizers."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..errors import InvalidInputError
from ..graph import MS_DOMAIN
from .registry import kernel

Sequence = list[np.ndarray]


@kernel("InPlaceAccumulatorV2", domain=MS_DOMAIN, mutates=(0,))
def in_place_accumulator(
    accumulation_buffer: np.ndarray, value: np.ndarray, overwrite_flag: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """buffer := value if overwrite_flag, else buffer + value (value broadcasts). overwrite_flag: bool [1].

    Returns (updated flag [True], the buffer itself). Source: com.microsoft InPlaceAccumulatorV2-1.
    """
    if overwrite_flag is not None and overwrite_flag.item():
        np.copyto(accumulation_buffer, value)
    else:
        accumulation_buffer += value
    return np.array([True]), accumulation_buffer


@kernel("AdamWOptimizer", domain=MS_DOMAIN, mutates=(2, 4, 5), workspace=1)
def adamw_optimizer(
    lr: np.ndarray,
    step: np.ndarray,
    weights: Sequence,
    gradients: Sequence,
    momentums_1: Sequence,
    momentums_2: Sequence,
    update_signal: np.ndarray | None = None,
    *,
    alpha: float = 0.9,
    beta: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.01,
    correct_bias: int = 1,
    adam_mode: int = 0,
) -> tuple[np.ndarray, Sequence, Sequence, Sequence]:
    """m = alpha m + (1-alpha) g; v = beta v + (1-beta) g g; w -= rate m / (sqrt(v) + epsilon), and decay: all written in place.

    lr: float [1]; step: int64 [1], completed steps + 1; update_signal: bool, false = nothing is done. With c1 = 1 - alpha^step,
    c2 = 1 - beta^step: adam_mode 0 decays first and is torch's formula, w -= lr / c1 m / (sqrt(v / c2) + epsilon), here with the fraction
    multiplied by sqrt(c2); adam_mode 1 has rate = lr sqrt(c2) / c1 with epsilon added to the uncorrected root, and decays after, with the
    new w (Hugging Face's AdamW).
    Returns (updated flag, weights, momentums_1, momentums_2). Source: com.microsoft AdamWOptimizer-1.
    """
    if update_signal is not None and not update_signal.all():
        return np.array([False]), weights, momentums_1, momentums_2
    t = int(step.reshape(()))
    c1, c2 = (1 - alpha**t, 1 - beta**t) if correct_bias else (1.0, 1.0)
    rate = float(lr.reshape(()))
    pace, floor = rate * sqrt(c2) / c1, epsilon * (sqrt(c2) if adam_mode == 0 else 1.0)
    for w, g, m, v in zip(weights, gradients, momentums_1, momentums_2, strict=True):
        scratch = np.empty_like(w)  # the only temporary array; numpy's results would be one for each operation
        m *= alpha
        m += np.multiply(g, 1 - alpha, out=scratch)
        v *= beta
        np.multiply(g, g, out=scratch)
        v += np.multiply(scratch, 1 - beta, out=scratch)
        if adam_mode == 0:
            w -= np.multiply(w, rate * weight_decay, out=scratch)
        np.sqrt(v, out=scratch)
        scratch += floor
        np.divide(m, scratch, out=scratch)
        scratch *= pace
        w -= scratch
        if adam_mode != 0:
            w -= np.multiply(w, rate * weight_decay, out=scratch)
    return np.array([True]), weights, momentums_1, momentums_2


@kernel("SGDOptimizerV2", domain=MS_DOMAIN, mutates=(1,), workspace=1)
def sgd_optimizer(
    lr: np.ndarray, weights: Sequence, gradients: Sequence, update_signal: np.ndarray | None = None
) -> tuple[np.ndarray, Sequence]:
    """w -= lr g, in place. update_signal: bool, false = nothing is done. Returns (updated flag, weights).

    Source: com.microsoft SGDOptimizerV2-1.
    """
    if update_signal is not None and not update_signal.all():
        return np.array([False]), weights
    for w, g in zip(weights, gradients, strict=True):
        w -= lr.reshape(()) * g
    return np.array([True]), weights


@kernel("InplaceClipGradNorm", domain=MS_DOMAIN, mutates=(0,), workspace=2)  # float64 of float32
def inplace_clip_grad_norm(gradients: Sequence, *, max_norm: float = 1.0, norm_type: str = "fro") -> tuple[Sequence]:
    """g *= min(1, max_norm / (n + 1e-6)) in place, n the root of the sum of all squares of all gradients. Returns the sequence.

    norm_type: "fro" alone is defined. Source: com.microsoft InplaceClipGradNorm-1.
    """
    if norm_type != "fro":
        raise InvalidInputError(f"The norm {norm_type!r} is not known; InplaceClipGradNorm has 'fro' alone.")
    clip_to_norm(gradients, max_norm)
    return (gradients,)


def clip_to_norm(gradients: Sequence, max_norm: float) -> float:
    """g *= min(1, max_norm / (n + 1e-6)) in place; returns n, the root of the sum of all squares, added up in float64."""
    norm = sqrt(sum(float(np.square(g, dtype=np.float64).sum()) for g in gradients))
    if (factor := max_norm / (norm + 1e-6)) < 1:
        for g in gradients:
            g *= g.dtype.type(factor)
    return norm
