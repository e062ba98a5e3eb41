"""Cases of artifacts_tool/gradient/rearrange.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal

DEEP, WIDE, SQUARES = normal(2, 8, 3, 2), normal(2, 3, 4, 6), normal(2, 4, 5)

CASES = [
    *(Case("DepthToSpace", [DEEP], (0,), {"blocksize": 2, "mode": mode}, note=mode) for mode in ("DCR", "CRD")),
    Case("DepthToSpace", [DEEP], (0,), {"blocksize": 2}, opset=10, note="opset10"),
    Case("DepthToSpace", [DEEP], (0,), {"blocksize": 2, "mode": "CRD"}, symbolic={0: ("N", 8, "H", "W")}, note="symbolic"),
    *(Case("SpaceToDepth", [WIDE], (0,), {"blocksize": 2}, opset=opset, note=f"opset{opset}") for opset in (10, 17)),
    *(Case("SpaceToDepth", [WIDE], (0,), {"blocksize": 2, "mode": mode}, opset=28, note=mode) for mode in ("DCR", "CRD")),
    Case("ReverseSequence", [normal(5, 3, 2), ints(5, 1, 3)], (0,)),
    Case("ReverseSequence", [normal(3, 5, 2), ints(5, 0, 3)], (0,), {"batch_axis": 0, "time_axis": 1}, note="batch_first"),
    *(Case("Trilu", [SQUARES], (0,), {"upper": upper}, note=f"upper{upper}") for upper in (0, 1)),
    Case("Trilu", [SQUARES, np.array(-1)], (0,), {"upper": 0}, note="k"),
    *(Case("Trilu", [SQUARES], (0,), {"upper": upper}, domain="com.microsoft", opset=12, note=f"upper{upper}") for upper in (0, 1)),
    Case("Trilu", [SQUARES, np.array(1)], (0,), domain="com.microsoft", note="k"),
]
