"""Cases of artifacts_tool/gradient/gather.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal

X = normal(4, 3, 5)
ROWS = np.array([[0, 3, -1], [1, 1, -4]])
ELEMENTS = np.array([[0, 3, -1], [1, 1, -4]]).reshape(2, 3, 1)
PLACES = np.array([[[0, 1], [-1, 2]], [[3, -3], [-1, 2]]])

CASES = [
    Case("Gather", [X, ROWS], (0,)),
    Case("Gather", [X, ROWS - 1], (0,), {"axis": -1}, note="last"),
    Case("Gather", [X, np.array(-2)], (0,), {"axis": 1}, symbolic={0: ("N", 3, "M")}, note="scalar"),
    Case("Gather", [X, ROWS.astype(np.int32)], (0,), opset=11, note="opset11"),
    Case("GatherElements", [X, ELEMENTS], (0,)),
    Case("GatherElements", [X, ELEMENTS % 3], (0,), {"axis": 1}, opset=12, note="axis1"),
    Case("GatherND", [X, PLACES], (0,)),
    Case("GatherND", [X, ints(0, 1, -1, 2).reshape(4, 1)], (0,), {"batch_dims": 1}, note="batch"),
    Case("GatherND", [X, PLACES], (0,), opset=11, note="opset11"),
    Case("TopK", [X, ints(2)], (0,), outputs=2),
    Case("TopK", [X, ints(2)], (0,), {"axis": 0, "largest": 0, "sorted": 0}, outputs=2, note="smallest"),
    Case("TopK", [X, ints(2)], (0,), {"axis": 1}, outputs=2, opset=10, note="opset10"),
    Case("Compress", [X, np.array([True, False, True])], (0,), {"axis": 1}),
    Case("Compress", [X, np.array([False, True, True, False])], (0,), note="elements"),
    *(Case("Unique", [normal(3, 4)], (0,), {"sorted": ordered}, note=f"sorted{ordered}") for ordered in (0, 1)),
    *(Case("Unique", [normal(3, 4)], (0,), {"axis": axis}, note=f"axis{axis}") for axis in (0, -1)),
]
