"""Gradients of matrix products."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES, Shape, TensorType

from .places import unsqueeze
from .reduce import reduce_sum, sum_to
from .registry import gradient
from .scope import Scope

BIAS_IS_OPTIONAL_SINCE = 11


@gradient("Gemm")
def gemm(s: Scope) -> None:
    """Y = alpha A' B' + beta C, ' for a transposition if asked: dA' = alpha dY B'^T, dB' = alpha A'^T dY, dC = beta dY summed."""
    dY, A, B = s.GO(0), s.I(0), s.I(1)
    tA, tB, alpha = s.attribute("transA", 0), s.attribute("transB", 0), s.attribute("alpha", 1.0)
    if s.GI(0):
        left, right, transA, transB = (B, dY, tB, 1) if tA else (dY, B, 0, 1 - tB)
        _gemm_without_bias(s, left, right, s.GI(0), transA, transB, alpha)
    if s.GI(1):
        left, right, transA, transB = (dY, A, 1, tA) if tB else (A, dY, 1 - tA, 0)
        _gemm_without_bias(s, left, right, s.GI(1), transA, transB, alpha)
    if s.GI(2):
        _gemm_bias(s, s.attribute("beta", 1.0))


def _gemm_without_bias(s: Scope, left: str, right: str, output: str, transA: int, transB: int, alpha: float = 1.0) -> None:
    """output = alpha times the product. Before opset 11 Gemm must have a bias: a zero."""
    bias = [] if s.opset >= BIAS_IS_OPTIONAL_SINCE else [s.constant(f"zero_for_{output}", np.zeros((), NUMPY_DTYPES[s.element(s.I(0))]))]
    s.emit("Gemm", [left, right, *bias], [output], alpha=alpha, beta=0.0, transA=transA, transB=transB)


def _gemm_bias(s: Scope, beta: float) -> None:
    reduced = s.helper("dC_reduced")
    sum_to(s, s.GO(0), s.shape(s.O(0)), s.I(2), reduced, "dC")
    if beta == 1.0:
        s.emit("Identity", [reduced], [s.GI(2)])
    else:
        s.emit("Mul", [reduced, s.constant("beta", np.array(beta, NUMPY_DTYPES[s.element(s.I(2))]))], [s.GI(2)])


@gradient("MatMul", differs="an operand of one axis fails or is wrong")
def matmul(s: Scope) -> None:
    """dA = dY B^T, dB = A^T dY; axes of the batch that were broadcast are summed. An operand of one axis is a row A, a column B."""
    shapes = s.shape_if_known(s.I(0)), s.shape_if_known(s.I(1))
    if shapes[0] is None or shapes[1] is None:
        _product_of_unknown_rank(s)
        return
    if len(shapes[0]) == 1 or len(shapes[1]) == 1:
        _vector_product(s, len(shapes[0]), len(shapes[1]))
        return
    batch = s.shape(s.O(0))[:-2]
    if s.GI(0):
        _product(s, 0, s.GO(0), s.I(1), 1, (*batch, *shapes[0][-2:]))
    if s.GI(1) and len(shapes[1]) == 2:
        left, right = (_rows(s, value, len(shapes[0]), name) for value, name in ((s.I(0), "A"), (s.GO(0), "dY")))
        _gemm_without_bias(s, left, right, s.GI(1), 1, 0)
    elif s.GI(1):
        _product(s, 1, s.I(0), s.GO(0), 0, (*batch, *shapes[1][-2:]))


def _product_of_unknown_rank(s: Scope) -> None:
    """FusedMatMul swaps the last two axes of any operand; the batch is compared at run time."""
    for index, (left, right) in enumerate(((s.GO(0), s.I(1)), (s.I(0), s.GO(0)))):
        if s.GI(index):
            product = s.helper(f"PreReduceGrad{index}", TensorType(s.element(s.I(index))))
            s.emit("FusedMatMul", [left, right], [product], domain=MS_DOMAIN, transA=index, transB=1 - index)
            sum_to(s, product, None, s.I(index), s.GI(index), f"operand_{index}")


def _rows(s: Scope, value: str, rank: int, name: str) -> str:
    """The value with all axes but the last as one."""
    return value if rank == 2 else s.emit("Flatten", [value], [s.helper(f"{name}_rows")], axis=rank - 1)


def _product(s: Scope, index: int, left: str, right: str, transposed: int, shape: Shape) -> None:
    """The gradient by operand `index`: left times right, the `transposed` one of them with its last two axes swapped."""
    if len(shape) == 2:
        _gemm_without_bias(s, left, right, s.GI(index), 1 - transposed, transposed)
        return
    operands = [left, right]
    rank = len(s.shape(operands[transposed]))
    perm = (*range(rank - 2), rank - 1, rank - 2)
    operands[transposed] = s.emit("Transpose", [operands[transposed]], [s.helper(f"transposed_{index}")], perm=perm)
    product = s.emit("MatMul", operands, [s.helper(f"PreReduceGrad{index}")])
    sum_to(s, product, shape, s.I(index), s.GI(index), f"operand_{index}")


def _vector_product(s: Scope, rank_A: int, rank_B: int) -> None:
    """The other operand's gradient is an outer product with the vector, the vector's own a sum over everything else."""
    if rank_A == rank_B:
        for index in (0, 1):
            if s.GI(index):
                s.emit("Mul", [s.GO(0), s.I(1 - index)], [s.GI(index)])
        return
    vector, matrix, rank, axis = (0, 1, rank_B, -2) if rank_A == 1 else (1, 0, rank_A, -1)
    spread = unsqueeze(s, s.GO(0), axis, "dY")
    if s.GI(matrix):
        across = unsqueeze(s, s.I(vector), 1, "vector") if axis == -2 else s.I(vector)
        s.emit("Mul", [spread, across], [s.GI(matrix)])
    if s.GI(vector):
        product = s.emit("Mul", [s.I(matrix), spread], [s.helper("products")])
        kept = rank - 2 if axis == -2 else rank - 1
        reduce_sum(s, product, tuple(place for place in range(rank) if place != kept), s.GI(vector), "vector", keepdims=0)
