"""Gradients of matrix products."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, Shape

from .reduce import sum_to
from .registry import gradient
from .scope import Scope


@gradient("Gemm")
def gemm(s: Scope) -> None:
    """Y = alpha A' B' + beta C, ' for a transposition if asked: dA' = alpha dY B'^T, dB' = alpha A'^T dY, dC = beta dY summed."""
    dY, A, B = s.GO(0), s.I(0), s.I(1)
    tA, tB = s.attribute("transA", 0), s.attribute("transB", 0)
    if s.GI(0):
        left, right, transA, transB = (B, dY, tB, 1) if tA else (dY, B, 0, 1 - tB)
        s.emit("Gemm", [left, right], [s.GI(0)], alpha=s.attribute("alpha", 1.0), beta=0.0, transA=transA, transB=transB)
    if s.GI(1):
        left, right, transA, transB = (dY, A, 1, tA) if tB else (A, dY, 1 - tA, 0)
        s.emit("Gemm", [left, right], [s.GI(1)], alpha=s.attribute("alpha", 1.0), beta=0.0, transA=transA, transB=transB)
    if s.GI(2):
        _gemm_bias(s, s.attribute("beta", 1.0))


def _gemm_bias(s: Scope, beta: float) -> None:
    reduced = s.helper("dC_reduced")
    sum_to(s, s.GO(0), s.shape(s.O(0)), s.I(2), reduced, "dC")
    if beta == 1.0:
        s.emit("Identity", [reduced], [s.GI(2)])
    else:
        s.emit("Mul", [reduced, s.constant("beta", np.array(beta, NUMPY_DTYPES[s.element(s.I(2))]))], [s.GI(2)])


@gradient("MatMul")
def matmul(s: Scope) -> None:
    """dA = dY B^T, dB = A^T dY; axes of the batch that were broadcast are summed. Operands of one axis are refused."""
    shapes = s.shape(s.I(0)), s.shape(s.I(1))
    if min(map(len, shapes)) < 2:
        raise InvalidInputError(f"The gradient of MatMul {s.node.name!r} needs two axes or more; reshape {s.I(0)!r} and {s.I(1)!r}.")
    batch = s.shape(s.O(0))[:-2]
    if s.GI(0):
        _product(s, 0, s.GO(0), s.I(1), 1, (*batch, *shapes[0][-2:]))
    if s.GI(1):
        _product(s, 1, s.I(0), s.GO(0), 0, (*batch, *shapes[1][-2:]))


def _product(s: Scope, index: int, left: str, right: str, transposed: int, shape: Shape) -> None:
    """The gradient by operand `index`: left times right, the `transposed` one of them with its last two axes swapped."""
    if len(shape) == 2:
        s.emit("Gemm", [left, right], [s.GI(index)], alpha=1.0, beta=0.0, transA=1 - transposed, transB=transposed)
        return
    operands = [left, right]
    rank = len(s.shape(operands[transposed]))
    perm = (*range(rank - 2), rank - 1, rank - 2)
    operands[transposed] = s.emit("Transpose", [operands[transposed]], [s.helper(f"transposed_{index}")], perm=perm)
    product = s.emit("MatMul", operands, [s.helper(f"PreReduceGrad{index}")])
    sum_to(s, product, shape, s.I(index), s.GI(index), f"operand_{index}")
