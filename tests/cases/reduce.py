"""Cases of kernels/reduce.py."""

import numpy as np

from .case import Case, floats, int64, integers

X = floats(2, 3, 4, 5, low=0.5)  # positive, for logarithms
SIGNED = floats(2, 3, 4)
ORDER, ARITHMETIC = ("ReduceMax", "ReduceMin"), ("ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare")
LOGARITHMS = ("ReduceLogSum", "ReduceLogSumExp")
OLD = {"ReduceSum": (1, 11), **dict.fromkeys(ORDER, (1, 11, 12, 13)), **dict.fromkeys((*ARITHMETIC, *LOGARITHMS), (1, 11, 13))}
NEW = {"ReduceSum": (13,), **dict.fromkeys(ORDER, (18, 20)), **dict.fromkeys((*ARITHMETIC, *LOGARITHMS), (18,))}

CASES = [
    *(Case("axes", op, since, [X], {"axes": [0, 2], "keepdims": 0}) for op, versions in OLD.items() for since in versions),
    *(Case("all", op, since, [X]) for op, versions in OLD.items() for since in versions),
    *(Case("negative", op, 11, [X], {"axes": [-1]}) for op in OLD),
    *(Case("axes", op, since, [X, int64(0, 2)], {"keepdims": 0}) for op, versions in NEW.items() for since in versions),
    *(Case("keepdims", op, since, [X, int64(-1, 1)]) for op, versions in NEW.items() for since in versions),
    *(Case("all", op, since, [X], {"keepdims": 0}) for op, versions in NEW.items() for since in versions),
    *(Case("empty_all", op, since, [X, int64()], {"keepdims": 1}) for op, versions in NEW.items() for since in versions),
    *(Case("noop", op, since, [X, int64()], {"noop_with_empty_axes": 1}) for op, versions in NEW.items() for since in versions),
    *(Case("noop_without_axes", op, since, [X], {"noop_with_empty_axes": 1}) for op, versions in NEW.items() for since in versions),
    Case("int64", "ReduceSum", 13, [integers(3, 4, low=-9, high=9), int64(0)]),
    *(Case("signed", op, 18, [SIGNED, int64(1)]) for op in (*ARITHMETIC, "ReduceLogSumExp")),
    *(Case("int32", op, 18, [integers(3, 4, low=-4, high=5, dtype=np.int32), int64(1)]) for op in ("ReduceProd", "ReduceL1")),
    *(Case("int32", op, 20, [integers(3, 4, low=-4, high=5, dtype=np.int32), int64(1)]) for op in ORDER),
    Case("large", "ReduceLogSumExp", 18, [SIGNED * 100, int64(2)], oracle="none", reason="both may overflow"),
    Case(
        "int32",
        "ReduceSumSquare",
        18,
        [integers(3, 4, low=-4, high=5, dtype=np.int32), int64(1)],
        oracle="onnxruntime",
        reason="onnx's reference gives int64",
    ),
    *(Case("axes", op, 28, [X, int64(0, 2)], oracle="onnx", reason="newer than onnxruntime") for op in LOGARITHMS),
    *(Case("bool", op, 20, [integers(3, 4, low=0, high=2).astype(bool), int64(1)]) for op in ORDER),
    *(
        Case(f"nothing_{dtype}", op, 20, [np.ones((2, 0, 3), dtype), int64(1)], oracle="onnx", reason="onnxruntime refuses to")
        for op in ORDER
        for dtype in ("float32", "float16", "int32", "bool")
    ),
]
