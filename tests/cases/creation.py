"""Cases of kernels/creation.py."""

import numpy as np

from .case import Case, floats, int64, integers, scalar

CLASSES = [integers(2, 3, low=-4, high=6), scalar(4, np.int64), np.float32([-1, 2])]
X = np.float32([[1, 0, 2], [0, 0, 3]])

CASES = [
    *(Case("tensor", "Constant", since, [], {"value": integers(2, 3, low=0, high=9)}) for since in (1, 9, 11, 12, 13)),
    Case("float", "Constant", 12, [], {"value_float": 1.5}),
    Case("floats", "Constant", 13, [], {"value_floats": [1.5, 2.5]}),
    Case("int", "Constant", 13, [], {"value_int": 3}),
    Case("ints", "Constant", 13, [], {"value_ints": [3, 4]}),
    *(Case("default", "ConstantOfShape", since, [int64(2, 3)]) for since in (9, 20)),
    Case("value", "ConstantOfShape", 9, [int64(2, 3)], {"value": int64(7)}),
    Case("scalar", "ConstantOfShape", 9, [int64()], {"value": np.float64([0.5])}),
    Case("empty", "ConstantOfShape", 9, [int64(2, 0)]),
    Case("int64", "Range", 11, [scalar(2, np.int64), scalar(9, np.int64), scalar(3, np.int64)]),
    Case("down", "Range", 11, [scalar(9, np.int32), scalar(2, np.int32), scalar(-2, np.int32)]),
    Case("none", "Range", 11, [scalar(9, np.int64), scalar(2, np.int64), scalar(1, np.int64)]),
    Case("float", "Range", 11, [scalar(0.5), scalar(2.1), scalar(0.25)]),
    Case(
        "int64",
        "Range",
        27,
        [scalar(2, np.int64), scalar(9, np.int64), scalar(3, np.int64)],
        oracle="onnx",
        reason="newer than onnxruntime",
    ),
    Case("plain", "EyeLike", 9, [floats(2, 3)]),
    *(Case(f"k{k}", "EyeLike", 9, [floats(3, 4)], {"k": k, "dtype": 7}) for k in (-1, 2)),
    *(Case("default", "OneHot", since, CLASSES) for since in (9, 11)),
    *(Case(f"axis{axis}", "OneHot", 11, CLASSES, {"axis": axis}) for axis in (0, 1, -2)),
    Case(
        "int64",
        "OneHot",
        11,
        [integers(3, low=0, high=4), int64(4), int64(0, 1)],
        oracle="onnxruntime",
        reason="the reference wants a scalar depth",
    ),
    *(Case("matrix", "NonZero", since, [X]) for since in (9, 13)),
    Case("bool", "NonZero", 13, [X > 1]),
]
