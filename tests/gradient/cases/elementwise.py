"""Cases of artifacts_tool/gradient/elementwise.py."""

import numpy as np

from ..projection import Case
from .values import away, normal


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
    for op in ("Add", "Sub", "Mul", "Div"):
        for a, b in shapes:
            yield Case(op, [np.array(normal(*a)), np.array(away(*b, gap=0.2))], (0, 1), note=f"{a}{b}")
        yield Case(op, [normal(4, 3), away(1, 3)], (1,), symbolic={0: ("N", 3)}, note="symbolic")
        yield Case(op, [normal(4, 3), away(4, 1)], (1,), opset=12, note="opset12")
        yield Case(op, [normal(1, 3), away(1, 3)], (0,), note="first")
        for opset in (7, 17):
            unknown = {0: (None, 3), 1: (None, None, None)}
            yield Case(op, [normal(4, 3), away(2, 1, 3)], (0, 1), opset=opset, symbolic=unknown, note=f"unknown{opset}")
            yield Case(op, [normal(1, 3), away(2, 4, 1)], (0, 1), opset=opset, symbolic=unknown, note=f"unknown{opset}_b")


def pow_cases():
    base = np.abs(away(3, 4))
    for shape in ((3, 4), (4,), (3, 1), ()):
        yield Case("Pow", [base, np.array(normal(*shape))], (0, 1), note=f"{shape}")
    yield Case("Pow", [base[0], normal(3, 4)], (0, 1), note="smaller_base")
    yield Case("Pow", [base, normal(4)], (1,))
    yield Case("Pow", [base, normal(4)], (0, 1), opset=7, note="opset7")
    yield Case("Pow", [normal(3, 4), np.array(2.0)], (0,), note="square")
    yield Case("Pow", [away(3, 4), np.array([-1, 0, 1, 3])], (0,), note="integers")
    yield Case("Pow", [np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 0.0])], (0,), note="zeros")


def where_cases():
    condition = np.array([[True, False, True], [False, False, True]])
    for x, y in (((2, 3), (2, 3)), ((3,), (2, 1)), ((), (4, 2, 3))):
        yield Case("Where", [condition, np.array(normal(*x)), normal(*y)], (1, 2), note=f"{x}{y}")
    yield Case("Where", [condition, normal(2, 3), normal(2, 3)], (2,), opset=9, note="opset9")


CASES = [
    *broadcast_cases(),
    *pow_cases(),
    *where_cases(),
    Case("Neg", [normal(2, 3)], (0,)),
    Case("Identity", [normal(2, 3)], (0,)),
    Case("Mod", [np.array([[5.3, -5.3, 7.1], [0.4, 2.2, -9.9]]), np.array([2.0, 3.0, -4.0])], (0, 1), {"fmod": 1}),
]
