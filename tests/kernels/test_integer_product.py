"""What the replay cannot show of the integer products: zero points of rows in one axis, which no oracle takes, and wrapping around."""

import numpy as np

from pagetrain_ops.integer_product import matmul_integer
from tests.cases.integer_product import A8, B8


def test_a_list_of_zero_points_of_rows_is_a_column() -> None:
    """The specification gives a_zero_point the shape (M,) or (.., M, 1)."""
    zeros = np.uint8([1, 2, 3])
    np.testing.assert_array_equal(matmul_integer(A8, B8, zeros)[0], matmul_integer(A8, B8, zeros[:, None])[0])


def test_sums_beyond_int32_wrap_around() -> None:
    """As int32 additions do: 40000 products of 255 by 255 are 2^32 less."""
    ones = np.full((1, 40000), 255, np.uint8)
    assert matmul_integer(ones, ones.T)[0].item() == 40000 * 255 * 255 - 2**32
