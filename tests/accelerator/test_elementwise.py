"""Accelerated passes over elements against their numpy twins: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain.clip_gradient import CLIP_GRADIENT, clip_gradient
from pagetrain_accelerator import elementwise
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers
from tests.accelerator.running import MS, pair, unaligned
from tests.cases.case import floats, scalar

SHAPES = [(0,), (1,), (3,), (4,), (67,), (2, 3, 5, 7), (1, 8, 3, 3)]
ODD = np.float32([np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, 3, -3])


def both_orders(X: np.ndarray) -> list[np.ndarray]:
    """X, and X as a convolution leaves it."""
    return [X, np.moveaxis(np.ascontiguousarray(np.moveaxis(X, 1, -1)), -1, 1)] if X.ndim > 2 else [X]


def values(*shape: int, seed: int = 0) -> np.ndarray:
    X = unaligned(floats(*shape, seed=seed))
    X.reshape(-1)[: ODD.size] = ODD[: X.size]
    return X


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("low, high", [(0, 6), (-1, 1), (None, 1), (-1, None), (None, None), (2, 1)])
def test_clip(library: Library, shape: tuple[int, ...], low: float | None, high: float | None) -> None:
    """Bounds that are left out, and a lower one above the upper one; NaN stays NaN. The result lies as the input does."""
    accelerated, twin = pair(library, "Clip")
    bounds = [None if bound is None else scalar(bound) for bound in (low, high)]
    for X in both_orders(values(*shape)):
        (got,), (expected,) = accelerated(X, *bounds), twin(X, *bounds)
        np.testing.assert_array_equal(got, expected)
        assert got.strides == X.strides or not X.size


def test_clip_by_attributes(library: Library) -> None:
    """As until version 6."""
    accelerated, twin = pair(library, "Clip", since=6, min=-0.5, max=1.0)
    X = floats(9)
    np.testing.assert_array_equal(accelerated(X)[0], twin(X)[0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bounds", [{"min": 0.0, "max": 1.0}, {"min": -1.0}, {"max": 1.5}, {}])
def test_gradient_of_clip(library: Library, shape: tuple[int, ...], bounds: dict[str, float]) -> None:
    """The gradient passes from bound to bound, both included, and nowhere else; never where X is NaN."""
    run = offers(library)["pagetrain", "ClipGradient"](CLIP_GRADIENT, {}, bounds)
    assert run is not None
    for X, dY in zip(both_orders(np.round(values(*shape))), both_orders(floats(*shape, seed=1)), strict=True):
        (got,), (expected,) = run(dY, X, **bounds), clip_gradient(dY, X, **bounds)
        np.testing.assert_array_equal(got, expected)
        assert got.strides == X.strides or not X.size


@pytest.mark.parametrize("shape", SHAPES)
def test_relu_and_its_gradient(library: Library, shape: tuple[int, ...]) -> None:
    """At 0 the gradient is 0."""
    for X, dY in zip(both_orders(values(*shape)), both_orders(floats(*shape, seed=1)), strict=True):
        accelerated, twin = pair(library, "Relu")
        np.testing.assert_array_equal(accelerated(X)[0], twin(X)[0])
        accelerated, twin = pair(library, "ReluGrad", MS)
        np.testing.assert_array_equal(accelerated(dY, X)[0], twin(dY, X)[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_add(library: Library, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two arrays that lie alike."""
    monkeypatch.setattr(elementwise, "_ENOUGH", 0)
    accelerated, twin = pair(library, "Add")
    for A, B in zip(both_orders(values(*shape)), both_orders(floats(*shape, seed=1)), strict=True):
        np.testing.assert_array_equal(accelerated(A, B)[0], twin(A, B)[0])


@pytest.mark.parametrize("channels", [1, 3, 4, 9])
def test_gradient_that_is_one_number_for_all_pixels(library: Library, channels: int) -> None:
    """As Expand makes it for the gradient of a global average: a view without strides along the pixels."""
    X = both_orders(floats(2, channels, 3, 5))[-1]
    dY = np.broadcast_to(floats(2, channels, 1, 1, seed=1), X.shape)
    accelerated, twin = pair(library, "ReluGrad", MS)
    (got,) = accelerated(dY, X)
    np.testing.assert_array_equal(got, twin(dY, X)[0])
    assert got.strides == X.strides
