"""The error function against the C library's, by way of Python."""

import math

import numpy as np
import pytest

from pagetrain.kernels._erf import erf


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 0), (np.float32, 4.3e-7), (np.float16, 1e-3)])
def test_erf_is_that_of_the_c_library(dtype: type, rtol: float) -> None:
    """For all sizes of numbers and every float type; float32 by a rational function off by at most 4.2e-7, float16 by its own rounding."""
    X = np.concatenate([np.linspace(-7, 7, 5001), np.logspace(-4, 0, 50)]).astype(dtype)
    expected = [math.erf(float(x)) for x in X]
    found = erf(X)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=rtol)


def test_erf_of_special_values_and_shapes() -> None:
    """NaN stays, infinities give 1, scalars and empty arrays keep their shape."""
    np.testing.assert_allclose(erf(np.float32([np.nan, np.inf, -np.inf, 0])), [np.nan, 1, -1, 0], rtol=2e-7)
    for dtype in (np.float32, np.float64):
        assert erf(np.zeros((), dtype)).shape == ()
        assert erf(np.zeros((0, 3), dtype)).shape == (0, 3)
