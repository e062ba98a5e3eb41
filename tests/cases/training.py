"""Cases of kernels/training.py; test_training.py says what they are held to. Sequences are lists of arrays."""

import numpy as np

from .case import MS, Case, floats, int64

REASON = "a training op, not in onnxruntime"
LR = np.float32([0.1])

CASES = [
    Case("add", "InPlaceAccumulatorV2", 1, [floats(2, 3), floats(2, 3, seed=1), np.array([False])], {}, MS, 2, "none", REASON),
    Case(
        "two_steps",
        "AdamWOptimizer",
        1,
        [LR, int64(2), *([floats(2, 3, seed=seed, low=low)] for seed, low in ((1, -2), (2, -2), (3, -2), (4, 0)))],  # type: ignore[list-item]
        {},
        MS,
        1,
        "none",
        REASON,
    ),
    Case(
        "two_tensors", "SGDOptimizerV2", 1, [LR, [floats(2), floats(3)], [floats(2, seed=1), floats(3, seed=1)]], {}, MS, 1, "none", REASON
    ),  # type: ignore[list-item]
    Case("clipped", "InplaceClipGradNorm", 1, [[floats(2, 3)]], {"max_norm": 0.5}, MS, 1, "none", REASON),  # type: ignore[list-item]
]
