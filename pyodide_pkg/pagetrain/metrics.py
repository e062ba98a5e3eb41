"""Probabilities from logits, and what a set of answers says about a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """x - log(sum(exp(x))) over the last axis, in float64, the maximum subtracted first."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def softmax(logits: np.ndarray) -> np.ndarray:
    """exp(x) / sum(exp(x)) over the last axis, in float64."""
    return np.asarray(np.exp(log_softmax(logits)))


@dataclass(frozen=True, slots=True)
class Score:
    """Mean cross-entropy in nats, and the share whose largest logit is its own class. Of no samples: infinity and 0."""

    loss: float
    accuracy: float

    @classmethod
    def of(cls, log_probabilities: np.ndarray, labels: np.ndarray) -> Score:
        """log_probabilities: (N, K); labels: (N,) int."""
        if len(labels) == 0:
            return cls(float("inf"), 0.0)
        own = log_probabilities[np.arange(len(labels)), labels]
        return cls(float(-own.mean()), float((log_probabilities.argmax(axis=1) == labels).mean()))


def objective(log_probabilities: np.ndarray, labels: np.ndarray, class_weights: np.ndarray, label_smoothing: float) -> Score:
    """The score by what a training with these options makes small: its loss, and the accuracy with every sample weighted by its class.

    log_probabilities: (N, K); labels: (N,) int, at least one; class_weights: (K,). Formula: api.with_loss_options.
    """
    weights = class_weights.astype(np.float64)
    own = weights[labels]
    sharp = own * log_probabilities[np.arange(len(labels)), labels]
    smooth = (log_probabilities * weights).mean(axis=1)
    loss = -((1 - label_smoothing) * sharp + label_smoothing * smooth).sum() / own.sum()
    return Score(float(loss), float(own[log_probabilities.argmax(axis=1) == labels].sum() / own.sum()))


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class: pictures of it, recall (found / count) and precision (found / answered); 0 where nothing was counted."""

    label: str
    count: int
    recall: float
    precision: float


@dataclass(frozen=True, slots=True)
class Metrics:
    """accuracy: share of right answers. confusion[i][j]: pictures of class i that were answered j, in the order of `labels`."""

    accuracy: float
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    per_class: tuple[ClassMetrics, ...]


def metrics_of(labels: Sequence[str], truth: Sequence[int], answers: Sequence[int]) -> Metrics:
    """Metrics of answers against the truth, both as class indices."""
    counts = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(counts, (np.asarray(truth, np.intp), np.asarray(answers, np.intp)), 1)
    found, of_class, answered = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    per_class = tuple(
        ClassMetrics(label, int(of_class[i]), float(found[i] / max(1, of_class[i])), float(found[i] / max(1, answered[i])))
        for i, label in enumerate(labels)
    )
    return Metrics(float(found.sum() / max(1, counts.sum())), tuple(labels), tuple(tuple(map(int, row)) for row in counts), per_class)
