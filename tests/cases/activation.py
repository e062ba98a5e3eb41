"""Cases of kernels/activation.py."""

import numpy as np

from .case import MS, Case, floats, integers, scalar

X = floats(2, 3, 4, low=-9, high=9)
EDGES = np.float32([-np.inf, -7, -0.0, 0, 1e-40, 3, 6, 6.0000005, 7, np.inf])
WITH_NAN = np.float32([[-1, np.nan, 3], [9, -np.nan, np.inf]])

CASES = [
    *(Case("floats", "Relu", since, [X]) for since in (6, 13, 14)),
    Case("edges", "Relu", 14, [EDGES]),
    Case("nan", "Relu", 14, [WITH_NAN], oracle="onnx", reason="onnxruntime may drop NaN; onnx keeps it"),
    Case("int32", "Relu", 14, [integers(2, 5, low=-4, high=4, dtype=np.int32)]),
    Case("double", "Relu", 14, [X.astype(np.float64)]),
    Case("floats", "ReluGrad", 1, [floats(2, 3, 4, seed=1), X], domain=MS, oracle="none", reason="no kernel in onnxruntime"),
    Case("both", "Clip", 6, [X], {"min": 0.0, "max": 6.0}),
    Case("none", "Clip", 6, [X]),
    *(Case("both", "Clip", since, [X, scalar(0), scalar(6)]) for since in (11, 12, 13)),
    Case("edges", "Clip", 13, [EDGES, scalar(0), scalar(6)]),
    Case("nan", "Clip", 13, [WITH_NAN, scalar(0), scalar(6)], oracle="onnx", reason="onnxruntime may drop NaN; onnx keeps it"),
    Case("negative_low", "Clip", 13, [X, scalar(-3), scalar(2.5)]),
    Case("low_only", "Clip", 13, [X, scalar(1)]),
    Case("high_only", "Clip", 13, [X, None, scalar(1)]),
    Case("none", "Clip", 13, [X]),
    Case("crossed", "Clip", 13, [X, scalar(4), scalar(2)]),
    Case("int64", "Clip", 13, [integers(7, low=-9, high=9), scalar(-2, np.int64), scalar(5, np.int64)]),
    Case("channels", "Clip", 13, [floats(2, 3, 4, 5, low=-9, high=9), scalar(0), scalar(6)]),
    *(Case(f"axis{axis}", op, 13, [X], {"axis": axis}) for op in ("Softmax", "LogSoftmax") for axis in (0, 1, -1)),
    Case("large", "Softmax", 13, [X * 100]),
    Case("large", "LogSoftmax", 13, [X * 100], oracle="onnxruntime", reason="onnx's reference takes the logarithm of a zero"),
    *(
        Case(f"axis{axis}", op, since, [X], {"axis": axis}, oracle="onnxruntime", reason="onnx's reference has the per-axis form only")
        for op in ("Softmax", "LogSoftmax")
        for since, axis in ((1, 1), (1, 2), (11, 0), (11, -1))
    ),
    *(
        Case("default", op, 1, [X], oracle="onnxruntime", reason="onnx's reference has the per-axis form only")
        for op in ("Softmax", "LogSoftmax")
    ),
    *(
        Case("floats", op, 1, [floats(2, 3, 4, seed=1), X], domain=MS, oracle="none", reason="a training op")
        for op in ("SoftmaxGrad_13", "LogSoftmaxGrad_13", "SoftmaxGrad", "LogSoftmaxGrad")
    ),
]
