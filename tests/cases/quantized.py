"""Cases of kernels/quantized.py."""

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
X, Y = integers(2, 3, 4, 5, low=0, high=256, dtype=np.uint8), integers(3, 1, 5, low=0, high=256, seed=1, dtype=np.uint8)
SIGNED = integers(2, 3, 4, 5, low=-128, high=128, dtype=np.int8)
QX, QY, QZ = [scalar(0.02), scalar(120, np.uint8)], [scalar(0.03), scalar(7, np.uint8)], [scalar(0.05), scalar(100, np.uint8)]
QS = [scalar(0.02), scalar(-5, np.int8)]
SMALL = [scalar(1 / 256), scalar(0, np.uint8)]
A, B, C = (
    integers(3, 6, low=0, high=256, dtype=np.uint8),
    integers(6, 4, low=-128, high=128, dtype=np.int8),
    integers(4, low=-900, high=900, dtype=np.int32),
)
QB = [scalar(0.03), scalar(3, np.int8)]
COLUMNS = [floats(4, low=0.01, high=0.05), integers(4, low=-9, high=9, dtype=np.int8)]
FLOATS, BIAS = floats(3, 6), floats(4, seed=1)

CASES = [
    *(Case("broadcast", op, 1, [X, *QX, Y, *QY, *QZ], **how) for op, how in (("QLinearAdd", EXACT), ("QLinearMul", STEP))),
    *(
        Case("signed", op, 1, [SIGNED, *QS, SIGNED[:1], *QS, scalar(0.05), scalar(3, np.int8)], **EXACT)
        for op in ("QLinearAdd", "QLinearMul")
    ),
    Case("broadcast", "QLinearWhere", 1, [np.arange(5) % 2 == 0, X, *QX, Y, *QY, *QZ], **EXACT),
    Case("three", "QLinearConcat", 1, [*QZ, X, *QX, X[:, :1], *QY, X[:, 1:], *QZ], {"axis": 1}, **EXACT),
    Case("bytes", "QLinearSigmoid", 1, [X, *QX, *SMALL], **EXACT),
    Case("signed", "QLinearSigmoid", 1, [SIGNED, scalar(0.05), scalar(4, np.int8), scalar(1 / 128), scalar(-1, np.int8)], **EXACT),
    Case("bytes", "QLinearLeakyRelu", 1, [X, *QX, *QZ], {"alpha": 0.2}, **EXACT),
    Case("default", "QLinearLeakyRelu", 1, [X, *QX, *QZ], **EXACT),
    Case("last", "QLinearSoftmax", 1, [X, *QX, *SMALL], {"opset": 13}, **EXACT),
    Case("axis", "QLinearSoftmax", 1, [X, *QX, *SMALL], {"opset": 13, "axis": 1}, **EXACT),
    Case("flattened", "QLinearSoftmax", 1, [X, *QX, *SMALL], {"opset": 11, "axis": 2}, **EXACT),
    Case("bias", "QGemm", 1, [A, *QX, B, *QB, C, *QZ], **EXACT),
    Case("floats", "QGemm", 1, [A, *QX, B, *QB, C], **ORT),
    Case("columns", "QGemm", 1, [A, *QX, B.T.copy(), *COLUMNS, C, *QZ], {"transB": 1}, **EXACT),
    Case("alpha", "QGemm", 1, [A.T.copy(), *QX, B, *QB, None, *QZ], {"transA": 1, "alpha": 0.5}, **EXACT),
    Case("bias", "MatMulIntegerToFloat", 1, [A, B, QX[0], QB[0], QX[1], QB[1], BIAS], **ORT),
    Case("columns", "MatMulIntegerToFloat", 1, [A, B, QX[0], COLUMNS[0], QX[1], COLUMNS[1]], **ORT),
    Case("plain", "DynamicQuantizeMatMul", 1, [FLOATS, B, QB[0]], **ORT),
    Case("bias", "DynamicQuantizeMatMul", 1, [FLOATS, B, *QB, BIAS], **ORT),
    Case("columns", "DynamicQuantizeMatMul", 1, [FLOATS, B, *COLUMNS], **ORT),
    Case("axis", "QuantizeLinear", 1, [floats(2, 4, 3, low=-3, high=3), COLUMNS[0], COLUMNS[1]], {"axis": 1}, **EXACT),
    Case("axis", "DequantizeLinear", 1, [integers(2, 4, 3, low=-128, high=128, dtype=np.int8), *COLUMNS], {"axis": 1}, **ORT),
]
