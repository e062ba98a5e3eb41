"""Gradients of normalization against differences; running statistics; what stands in for an oracle."""

import numpy as np
import pytest

from pagetrain.kernels.batch_norm import batch_norm_internal, batch_normalization, batch_normalization_grad
from pagetrain.kernels.layer_norm import layer_normalization, layer_normalization_grad, rms_normalization, simplified_layer_normalization
from tests.cases.case import floats
from tests.kernels.projection import check_gradient


def doubles(*shape: int, seed: int = 0, low: float = -2) -> np.ndarray:
    return floats(*shape, seed=seed, low=low).astype(np.float64)


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5), (2, 3, 4, 5)])
def test_batch_normalization_grad_is_the_slope_in_training_mode(shape: tuple[int, ...]) -> None:
    """By X, whose statistics depend on it, by scale and by B, from what the forward op saved."""
    X, scale, B, dY = doubles(*shape), doubles(3, seed=1), doubles(3, seed=2), doubles(*shape, seed=3)
    mean, var = np.zeros(3), np.ones(3)

    def value(x: np.ndarray = X, w: np.ndarray = scale, b: np.ndarray = B) -> float:
        return float((batch_normalization(x, w, b, mean, var, training_mode=1)[0] * dY).sum())

    saved = batch_norm_internal(X, scale, B, mean.copy(), var.copy(), training_mode=1)[3:]
    dX, dscale, dB = batch_normalization_grad(dY, X, scale, *saved)
    assert dX is not None
    assert dscale is not None
    assert dB is not None
    check_gradient(lambda x: value(x=x), X, dX)
    check_gradient(lambda w: value(w=w), scale, dscale)
    check_gradient(lambda b: value(b=b), B, dB)


def test_running_statistics_are_written_over_the_inputs() -> None:
    """Y and the new values are those of ONNX's op in training mode; without it the inputs stay."""
    X, scale, B, mean, var = floats(2, 3, 4, 5), *(floats(3, seed=seed, low=0.1) for seed in range(4))
    expected = batch_normalization(X, scale, B, mean, var, training_mode=1, momentum=0.7)
    before = mean.copy(), var.copy()
    Y, *_ = batch_norm_internal(X, scale, B, mean, var, training_mode=0)
    np.testing.assert_array_equal((mean, var), before)
    np.testing.assert_array_equal(Y, batch_normalization(X, scale, B, mean, var)[0])
    Y, *running = batch_norm_internal(X, scale, B, mean, var, training_mode=1, momentum=0.7)[:3]
    for found, told in zip((Y, mean, var), expected, strict=True):
        np.testing.assert_allclose(found, told, rtol=1e-6)
    assert running[0] is mean
    assert running[1] is var


@pytest.mark.parametrize("axis", [1, 2, -1])
def test_layer_normalization_grad_is_the_slope(axis: int) -> None:
    """By X, Scale and B, over any number of last axes."""
    X, dY = doubles(2, 3, 4), doubles(2, 3, 4, seed=3)
    scale, B = (doubles(*X.shape[axis:], seed=seed) for seed in (1, 2))

    def value(x: np.ndarray = X, w: np.ndarray = scale, b: np.ndarray = B) -> float:
        return float((layer_normalization(x, w, b, axis=axis)[0] * dY).sum())

    dX, dscale, dB = layer_normalization_grad(dY, X, scale, *layer_normalization(X, scale, B, axis=axis)[1:], axis=axis)
    check_gradient(lambda x: value(x=x), X, dX)
    check_gradient(lambda w: value(w=w), scale, dscale)
    check_gradient(lambda b: value(b=b), B, dB)


def test_the_simplified_form_is_rms_normalization() -> None:
    """And the second output is the factor that was applied."""
    X, scale = floats(2, 3, 4), floats(4, seed=1)
    Y, inverse = simplified_layer_normalization(X, scale)
    np.testing.assert_array_equal(Y, rms_normalization(X, scale)[0])
    np.testing.assert_allclose(Y, X * inverse * scale, rtol=1e-6)
