"""Cases of kernels/signal.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, floats, scalar

REAL, COMPLEX = floats(2, 7, 4, 1), floats(2, 7, 4, 2)
HALF = np.concatenate((floats(2, 5, 1), np.where(np.arange(5)[:, None] % 4, floats(2, 5, 1, seed=1), np.float32(0))), axis=2)
SIGNAL, FRAME = floats(2, 20, 1), floats(6, low=0)
SUMS: dict[str, Any] = {"rtol": 1e-4, "atol": 2e-5, "reason": "float32 sums in onnxruntime; double here"}
ONNX: dict[str, Any] = {"oracle": "onnx", "reason": "onnxruntime refuses it"}
MEL = [scalar(value, np.int64) for value in (8, 64, 8192)]
WINDOWS = ("HannWindow", "HammingWindow", "BlackmanWindow")

CASES = [
    *(Case(f"axis_{axis}", "DFT", 17, [REAL], {"axis": axis}, **SUMS) for axis in (1, 2)),
    Case("complex", "DFT", 17, [COMPLEX], **SUMS),
    Case("inverse", "DFT", 17, [COMPLEX], {"inverse": 1}, **SUMS),
    Case("onesided", "DFT", 17, [REAL], {"onesided": 1}, **SUMS),
    *(Case(f"length_{n}", "DFT", 17, [REAL, scalar(n, np.int64)], **SUMS) for n in (5, 10)),
    *(Case(f"axis_{axis}", "DFT", 20, [REAL, None, scalar(axis, np.int64)], **SUMS) for axis in (1, -2)),
    Case("default_axis", "DFT", 20, [COMPLEX], **SUMS),
    Case("inverse_onesided", "DFT", 20, [HALF], {"inverse": 1, "onesided": 1}, **SUMS),
    Case("plain", "STFT", 17, [SIGNAL, scalar(4, np.int64), None, scalar(6, np.int64)], **SUMS),
    Case("window", "STFT", 17, [SIGNAL, scalar(3, np.int64), FRAME], **SUMS),
    Case("both_sides", "STFT", 17, [SIGNAL, scalar(3, np.int64), FRAME, scalar(6, np.int64)], {"onesided": 0}, **SUMS),
    Case("speech", "MelWeightMatrix", 17, [*MEL, scalar(20), scalar(4000)], **SUMS),
    *(
        Case(f"{name}_{count}", op, 17, [scalar(count, np.int64)], {"periodic": periodic}, **SUMS)
        for op in WINDOWS
        for name, periodic in (("periodic", 1), ("symmetric", 0))
        for count in (10, 7)
    ),
    Case("double", "HannWindow", 17, [scalar(10, np.int64)], {"output_datatype": 11}, **SUMS),
]
