"""Accelerated matrix products against their numpy twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pagetrain_accelerator import linear
from pagetrain_accelerator.library import Library
from tests.accelerator.running import MS, pair, unaligned
from tests.cases.case import floats

RTOL, ATOL = 1e-5, 1e-5  # sums of up to 130 products of numbers below 4, in another order


@pytest.fixture(autouse=True)
def everything_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small products go to the side module, too."""
    monkeypatch.setattr(linear, "_ENOUGH", 0)


@pytest.mark.parametrize("trans_a, trans_b, order", itertools.product((0, 1), (0, 1), "CF"))
@pytest.mark.parametrize("M, K, N", [(1, 1, 1), (5, 8, 8), (6, 3, 17), (13, 130, 9), (4, 0, 3), (0, 4, 3)])
def test_gemm(library: Library, M: int, K: int, N: int, trans_a: int, trans_b: int, order: str) -> None:
    """Both operands either way in name and in memory; C as a row, a matrix, none; the filter known and not."""
    A, B = (np.asarray(value, order=order) for value in (floats(M, K), floats(K, N, seed=1)))
    left, right = (A.T if trans_a else A), (B.T if trans_b else B)
    for C, constant in itertools.product((None, floats(N), floats(1, N), unaligned(floats(M, N))), (False, True)):
        accelerated, twin = pair(library, "Gemm", constants={1: right} if constant else {}, transA=trans_a, transB=trans_b)
        np.testing.assert_allclose(accelerated(left, right, C)[0], twin(left, right, C)[0], RTOL, ATOL)


def test_fused_gemm(library: Library) -> None:
    """With Relu; beta 0 leaves C out."""
    A, B, C = floats(7, 20), floats(20, 11, seed=1), floats(11, seed=2)
    for beta in (0.0, 1.0):
        accelerated, twin = pair(library, "FusedGemm", MS, since=1, activation="Relu", beta=beta)
        np.testing.assert_allclose(accelerated(A, B, C)[0], twin(A, B, C)[0], RTOL, ATOL)


@pytest.mark.parametrize("shape", [(3, 5), (2, 4, 5), (2, 3, 4, 5), (0, 5)])
def test_matmul(library: Library, shape: tuple[int, ...]) -> None:
    """Leading axes are rows."""
    A, B = floats(*shape), floats(5, 9, seed=1)
    accelerated, twin = pair(library, "MatMul")
    np.testing.assert_allclose(accelerated(A, B)[0], twin(A, B)[0], RTOL, ATOL)
