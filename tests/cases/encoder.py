"""Cases of kernels/encoder.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats, integers

ORT: dict[str, Any] = {
    "domain": MS,
    "oracle": "onnxruntime",
    "reason": "an op of onnxruntime; float32 sums in another order",
    "rtol": 1e-4,
    "atol": 1e-5,
}
IDS, SEGMENTS = integers(2, 5, low=0, high=9, dtype=np.int32), integers(2, 5, low=0, high=2, dtype=np.int32)
WORDS, PLACES, KINDS = floats(9, 8), floats(6, 8, seed=1), floats(2, 8, seed=2)
GAMMA, BETA = floats(8, seed=3), floats(8, seed=4)
MASK = np.int32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
X, W, B = floats(2, 5, 6), floats(6, 24, seed=1), floats(24, seed=2)
HEADS = {"num_heads": 2}
PAST = floats(2, 2, 2, 3, 4, seed=5)
EACH = integers(2, 5, 5, low=0, high=2, dtype=np.int32) | np.eye(5, dtype=np.int32)

CASES = [
    Case("all", "EmbedLayerNormalization", 1, [IDS, SEGMENTS, WORDS, PLACES, KINDS, GAMMA, BETA, MASK], outputs=2, **ORT),
    Case("no_segments", "EmbedLayerNormalization", 1, [IDS, None, WORDS, PLACES, None, GAMMA, BETA], {"epsilon": 1e-3}, outputs=2, **ORT),
    Case("places", "EmbedLayerNormalization", 1, [IDS, SEGMENTS, WORDS, PLACES, KINDS, GAMMA, BETA, None, SEGMENTS + 2], outputs=2, **ORT),
    Case("plain", "Attention", 1, [X, W, B], HEADS, **ORT),
    Case("lengths", "Attention", 1, [X, W, B, np.int32([3, 5])], HEADS, **ORT),
    Case("mask", "Attention", 1, [X, W, B, MASK], HEADS, **ORT),
    Case("each_query", "Attention", 1, [X, W, B, EACH], HEADS, **ORT),
    Case("unidirectional", "Attention", 1, [X, W, B], {**HEADS, "unidirectional": 1, "scale": 0.3}, **ORT),
    Case("past", "Attention", 1, [X, W, B, None, PAST], {**HEADS, "unidirectional": 1}, outputs=2, **ORT),
    Case("widths", "Attention", 1, [X, W[:, :20], B[:20]], {**HEADS, "qkv_hidden_sizes": [8, 8, 4]}, **ORT),
    Case("bias", "Attention", 1, [X, W, B, MASK, None, floats(1, 2, 5, 5)], HEADS, **ORT),
    Case("skip", "SkipSimplifiedLayerNormalization", 1, [floats(2, 5, 8), floats(2, 5, 8, seed=1), GAMMA], {"epsilon": 1e-5}, **ORT),
    Case("bias", "SkipSimplifiedLayerNormalization", 1, [floats(2, 5, 8), floats(2, 5, 8, seed=1), GAMMA, BETA], **ORT),
]
