"""Cases of artifacts_tool/gradient/activation.py."""

from ..projection import Case
from .values import away, normal, scalar

CASES = [
    Case("Relu", [away(4, 5)], (0,)),
    Case("Clip", [away(4, 5, kinks=(0.0, 1.5)), scalar(0), scalar(1.5)], (0,), note="both"),
    Case("Clip", [away(4, 5), scalar(0)], (0,), note="min"),
    Case("Clip", [away(4, 5), None, scalar(0)], (0,), note="max"),
    Case("Clip", [away(4, 5)], (0,), note="none"),
    Case("Softmax", [normal(2, 3, 4)], (0,)),
    Case("Softmax", [normal(2, 3, 4)], (0,), {"axis": 1}, note="axis1"),
    Case("Softmax", [normal(2, 3, 4)], (0,), opset=12, note="opset12"),
    Case("Softmax", [normal(2, 3, 4)], (0,), {"axis": -1}, opset=12, note="opset12_last"),
]
