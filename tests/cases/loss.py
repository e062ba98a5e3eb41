"""Cases of kernels/loss.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats, integers

SCORES, LABELS = floats(5, 4, low=-5, high=5), integers(5, low=0, high=4)
DEEP, DEEP_LABELS = floats(2, 3, 4, 2), integers(2, 4, 2, low=0, high=3)
WEIGHTS = floats(4, seed=3, low=0.5, high=2)

# name: (scores, labels, weights, attributes)
LOSSES: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray | None, dict[str, Any]]] = {
    "mean": (SCORES, LABELS, None, {}),
    "sum": (SCORES, LABELS, None, {"reduction": "sum"}),
    "none": (SCORES, LABELS, None, {"reduction": "none"}),
    "weights": (SCORES, LABELS, WEIGHTS, {"reduction": "mean"}),
    "weights_none": (SCORES, LABELS, WEIGHTS, {"reduction": "none"}),
    "ignored": (SCORES, LABELS, None, {"ignore_index": int(LABELS[0])}),
    "ignored_outside": (SCORES, np.where(np.arange(5) == 2, -100, LABELS), None, {"ignore_index": -100}),
    "ignored_weights": (SCORES, LABELS, WEIGHTS, {"ignore_index": int(LABELS[1]), "reduction": "mean"}),
    "ignored_weights_sum": (SCORES, LABELS, WEIGHTS, {"ignore_index": int(LABELS[1]), "reduction": "sum"}),
    "int32": (SCORES, LABELS.astype(np.int32), None, {}),
    "spatial": (DEEP, DEEP_LABELS, None, {}),
    "spatial_none": (DEEP, DEEP_LABELS, floats(3, seed=4, low=0.5, high=2), {"reduction": "none"}),
}
ALL_IGNORED = (SCORES, np.full(5, -1), None, {"ignore_index": -1})

CASES = [
    *(Case(name, "SoftmaxCrossEntropyLoss", 13, loss[:3], loss[3], outputs=2) for name, loss in LOSSES.items()),
    *(Case(name, "NegativeLogLikelihoodLoss", 13, loss[:3], loss[3]) for name, loss in LOSSES.items()),
    *(Case("mean", "NegativeLogLikelihoodLoss", since, [SCORES, LABELS]) for since in (12, 22)),
    Case("mean", "SoftmaxCrossEntropyLoss", 12, [SCORES, LABELS], outputs=2),
    Case(
        "large",
        "SoftmaxCrossEntropyLoss",
        13,
        [SCORES * 100, LABELS],
        outputs=2,
        oracle="onnxruntime",
        reason="onnx's reference takes the logarithm of a zero",
    ),
    Case(
        "all_ignored",
        "SoftmaxCrossEntropyLoss",
        13,
        ALL_IGNORED[:3],
        ALL_IGNORED[3],
        outputs=2,
        oracle="none",
        reason="0/0 by the formula: both oracles give NaN, ORT's training package 0",
    ),
    Case(
        "mean",
        "SoftmaxCrossEntropyLossGrad",
        1,
        [np.float32(1), np.log(np.full((5, 4), 0.25, np.float32)), LABELS],
        {},
        MS,
        oracle="none",
        reason="a training op; held to differences of the loss, for every reduction, in test_loss.py",
    ),
    Case(
        "ignored",
        "SoftmaxCrossEntropyLossInternal",
        1,
        [SCORES, LABELS, WEIGHTS, np.array(int(LABELS[0]))],
        {},
        MS,
        2,
        oracle="none",
        reason="a training op; held to SoftmaxCrossEntropyLoss in test_loss.py",
    ),
    Case(
        "ignored",
        "SoftmaxCrossEntropyLossInternalGrad",
        1,
        [np.float32(1), np.log(np.full((5, 4), 0.25, np.float32)), LABELS, None, np.array(int(LABELS[0]))],
        {},
        MS,
        oracle="none",
        reason="a training op; held to SoftmaxCrossEntropyLossGrad in test_loss.py",
    ),
]
