"""The matrix product by both platforms' ways; shapes that are refused."""

import numpy as np
import pytest

from pagetrain.errors import ShapeMismatchError
from pagetrain.kernels import product
from pagetrain.kernels.linear import gemm
from tests.cases.case import floats


@pytest.mark.parametrize("has_blas", [True, False])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (5, 3, 8), (5, 8, 3), (4, 6, 6), (3, 0, 2)])
def test_product_is_the_product_for_any_memory_order(monkeypatch: pytest.MonkeyPatch, has_blas: bool, m: int, k: int, n: int) -> None:
    """C-contiguous result; wide, narrow and empty operands, transposed or not."""
    monkeypatch.setattr(product, "HAS_BLAS", has_blas)
    A, B = floats(m, k).astype(np.float64), floats(k, n, seed=1).astype(np.float64)
    expected = [[sum(A[i, x] * B[x, j] for x in range(k)) for j in range(n)] for i in range(m)]
    for left in (A, np.asfortranarray(A)):
        for right in (B, np.asfortranarray(B)):
            Y = product.product(left, right)
            assert Y.flags.c_contiguous
            np.testing.assert_allclose(Y, np.reshape(expected, (m, n)), rtol=1e-12)


@pytest.mark.parametrize("has_blas", [True, False])
@pytest.mark.parametrize(
    "a, b",
    [
        *(((2, 3, 4), (4, 5)), ((5, 2, 3), (5, 3, 4)), ((2, 1, 2, 8), (5, 8, 3)), ((2, 3), (5, 3, 4)), ((3,), (2, 3, 4))),
        *(((3, 0), (0, 4)), ((2, 3, 0), (0, 4)), ((0, 3), (3, 4)), ((2, 0, 3), (3, 4)), ((2, 3), (3, 0))),
    ],
)
def test_batch_product_is_matmul(monkeypatch: pytest.MonkeyPatch, has_blas: bool, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Both ways, also for operands with strange strides."""
    monkeypatch.setattr(product, "HAS_BLAS", has_blas)
    A, B = floats(*a).astype(np.float64), floats(*b, seed=1).astype(np.float64)
    np.testing.assert_allclose(product.batch_product(A, B), np.matmul(A, B), rtol=1e-12)
    np.testing.assert_allclose(product.batch_product(np.asfortranarray(A), np.asfortranarray(B)), np.matmul(A, B), rtol=1e-12)


def test_gemm_says_which_sizes_differ() -> None:
    """With the hint that most often helps."""
    with pytest.raises(ShapeMismatchError, match=r"\(2, 3\) and \(4, 3\) .*transB=1"):
        gemm(floats(2, 3), floats(4, 3))
