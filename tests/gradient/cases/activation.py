"""Cases of artifacts_tool/gradient/activation.py."""

from ..projection import Case
from .values import away, normal, scalar

CASES = [
    Case("Relu", [away(4, 5)], (0,)),
    Case("Clip", [away(4, 5, kinks=(0.0, 1.5)), scalar(0), scalar(1.5)], (0,), note="both"),
    Case("Clip", [away(4, 5), scalar(0)], (0,), note="min"),
    Case("Clip", [away(4, 5), None, scalar(0)], (0,), note="max"),
    Case("Clip", [away(4, 5)], (0,), note="none"),
    Case("Clip", [away(4, 5, kinks=(0.0, 1.5)), scalar(0), scalar(1.5)], (0,), opset=11, note="opset11"),
    *(
        Case("Clip", [away(4, 5, kinks=(-1.0, 1.5))], (0,), bounds, opset=7, note=f"opset7_{len(bounds)}")
        for bounds in ({}, {"max": 1.5}, {"min": -1.0, "max": 1.5})
    ),
    *(
        Case(op, [normal(2, 3, 4)], (0,), attributes, opset=opset, note=f"opset{opset}{attributes}")
        for op in ("Softmax", "LogSoftmax")
        for opset, attributes in ((7, {}), (12, {"axis": -1}), (12, {"axis": 0}), (13, {}), (17, {"axis": 1}))
    ),
]
