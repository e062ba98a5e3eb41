"""Cases of artifacts_tool/gradient/elementwise.py."""

import numpy as np

from ..projection import Case
from .values import normal


def broadcast_cases():
    shapes = [
        ((2, 3), (2, 3)),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (2, 1)),
        ((2, 3), (1, 1)),
        ((2, 3), ()),
        ((4, 1, 3), (2, 1)),
        ((1,), (1, 1)),
    ]
    for op in ("Add", "Sub", "Mul"):
        for a, b in shapes:
            yield Case(op, [np.array(normal(*a)), np.array(normal(*b))], (0, 1), note=f"{a}{b}")
        yield Case(op, [normal(4, 3), normal(1, 3)], (1,), symbolic={0: ("N", 3)}, note="symbolic")
        yield Case(op, [normal(4, 3), normal(4, 1)], (1,), opset=12, note="opset12")


CASES = [
    *broadcast_cases(),
    Case("Neg", [normal(2, 3)], (0,)),
    Case("Identity", [normal(2, 3)], (0,)),
]
