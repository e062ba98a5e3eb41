"""Cases of kernels/bits.py."""

import numpy as np

from .case import Case, floats, integers

A, B = integers(3, 4, low=-9, high=9, dtype=np.int32), integers(4, low=-9, high=9, seed=1, dtype=np.int32)
BYTES, PLACES = integers(3, 4, low=0, high=200, dtype=np.uint8), integers(4, low=0, high=7, seed=1, dtype=np.uint8)

CASES = [
    *(Case("int32", op, 18, [A, B]) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    Case("int32", "BitwiseNot", 18, [A]),
    *(Case(direction, "BitShift", 11, [BYTES, PLACES], {"direction": direction}) for direction in ("LEFT", "RIGHT")),
    Case("signed", "BitShift", 28, [A, np.abs(B)], {"direction": "RIGHT"}, oracle="onnx", reason="newer than onnxruntime"),
    *(
        Case(str(to), "BitCast", 26, [value], {"to": to})
        for value, to in ((floats(3, 4), 6), (A, 1), (floats(3).astype(np.float16), 4), (BYTES, 3), (floats(3).astype(np.float64), 7))
    ),
]
