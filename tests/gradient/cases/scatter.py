"""Cases of artifacts_tool/gradient/scatter.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal

X = normal(4, 3)
ROWS = np.array([[1, 0, -1], [3, 1, 0]])
TWICE = np.array([[1, 0, -1], [1, 1, 0]])
ZEROS = np.array([[0.0, 2.0, 0.0], [0.0, 3.0, -1.0]])
PLACES = np.array([[0, 1], [-1, 2]])
REDUCED = {"ScatterElements": TWICE, "ScatterND": ints(3, 3).reshape(2, 1)}

CASES = [
    *(Case("ScatterElements", [X, ROWS, normal(2, 3)], by) for by in ((0, 2), (0,), (2,))),
    Case("ScatterElements", [X, ints(2, 0).reshape(2, 1), normal(2, 1)], (0, 2), {"axis": -1}, opset=12, note="opset12"),
    Case("ScatterElements", [X, ROWS * 0 + 1, normal(2, 3)], (0, 2), {"reduction": "add"}, note="add"),
    Case("Scatter", [X, ROWS, normal(2, 3)], (0,), {"axis": 0}, opset=10),
    Case("ScatterND", [X, PLACES, normal(2)], (0, 2)),
    Case("ScatterND", [X, ints(3, 0).reshape(2, 1), normal(2, 3)], (0, 2), opset=12, note="opset12"),
    Case("ScatterND", [X, ints(3, 3).reshape(2, 1), normal(2, 3)], (0, 2), {"reduction": "add"}, note="add"),
    *(
        Case(op, [X, indices, updates], by, {"reduction": reduction}, opset=opset, note=f"{reduction}{opset}")
        for op, indices in REDUCED.items()
        for by, updates in (((0, 2), normal(2, 3)), ((0,), normal(2, 3)), ((2,), normal(2, 3)))
        for reduction, opset in (("mul", 16), ("mul", 18), ("max", 18), ("min", 28))
    ),
    *(
        Case(op, [X, at, ZEROS], (0, 2), {"reduction": "mul"}, note="zeros")
        for op, at in (("ScatterElements", TWICE), ("ScatterND", ints(3, 3).reshape(2, 1)))
    ),
]
