"""Cases of artifacts_tool/gradient/attention.py."""

from ..projection import Case
from .values import ints, normal

CACHE = normal(2, 3, 5, 4)

CASES = [
    *(Case("TensorScatter", [CACHE, normal(2, 3, 2, 4), ints(1, 3)], by, {"axis": 2}, opset=24) for by in ((0, 1), (0,), (1,))),
    Case("TensorScatter", [CACHE, normal(2, 3, 3, 4), ints(4, 0)], (0, 1), {"axis": -2, "mode": "circular"}, opset=24, note="circular"),
    Case("TensorScatter", [CACHE, normal(2, 2, 5, 4)], (0, 1), {"axis": 1}, opset=24, note="from_the_start"),
]
