"""What a set of answers says about a classifier."""

import math

import numpy as np
import pytest

from pagetrain.metrics import Score, log_softmax, objective

LOGITS = np.random.default_rng(0).normal(0, 2, (7, 3))
LABELS = np.array([0, 0, 1, 2, 0, 1, 0])


def test_objective_without_options_is_the_score():
    """Mean cross-entropy and share of right answers."""
    plain, general = Score.of(log_softmax(LOGITS), LABELS), objective(log_softmax(LOGITS), LABELS, np.ones(3), 0)
    assert general.loss == pytest.approx(plain.loss, rel=1e-12)  # the same sum in float64, in another order
    assert general.accuracy == pytest.approx(plain.accuracy, rel=1e-12)


def test_objective_is_the_loss_that_is_trained():
    """Sample by sample: target (1 - e) at the label and e / 3 everywhere, weighted by class, over the labels' weights."""
    weights, e = np.array([0.5, 2.0, 3.0]), 0.2
    loss = right = 0.0
    for row, label in zip(LOGITS, LABELS, strict=True):
        total = sum(map(math.exp, row))
        for c in range(3):
            loss -= weights[c] * ((1 - e) * (c == label) + e / 3) * math.log(math.exp(row[c]) / total)
        right += weights[label] * (max(range(3), key=row.__getitem__) == label)
    score = objective(log_softmax(LOGITS), LABELS, weights, e)
    assert score.loss == pytest.approx(loss / weights[LABELS].sum(), rel=1e-12)  # all in float64
    assert score.accuracy == pytest.approx(right / weights[LABELS].sum(), rel=1e-12)
