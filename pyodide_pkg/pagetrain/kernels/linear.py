"""Gemm, FusedGemm, MatMul, FusedMatMul."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ShapeMismatchError
from ..graph import MS_DOMAIN
from ._fused import ARRAYS, activate
from .product import batch_product, product, product_copies
from .registry import Spec, kernel

Result = tuple[np.ndarray, ...]


def _of_gemm(inputs: Sequence[Spec | None], outputs: Sequence[Spec | None], attributes: Mapping[str, Any]) -> int:
    """Bytes of the workspace of Gemm and MatMul: what the product copies."""
    A, B = inputs[:2]
    copies = product_copies(A, B, attributes.get("transA", 0), attributes.get("transB", 0)) if A and B else 0
    scaled = inputs[2].nbytes if len(inputs) > 2 and inputs[2] and attributes.get("beta", 1) not in (0, 1) else 0
    made = outputs[0].nbytes * ARRAYS.get(attributes.get("activation", ""), 0) if outputs[0] else 0
    return int(max(copies, scaled, made))


@kernel("Gemm", since=7, workspace=_of_gemm)
def gemm(
    A: np.ndarray, B: np.ndarray, C: np.ndarray | None = None, *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0
) -> Result:
    """Y = alpha A' B' + beta C. A': (M, K), B': (K, N), both transposed first if asked; C broadcasts to (M, N). Source: ONNX Gemm-7 to -13.

    With beta 0, C is not read. Raises ShapeMismatchError when the two K differ.
    """
    left, right = (A.T if transA else A), (B.T if transB else B)
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise ShapeMismatchError(
            f"A' B' needs (M, K) and (K, N), got {left.shape} and {right.shape} (transA={transA}, transB={transB}); "
            "torch exports Linear weights as (out, in) with transB=1."
        )
    Y = product(left, right)
    if alpha != 1:
        Y *= alpha
    if C is not None and beta != 0:
        Y += C if beta == 1 else beta * C
    return (Y,)


@kernel("FusedGemm", domain=MS_DOMAIN, workspace=_of_gemm)
def fused_gemm(
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray | None = None,
    *,
    activation: str = "",
    activation_alpha: float = 0.0,
    activation_beta: float = 0.0,
    activation_gamma: float = 0.0,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Result:
    """Y = activation(alpha A' B' + beta C); see _fused.py for the activations. Source: com.microsoft FusedGemm-1."""
    (Y,) = gemm(A, B, C, alpha=alpha, beta=beta, transA=transA, transB=transB)
    return (activate(Y, activation, (activation_alpha, activation_beta)),)


@kernel("MatMul", since=1, workspace=_of_gemm)
def matmul(A: np.ndarray, B: np.ndarray) -> Result:
    """Y = A B as numpy.matmul: (..., M, K) and (..., K, N), leading axes broadcast, 1-D operands allowed.

    Source: ONNX MatMul-1, -9, -13.
    """
    return (batch_product(A, B),)


@kernel("FusedMatMul", domain=MS_DOMAIN, workspace=_of_gemm)
def fused_matmul(
    A: np.ndarray,
    B: np.ndarray,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Result:
    """Y = alpha A' B'. trans swaps an operand's last two axes, transBatch first moves its first axis behind the batch.

    Neither means anything for operands of one axis. Source: com.microsoft FusedMatMul-1.
    """
    Y = batch_product(_turned(A, transA, transBatchA), _turned(B, transB, transBatchB))
    if alpha != 1:
        Y *= np.asarray(alpha, Y.dtype)
    return (Y,)


def _turned(X: np.ndarray, trans: int, trans_batch: int) -> np.ndarray:
    if X.ndim < 2:
        return X
    moved = np.moveaxis(X, 0, -2) if trans_batch else X
    return moved.swapaxes(-1, -2) if trans else moved
