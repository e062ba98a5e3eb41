"""Cases of artifacts_tool/gradient/variadic.py."""

from ..projection import Case
from .values import normal

BROADCAST = ((2, 3, 4), (3, 1), (1,))
OPS = ("Sum", "Mean", "Max", "Min")

CASES = [
    *(Case(op, [normal(*shape) for shape in BROADCAST], (0, 1, 2), note="broadcast") for op in OPS),
    *(Case(op, [normal(*shape) for shape in BROADCAST], (1,), note="one") for op in OPS),
    *(Case(op, [normal(2, 3)], (0,), note="alone") for op in OPS),
    *(Case(op, [normal(2, 3), normal(2, 3)], (0, 1), opset=7, note="opset7") for op in OPS),
    *(Case(op, [normal(2, 3), normal(3)], (0, 1), opset=10, note="opset10") for op in OPS),
]
