"""Cases of artifacts_tool/gradient/pool.py."""

from ..projection import Case
from .values import normal

CASES = [
    Case("GlobalAveragePool", [normal(2, 3, 4, 5)], (0,)),
    Case("GlobalAveragePool", [normal(2, 3, 4, 5)], (0,), symbolic={0: ("N", 3, "H", "W")}, note="symbolic"),
    Case("GlobalAveragePool", [normal(2, 3, 4, 5)], (0,), opset=7, note="opset7"),
]
