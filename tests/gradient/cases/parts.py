"""Cases of artifacts_tool/gradient/parts.py."""

from ..projection import Case
from .values import ints, normal

X = normal(4, 6, 5)

CASES = [
    Case("Slice", [X, ints(1, -3), ints(5, 99), ints(1, -1)], (0,)),
    Case("Slice", [X, ints(1), ints(3)], (0,), note="first"),
    Case("Slice", [X, ints(0, 1), ints(99, 6), ints(0, 1), ints(3, 2)], (0,), constants=(4,), note="steps"),
    Case("Slice", [X, ints(-1, 3), ints(-99, 0), ints(1, 2), ints(-1, -2)], (0,), constants=(1, 2, 3, 4), note="backwards"),
    Case("Slice", [X, ints(-1, 3), ints(-99, 0), ints(1, 2), ints(-1, -2)], (0,), note="unknown_steps"),
    Case("Slice", [X, ints(1), ints(3), ints(1)], (0,), symbolic={0: ("N", "M", 5)}, note="symbolic"),
    Case("Slice", [X, ints(1), ints(3), ints(1)], (0,), opset=12, note="opset12"),
    Case("Slice", [X], (0,), {"starts": (1, -2), "ends": (9, -1), "axes": (0, 2)}, opset=9, note="attributes"),
    Case("Slice", [X], (0,), {"starts": (1,), "ends": (3,)}, opset=9, note="attributes_first"),
    Case("Slice", [X, ints(-1, 3), ints(-99, 0), ints(1, 2), ints(-1, -2)], (0,), opset=10, note="opset10"),
    Case("Slice", [X, ints(-1), ints(-99), ints(1), ints(-2)], (0,), opset=10, symbolic={0: ("N", 6, 5)}, note="opset10_symbolic"),
    Case("Split", [X, ints(1, 3, 2)], (0,), {"axis": 1}, outputs=3),
    Case("Split", [X], (0,), {"axis": -2}, outputs=3, note="equal"),
    Case("Split", [X], (0,), {"axis": 2, "num_outputs": 2}, outputs=2, opset=18, note="num_outputs"),
    Case("Split", [X], (0,), {"axis": 2, "split": (1, 4)}, outputs=2, opset=12, note="attribute"),
    Case("Split", [X], (0,), {"axis": 1}, opset=12, note="one"),
    Case("Split", [X], (0,), {"axis": 2, "split": (1, 4)}, outputs=2, opset=7, note="opset7"),
    Case("Concat", [normal(2, 3), normal(2, 1), normal(2, 2)], (0, 1, 2), {"axis": 1}),
    Case("Concat", [normal(2, 3), normal(2, 1), normal(2, 2)], (1,), {"axis": -1}, note="some"),
    Case("Concat", [normal(2, 3), normal(4, 3)], (0, 1), {"axis": 0}, symbolic={0: ("N", 3), 1: ("M", 3)}, note="symbolic"),
    Case("Concat", [normal(2, 3), normal(2, 1)], (0, 1), {"axis": 1}, opset=12, note="opset12"),
]
