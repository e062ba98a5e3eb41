"""Matrix product, by what the platform's numpy does fastest."""

from __future__ import annotations

import sys
from math import prod

import numpy as np

from .registry import Spec

HAS_BLAS = sys.platform != "emscripten"


_MANY = 1024  # rows that are worth a product along them
_SHORT = 64


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Y = A B. A: (m, k); B: (k, n), of any strides; Y: (m, n), C-contiguous.

    Natively `@` calls BLAS. Pyodide's numpy has none: there `@` is a scalar triple loop, while einsum's inner loops are vectorised.
    Over the 1x1 convolutions of EfficientNet-Lite0 einsum takes 75 ms where `@` takes 145; dot products along k win where k >= n,
    multiply-adds along n where k < n (ratios up to 1.7 either way, more than the copy that makes the operand contiguous).
    """
    if HAS_BLAS:
        return np.asarray(A @ B)
    if _is_along_k(*B.shape):
        return np.asarray(np.einsum("mk,nk->mn", np.ascontiguousarray(A), np.ascontiguousarray(B.T)))
    return np.asarray(np.einsum("mk,kn->mn", A, np.ascontiguousarray(B)))


def pixel_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Y = A B as product, but Y may lie by columns.

    Without BLAS an inner loop costs as much to start as 13 multiply-adds. Of many pixels with few channels it runs along the pixels: the
    first convolutions of EfficientNet-Lite0 then take 25 ms instead of 40, and reading Y by rows afterwards 2.
    """
    if not runs_along_rows(A.shape[0], A.shape[1], B.shape[1]):
        return product(A, B)
    Y = np.empty((B.shape[1], len(A)), A.dtype)
    columns = np.ascontiguousarray(A.T)
    for start in range(0, len(A), _MANY):
        rows = slice(start, start + _MANY)
        np.einsum("kn,km->nm", B, columns[:, rows], out=Y[:, rows])
    return Y.T


def runs_along_rows(m: int, k: int, n: int) -> bool:
    """Whether pixel_product of (m, k) and (k, n) does, and reads the first one best where it lies by columns."""
    return not HAS_BLAS and m >= _MANY and k < _SHORT and m > n


def arranged(B: np.ndarray) -> np.ndarray:
    """B, which is to be the right side of products, as they read it without a copy."""
    return np.ascontiguousarray(B.T).T if HAS_BLAS or _is_along_k(*B.shape) else np.ascontiguousarray(B)


def _is_along_k(k: int, n: int) -> bool:
    return k >= n


def batch_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Y = A B as numpy.matmul: (.., M, K) and (.., K, N), leading axes broadcast, 1-D operands allowed. By what is fastest, as product."""
    if B.ndim == 2 and A.ndim >= 2 and A.shape[-1] == B.shape[0]:
        return product(A.reshape(prod(A.shape[:-1]), B.shape[0]), B).reshape(*A.shape[:-1], B.shape[1])
    if HAS_BLAS or min(A.ndim, B.ndim) < 2 or A.shape[-1] != B.shape[-2]:
        return np.asarray(np.matmul(A, B))
    if A.shape[-1] >= B.shape[-1]:
        return np.asarray(np.einsum("...mk,...nk->...mn", np.ascontiguousarray(A), np.ascontiguousarray(B.swapaxes(-1, -2))))
    return np.asarray(np.einsum("...mk,...kn->...mn", A, np.ascontiguousarray(B)))


def product_copies(A: Spec, B: Spec, turn_A: int = 0, turn_B: int = 0) -> int:
    """Bytes of the copies that a product makes of operands that lie otherwise than its loops read them. BLAS reads all as they lie.

    A, B: (.., M, K) and (.., K, N), or with the last two axes swapped where `turn` says so.
    """
    if HAS_BLAS or min(len(A.shape), len(B.shape)) < 2:
        return 0
    inner, columns = A.shape[-2 if turn_A else -1], B.shape[-2 if turn_B else -1]
    by_column_A, by_column_B = bool(turn_A) is not A.turned, bool(turn_B) is not B.turned
    if inner < columns:
        return B.nbytes if by_column_B else 0
    return (A.nbytes if by_column_A else 0) + (0 if by_column_B else B.nbytes)
