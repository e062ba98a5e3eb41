"""Cases of artifacts_tool/gradient/linear.py."""

import numpy as np

from ..projection import Case
from .values import normal


def gemm_cases():
    for transA in (0, 1):
        for transB in (0, 1):
            A, B = normal(*((3, 2) if transA else (2, 3))), normal(*((4, 3) if transB else (3, 4)))
            attributes = {"transA": transA, "transB": transB, "alpha": 0.5, "beta": 1.5}
            yield Case("Gemm", [A, B, normal(4)], (0, 1, 2), attributes, note=f"t{transA}{transB}")
    for C in (normal(2, 4), normal(1, 4), normal(2, 1), normal(1), normal()):
        yield Case("Gemm", [normal(2, 3), normal(3, 4), np.array(C)], (2,), note=f"C{np.shape(C)}")
    yield Case("Gemm", [normal(2, 3), normal(3, 4)], (0, 1), note="noC")
    yield Case("Gemm", [normal(2, 3), normal(3, 4), normal(4)], (1,), symbolic={0: ("N", 3)}, note="symbolic")


def matmul_cases():
    shapes = [
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (1, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((2, 1, 2, 3), (5, 3, 4)),
        ((2, 5, 2, 3), (3, 4)),
        ((3,), (3,)),
        ((3,), (3, 4)),
        ((3,), (5, 3, 4)),
        ((2, 3), (3,)),
        ((5, 2, 3), (3,)),
    ]
    for a, b in shapes:
        for differentiable in ((0, 1), (0,), (1,)):
            yield Case("MatMul", [normal(*a), normal(*b)], differentiable, note=f"{a}{b}")


CASES = [
    *gemm_cases(),
    *matmul_cases(),
]
