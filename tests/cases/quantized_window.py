"""Cases of kernels/quantized_window.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats, integers, scalar

ORT: dict[str, Any] = {"domain": MS, "oracle": "onnxruntime", "reason": "an op of onnxruntime"}
EXACT: dict[str, Any] = {**ORT, "rtol": 0, "atol": 0}
STEP: dict[str, Any] = {
    **ORT,
    "rtol": 0,
    "atol": 1,
    "reason": "an op of onnxruntime; float32 sums in another order may round to the next step",
}
X = integers(2, 3, 4, 5, low=0, high=256, dtype=np.uint8)
SIGNED = integers(2, 3, 4, 5, low=-128, high=128, dtype=np.int8)
QX, QY, QZ = [scalar(0.02), scalar(120, np.uint8)], [scalar(0.03), scalar(7, np.uint8)], [scalar(0.05), scalar(100, np.uint8)]
FILTERS, OFFSETS = integers(4, 3, 2, 3, low=-128, high=128, dtype=np.int8), integers(4, low=-900, high=900, dtype=np.int32)
QF = [floats(4, low=0.01, high=0.05), np.zeros(4, np.int8)]
CONV = {"pads": [1, 1, 0, 1], "strides": [2, 1]}
WINDOW = {"kernel_shape": [2, 3], "pads": [1, 1, 0, 1], "strides": [1, 2]}

CASES = [
    *(
        Case(f"channels_last{last}", "QLinearConv", 1, [pixels, *QX, FILTERS, *QF, *QZ, OFFSETS], {"channels_last": last, **CONV}, **EXACT)
        for last, pixels in ((0, X), (1, np.moveaxis(X, 1, -1).copy()))
    ),
    Case("bytes", "NhwcMaxPool", 1, [X], {"kernel_shape": [2, 2], "pads": [1, 0, 0, 1], "strides": [1, 2]}, **EXACT),
    Case("signed", "NhwcMaxPool", 1, [SIGNED], {"kernel_shape": [2, 3], "dilations": [1, 1], "ceil_mode": 1, "strides": [2, 2]}, **EXACT),
    Case("padded", "QLinearAveragePool", 1, [X, *QX, *QY], WINDOW, **STEP),
    Case("pads_count", "QLinearAveragePool", 1, [X, *QX, *QY], {**WINDOW, "count_include_pad": 1, "ceil_mode": 1}, **EXACT),
    Case("channels_last", "QLinearAveragePool", 1, [X, *QX, *QY], {**WINDOW, "channels_last": 1}, **STEP),
    Case("first", "QLinearGlobalAveragePool", 1, [X, *QX, *QY], **EXACT),
    Case("last", "QLinearGlobalAveragePool", 1, [X, *QX, *QY], {"channels_last": 1}, **EXACT),
]
