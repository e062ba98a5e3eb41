"""Cases of kernels/batch_norm.py, layer_norm.py and pagetrain_ops/group_norm.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats

X = floats(2, 3, 4, 5)
CHANNELS = [floats(3, seed=1), floats(3, seed=2), floats(3, seed=3), floats(3, seed=4, low=0.1)]  # scale, B, mean, var
TRAINING: dict[str, Any] = {"oracle": "none", "reason": "a training op, not in onnxruntime; see test_normalization.py"}
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "not in onnx's reference, or wrong there"}
ONNX: dict[str, Any] = {"oracle": "onnx", "reason": "onnxruntime lacks this version"}
BN_GRAD = [X, floats(2, 3, 4, 5, seed=5), CHANNELS[0], CHANNELS[2], CHANNELS[3]]
LN_GRAD = [floats(2, 3, 4, seed=5), floats(2, 3, 4), floats(4, seed=1), floats(2, 3, 1, seed=2), floats(2, 3, 1, seed=3, low=0.1)]

BATCH = [
    *(Case("2d", "BatchNormalization", since, [X, *CHANNELS], {"epsilon": 0.1}, **ORT) for since in (7, 9)),
    *(Case("2d", "BatchNormalization", since, [X, *CHANNELS]) for since in (14, 15)),
    Case("epsilon", "BatchNormalization", 15, [X, *CHANNELS], {"epsilon": 0.1}),
    *(Case(f"{len(shape)}_axes", "BatchNormalization", 15, [floats(*shape), *CHANNELS]) for shape in ((4, 3), (4, 3, 5), (1, 3, 2, 3, 4))),
    Case(
        "not_spatial",
        "BatchNormalization",
        7,
        [floats(2, 3, 4), *(floats(3, 4, seed=seed, low=0.1) for seed in range(1, 5))],
        {"spatial": 0},
        **ORT,
    ),
    *(
        Case("training", "BatchNormalization", since, [X, *CHANNELS], {"training_mode": 1, "momentum": 0.7}, outputs=3, **ORT)
        for since in (14, 15)
    ),
    Case("training", "BatchNormInternal", 1, [X, *CHANNELS], {"training_mode": 1}, MS, 5, **TRAINING),
    Case("plain", "BatchNormalizationGrad", 1, BN_GRAD, {}, MS, 3, **TRAINING),
]
LAYER = [
    Case("last", "LayerNormalization", 17, [X, floats(5, seed=1), floats(5, seed=2)], outputs=3),
    Case("without_B", "LayerNormalization", 17, [X, floats(5, seed=1)], {"epsilon": 0.1}),
    *(
        Case(f"axis{axis}", "LayerNormalization", 17, [X, floats(*X.shape[axis:], seed=1), floats(*X.shape[axis:], seed=2)], {"axis": axis})
        for axis in (0, 1, 2, 3, -2)
    ),
    Case("broadcast", "LayerNormalization", 17, [X, floats(4, 1, seed=1), floats(5, seed=2)], {"axis": 2}, oracle="onnx", reason="as ONNX"),
    *(Case(f"axis{axis}", "RMSNormalization", 23, [X, floats(*X.shape[axis:], seed=1)], {"axis": axis}) for axis in (1, -1)),
    Case("plain", "SimplifiedLayerNormalization", 1, [X, floats(5, seed=1)], outputs=2, oracle="none", reason="as RMSNormalization"),
    Case("plain", "LayerNormalizationGrad", 1, LN_GRAD, {}, MS, 3, **TRAINING),
    Case(
        "all",
        "SkipLayerNormalization",
        1,
        [floats(2, 3, 4), floats(2, 3, 4, seed=1), floats(4, seed=2), floats(4, seed=3), floats(4, seed=4)],
        {"epsilon": 1e-5},
        MS,
        **ORT,
    ),
    Case("plain", "SkipLayerNormalization", 1, [floats(2, 3, 4), floats(2, 3, 4, seed=1), floats(4, seed=2)], {}, MS, **ORT),
]
GROUP = [
    *(Case("2d", "InstanceNormalization", since, [X, *CHANNELS[:2]], {"epsilon": 1e-3}) for since in (6, 22)),
    Case("1d", "InstanceNormalization", 6, [floats(2, 3, 5), *CHANNELS[:2]]),
    Case("groups", "GroupNormalization", 18, [floats(2, 6, 4, 5), *(floats(2, seed=seed) for seed in (1, 2))], {"num_groups": 2}, **ONNX),
    Case("groups", "GroupNormalization", 21, [floats(2, 6, 4, 5), *(floats(6, seed=seed) for seed in (1, 2))], {"num_groups": 3}),
    *(Case("default", "MeanVarianceNormalization", since, [X]) for since in (9, 13)),
    Case("axes", "MeanVarianceNormalization", 13, [X], {"axes": [1, 3]}),
    *(
        Case(f"p{p}", "LpNormalization", since, [X], {"p": p, "axis": axis}, **ORT)
        for since, p, axis in ((1, 1, 1), (1, 2, -1), (22, 2, 0))
    ),
    Case("zero", "LpNormalization", 1, [np.float32([[0, 0], [3, 4]])], **ORT),
    *(Case(f"size{size}", "LRN", since, [floats(2, 6, 3, 4)], {"size": size}, **ORT) for since in (1, 13) for size in (1, 3)),
    Case("all", "LRN", 13, [floats(2, 6, 3, 4)], {"size": 5, "alpha": 0.3, "beta": 0.6, "bias": 2.0}, **ORT),
]
CASES = [*BATCH, *LAYER, *GROUP]
