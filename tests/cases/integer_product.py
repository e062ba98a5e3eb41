"""Cases of kernels/integer_product.py."""

import numpy as np

from .case import Case, floats, integers, scalar

A8, B8 = integers(3, 5, low=0, high=256, dtype=np.uint8), integers(5, 4, low=-128, high=128, dtype=np.int8)
A, B = integers(2, 3, 5, low=0, high=256, dtype=np.uint8), integers(2, 5, 4, low=0, high=256, seed=1, dtype=np.uint8)
X, W = integers(2, 4, 6, 5, low=0, high=256, dtype=np.uint8), integers(6, 4, 3, 2, low=0, high=256, seed=1, dtype=np.uint8)
GROUPED = integers(6, 2, 3, 2, low=0, high=256, seed=1, dtype=np.uint8)
LINE, FILTER = integers(1, 2, 9, low=0, high=256, dtype=np.uint8), integers(3, 2, 3, low=0, high=256, dtype=np.uint8)
ZERO = scalar(120, np.uint8)
PER_FILTER = integers(6, low=100, high=140, dtype=np.uint8)
SIGNED = integers(6, 4, 3, 2, low=-128, high=128, dtype=np.int8)
ONNX = {"oracle": "onnx", "reason": "not in onnxruntime"}


def qconv(name, x, w, w_scale, w_zero, bias=None, dtype=np.uint8, oracle=None, **attributes):
    inputs = [x, scalar(0.02), ZERO, w, w_scale, w_zero, scalar(0.9), scalar(100 if dtype is np.uint8 else 3, dtype), bias]
    return Case(name, "QLinearConv", 10, inputs[: 9 if bias is not None else 8], attributes, **(oracle or {}))


def qmatmul(name, since, a, b, b_scale, b_zero, **oracle):
    return Case(name, "QLinearMatMul", since, [a, scalar(0.02), ZERO, b, b_scale, b_zero, scalar(0.7), scalar(90, np.uint8)], **oracle)


CASES = [
    Case("plain", "MatMulInteger", 10, [A8, B8]),
    Case("zero_points", "MatMulInteger", 10, [A8, B8, ZERO, scalar(3, np.int8)]),
    Case("of_columns", "MatMulInteger", 10, [A8, B8, ZERO, np.int8([1, -2, 3, 4])]),
    Case("of_rows", "MatMulInteger", 10, [A8, B8, np.uint8([[1], [2], [3]]), scalar(3, np.int8)], **ONNX),
    Case("batch", "MatMulInteger", 10, [A, B, ZERO, ZERO]),
    *(qmatmul("flat", since, A8, B.reshape(-1, 4)[:5], scalar(0.03), ZERO) for since in (10, 21)),
    *(qmatmul("batch", since, A, B, scalar(0.03), ZERO) for since in (10, 21)),
    qmatmul("of_columns", 21, A8, B[0], floats(4, low=0.01, high=0.05), integers(4, low=90, high=140, dtype=np.uint8)),
    Case("plain", "ConvInteger", 10, [X, W]),
    Case("padded", "ConvInteger", 10, [X, W, ZERO, ZERO], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    Case("same", "ConvInteger", 10, [X, W, ZERO], {"auto_pad": "SAME_UPPER", "dilations": [1, 2]}, **ONNX),
    Case("grouped", "ConvInteger", 10, [X, GROUPED, ZERO], {"group": 2}),
    Case("of_filters", "ConvInteger", 10, [X, W, ZERO, PER_FILTER], **ONNX),
    Case("line", "ConvInteger", 10, [LINE, FILTER, ZERO], {"pads": [1, 1]}),
    qconv("plain", X, W, scalar(0.03), ZERO, pads=[1, 1, 1, 1], strides=[2, 2]),
    qconv("bias", X, W, scalar(0.03), ZERO, integers(6, low=-900, high=900, dtype=np.int32)),
    qconv("of_filters", X, SIGNED, floats(6, low=0.01, high=0.05), np.zeros(6, np.int8), integers(6, low=-900, high=900, dtype=np.int32)),
    qconv("grouped", X, GROUPED, scalar(0.03), ZERO, group=2, dilations=[2, 1]),
    qconv("line", LINE, FILTER, scalar(0.03), ZERO, auto_pad="SAME_LOWER"),
]
