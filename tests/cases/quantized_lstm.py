"""Cases of kernels/quantized_lstm.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats, integers

T, N, SIZE, HIDDEN = 4, 1, 5, 3  # one sequence: onnxruntime rounds the states of several by the number of its threads
ORT: dict[str, Any] = {"domain": MS, "oracle": "onnxruntime", "reason": "an op of onnxruntime; float32 sums", "rtol": 1e-4, "atol": 1e-5}


def inputs(ways: int, each_column: bool, dtype: type = np.int8, more: bool = False) -> list[np.ndarray | None]:
    low, shape = (-128, (ways, 4 * HIDDEN)) if dtype is np.int8 else (0, (ways,))
    shape = shape if each_column else (ways,)
    weights = [integers(ways, size, 4 * HIDDEN, low=low, high=low + 256, seed=size, dtype=dtype) for size in (SIZE, HIDDEN)]
    scales = [floats(*shape, seed=seed, low=0.002, high=0.01) for seed in (4, 5)]
    zeros = [np.zeros(shape, dtype) if dtype is np.int8 else integers(*shape, low=100, high=140, seed=seed, dtype=dtype) for seed in (6, 7)]
    states = [floats(ways, N, HIDDEN, seed=seed) for seed in (8, 9)] if more else [None, None]
    lengths = np.int32([3]) if more else None
    peepholes = floats(ways, 3 * HIDDEN, seed=10) if more else None
    bias = floats(ways, 8 * HIDDEN, seed=3)
    return [floats(T, N, SIZE), *weights, bias, lengths, *states, peepholes, scales[0], zeros[0], scales[1], zeros[1]]


CASES = [
    Case("plain", "DynamicQuantizeLSTM", 1, inputs(1, each_column=False), {"hidden_size": HIDDEN}, outputs=3, **ORT),
    Case("columns", "DynamicQuantizeLSTM", 1, inputs(1, each_column=True), {"hidden_size": HIDDEN}, outputs=3, **ORT),
    Case("bytes", "DynamicQuantizeLSTM", 1, inputs(1, False, np.uint8), {"hidden_size": HIDDEN, "direction": "reverse"}, outputs=3, **ORT),
    Case(
        "bidirectional",
        "DynamicQuantizeLSTM",
        1,
        inputs(2, each_column=False, more=True),
        {"hidden_size": HIDDEN, "direction": "bidirectional", "clip": 3.0},
        outputs=3,
        **ORT,
    ),
]
