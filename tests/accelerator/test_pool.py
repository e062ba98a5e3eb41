"""Accelerated means and sums over pixels."""

import numpy as np
import pytest

from pagetrain_accelerator.library import Library
from tests.accelerator.running import pair
from tests.cases.case import floats


@pytest.mark.parametrize("channels", [1, 7, 8, 9, 33])
@pytest.mark.parametrize("sizes", [(1, 1), (7, 7), (3, 50)])
def test_global_average(library: Library, channels: int, sizes: tuple[int, int]) -> None:
    """The mean in float64, rounded once: at least as near as numpy's in float32. Both memory orders."""
    accelerated, _ = pair(library, "GlobalAveragePool")
    X = floats(3, channels, *sizes)
    exact = X.mean(axis=(2, 3), keepdims=True, dtype=np.float64)
    for laid in (X, np.ascontiguousarray(X.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)):
        np.testing.assert_allclose(accelerated(laid)[0], exact, rtol=2.0**-23, atol=1e-15)  # one rounding of the scale, one of the result


def test_sums_of_many_pixels_keep_their_accuracy(library: Library) -> None:
    """A million ones beside 2^24: in float32 they would vanish one by one."""
    rows = np.ones((1 << 20, 1), np.float32)
    rows[0] = 1 << 24
    total = np.empty(1, np.float32)
    library.call("pixel_sums", rows, total, 1, len(rows), 1, 1.0)
    assert total[0] == np.float32((1 << 24) + (1 << 20) - 1)
