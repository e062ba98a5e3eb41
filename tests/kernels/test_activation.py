"""What the replay cannot show: NaN, gradients at the kink, in-place clipping."""

from collections.abc import Iterator

import numpy as np
import pytest

from pagetrain.kernels import _clip
from pagetrain.kernels._clip import clip
from pagetrain.kernels.activation import log_softmax, relu_grad, softmax
from tests.cases.activation import EDGES, WITH_NAN
from tests.cases.case import floats


@pytest.fixture(params=[True, False], ids=["float", "integer"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both ways of clipping, on every platform; overflows are silent, as the executor makes them."""
    monkeypatch.setattr(_clip, "_HAS_SIMD_FLOAT_CLIP", request.param)
    with np.errstate(all="ignore"):
        yield


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("low, high", [(0, 6), (0, np.inf), (1, 3), (-1, 2), (4, 2), (0, 0)])
@pytest.mark.parametrize("values", [EDGES, EDGES[1:-1], WITH_NAN, np.float32([[3e38, 3e38, -3e38]]), floats(3, 4, 5, low=-9, high=9)])
def test_clip_is_minimum_of_maximum(values: np.ndarray, low: float, high: float) -> None:
    """For infinities, NaN, denormals, sums that overflow, strided memory and crossed bounds; the input stays, `out` may be the input."""
    expected = np.minimum(np.maximum(values, np.float32(low)), np.float32(high))
    before = values.copy()
    np.testing.assert_array_equal(clip(values, low, high), expected)
    np.testing.assert_array_equal(clip(values.T, low, high), expected.T)
    np.testing.assert_array_equal(values, before)
    result = clip(before, low, high, out=before)
    np.testing.assert_array_equal(before, expected)
    assert np.shares_memory(result, before)


def test_relu_grad_is_zero_at_zero() -> None:
    """At the kink the gradient is that of the flat side; X and Y give the same mask; a NaN in dY does not leak through the flat side."""
    X, dY = np.float32([-1, 0, 2]), np.float32([np.nan, 5, 7])
    for second in (X, np.maximum(X, 0)):
        np.testing.assert_array_equal(relu_grad(dY, second)[0], np.float32([0, 0, 7]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_sums_to_one_and_log_softmax_is_its_logarithm(axis: int) -> None:
    """Also for scores of a size whose exponentials overflow."""
    X = floats(3, 4, 5, low=-300, high=300).astype(np.float64)
    np.testing.assert_allclose(softmax(X, axis=axis)[0].sum(axis=axis), 1, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_softmax(X, axis=axis)[0]), softmax(X, axis=axis)[0], rtol=1e-9, atol=1e-300)
