"""Cases of artifacts_tool/gradient/loss.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal


def loss_cases():
    scores, labels = normal(4, 3), ints(2, 0, 1, 1)
    for reduction in ("mean", "sum"):
        yield Case("SoftmaxCrossEntropyLoss", [scores, labels], (0,), {"reduction": reduction}, outputs=2, note=reduction)
        weighted = [scores, labels, np.array([0.2, 1.0, 3.0])]
        yield Case("SoftmaxCrossEntropyLoss", weighted, (0,), {"reduction": reduction}, outputs=2, note=f"{reduction}_weights")
    yield Case("SoftmaxCrossEntropyLoss", [scores, labels], (0,), {"ignore_index": 1}, outputs=2, note="ignore")
    yield Case("SoftmaxCrossEntropyLoss", [normal(2, 3, 2), np.array([[0, 1], [2, 2]])], (0,), outputs=2, note="spatial")


def internal_cases():
    """The form that stands in models older than opset 12."""
    scores, labels, weights = normal(4, 3), ints(2, 0, 1, 1), np.array([0.2, 1.0, 3.0])
    for note, inputs in {"plain": [], "weights": [weights], "ignored": [None, np.array(1)], "both": [weights, np.array(1)]}.items():
        yield Case(
            "SoftmaxCrossEntropyLossInternal", [scores, labels, *inputs], (0,), outputs=2, opset=9, note=note, domain="com.microsoft"
        )


CASES = [
    *loss_cases(),
    *internal_cases(),
]
