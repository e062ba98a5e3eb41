"""Cases of operands of which not even the rank is known, for the rules that find out at run time."""

import numpy as np

from ..projection import Case
from .values import away, ints, normal, spread

X = away(2, 3, 4)
ONE, BOTH = {0: None}, {0: None, 1: None}
PRODUCTS = (((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (1, 3, 4)))

CASES = [
    *(
        Case(op, [np.abs(X) + 0.5, away(3, 1)], (0, 1), {"fmod": 1} if op == "Mod" else {}, symbolic=known, note=f"{note}_unknown")
        for op in ("Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Max", "Min", "Sum", "Mean")
        for note, known in (("one", ONE), ("other", {1: None}), ("both", BOTH))
    ),
    Case("Where", [X > 0, normal(3, 1), normal(4)], (1, 2), symbolic={0: None, 1: None, 2: None}, note="unknown"),
    *(Case("MatMul", [normal(*a), normal(*b)], (0, 1), symbolic=BOTH, note=f"unknown_{a}{b}") for a, b in PRODUCTS),
    Case("MatMul", [normal(5, 2, 3), normal(3, 4)], (1,), symbolic=ONE, opset=12, note="unknown_input"),
    Case("Transpose", [X], (0,), symbolic=ONE, note="unknown"),
    Case("Transpose", [X], (0,), {"perm": (2, 0, 1)}, symbolic=ONE, note="unknown_perm"),
    Case("Concat", [normal(2, 3), normal(2, 1)], (0, 1), {"axis": -1}, symbolic=BOTH, note="unknown"),
    Case("Expand", [normal(3, 1), ints(2, 3, 4)], (0,), symbolic=ONE, note="unknown"),
    Case("Slice", [X, ints(2), ints(-9), ints(1), ints(-1)], (0,), symbolic=ONE, note="unknown"),
    Case("Reshape", [X, ints(6, 4)], (0,), symbolic=ONE, note="unknown"),
    *(
        Case(op, [X, ints(1)], (0,), {"keepdims": 0}, opset=18, symbolic=ONE, note="unknown")
        for op in ("ReduceSum", "ReduceMean", "ReduceMax")
    ),
    Case("Softmax", [X], (0,), symbolic=ONE, note="unknown"),
    Case("LayerNormalization", [X, normal(4), normal(4)], (0, 1, 2), symbolic=ONE, note="unknown"),
    Case("RMSNormalization", [X, normal(4)], (0, 1), opset=23, symbolic=ONE, note="unknown"),
    Case("Conv", [normal(2, 3, 5), normal(4, 3, 2), normal(4)], (0, 1, 2), symbolic=ONE, note="unknown"),
    Case("MaxPool", [spread(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, symbolic=ONE, note="unknown"),
    Case("AveragePool", [away(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, symbolic=ONE, note="unknown"),
    Case("GlobalAveragePool", [away(2, 3, 4, 4)], (0,), symbolic=ONE, note="unknown"),
]
