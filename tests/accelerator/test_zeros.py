"""Products with an operand that is mostly zeros, as Relu leaves it: what is not zero is found, wherever it stands."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pagetrain.kernels.conv import conv
from pagetrain_accelerator import linear
from pagetrain_accelerator.library import Library
from tests.accelerator.running import MS, frozen, pair, unaligned
from tests.accelerator.test_conv import close
from tests.cases.case import floats

SHARES = (0.3, 0.5, 0.9, 1.0)  # of zeros: below and above where they begin to be left out
SIDES = [(1, 1, 80), (33, 129, 80), (32, 128, 121), (70, 300, 97), (5, 257, 160), (37, 3, 88), (3, 130, 9)]  # beside the sizes of lists


@pytest.fixture(autouse=True)
def everything_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small products go to the side module, too."""
    monkeypatch.setattr(linear, "_ENOUGH", 0)


def mostly_zeros(share: float, *shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of both signs, that share of them 0 or -0."""
    values = floats(*shape, seed=seed)
    places = np.random.default_rng(seed + 1).random(shape) < share
    return np.where(places, np.where(values < 0, np.float32(-0.0), np.float32(0)), values)


@pytest.mark.parametrize("share, sides", itertools.product(SHARES, SIDES))
def test_gemm(library: Library, share: float, sides: tuple[int, int, int]) -> None:
    """A either way in memory; with a bias, a matrix to add, and bounds."""
    M, K, N = sides
    A, B = mostly_zeros(share, M, K), floats(K, N, seed=1)
    magnitude = np.abs(A) @ np.abs(B) + 4
    for order, C in itertools.product("CF", (None, floats(N), unaligned(floats(M, N)))):
        accelerated, twin = pair(library, "FusedGemm", MS, since=1, activation="Relu")
        close(accelerated(np.asarray(A, order=order), B, C)[0], twin(A, B, C)[0], magnitude)


@pytest.mark.parametrize("share, channels, filters", itertools.product(SHARES, (83, 130), (1, 80, 131)))
def test_pointwise_convolution(library: Library, share: float, channels: int, filters: int) -> None:
    """Forward with a residual and bounds, and its gradients, in which X, dY or both are mostly zeros; each is the wider one once."""
    W, B, Z = floats(filters, channels, 1, 1, seed=1), floats(filters, seed=2), last(floats(3, 7, 5, filters, seed=3))
    for share_of_X, share_of_dY in ((share, 0.0), (0.0, share), (share, share)):
        X, dY = last(mostly_zeros(share_of_X, 3, 7, 5, channels)), last(mostly_zeros(share_of_dY, 3, 7, 5, filters, seed=4))
        frozen(X, dY, W, B, Z)
        accelerated, twin = pair(library, "FusedConv", MS, activation="Clip", activation_params=(-1.0, 4.0))
        close(accelerated(X, W, B, Z)[0], twin(X, W, B, Z)[0], conv(np.abs(X), np.abs(W))[0] + 4)
        accelerated, twin = pair(library, "ConvGrad", MS, wanted=(0, 1, 2))
        for got, expected, magnitude in zip(accelerated(dY, X, W), twin(dY, X, W), twin(*map(np.abs, (dY, X, W))), strict=True):
            close(got, expected, magnitude)


def last(array: np.ndarray) -> np.ndarray:
    """(N, C, H, W) as a convolution leaves it, of an array with the channels last."""
    return array.transpose(0, 3, 1, 2)


def test_windows(library: Library) -> None:
    """What is laid out of windows has zeros, too; the filters' gradient is added up picture by picture."""
    X, W = last(mostly_zeros(0.7, 2, 9, 8, 20)), floats(84, 20, 3, 3, seed=1)
    accelerated, twin = pair(library, "Conv", pads=(1, 1, 1, 1))
    close(accelerated(X, W)[0], twin(X, W)[0], conv(np.abs(X), np.abs(W), pads=(1, 1, 1, 1))[0])
    accelerated, twin = pair(library, "ConvGrad", MS, wanted=(0, 1, 2), pads=(1, 1, 1, 1))
    dY = last(mostly_zeros(0.6, 2, 9, 8, 84, seed=4))
    for got, expected, magnitude in zip(accelerated(dY, X, W), twin(dY, X, W), twin(*map(np.abs, (dY, X, W))), strict=True):
        close(got, expected, magnitude)


def test_a_diverged_number_is_seen(library: Library) -> None:
    """NaN and infinity are no zeros: each is in all of its own row, and in no other."""
    A, B = mostly_zeros(0.9, 40, 130), floats(130, 80, seed=1)
    A[7, 9], A[9, 7], B[7] = np.nan, np.inf, np.where(np.arange(80) % 2, 1, -1)
    accelerated, twin = pair(library, "MatMul")
    got, expected = accelerated(A, B)[0], twin(A, B)[0]
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(expected))
    np.testing.assert_array_equal(got[[7, 9]], expected[[7, 9]])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (128, 79), (64, 43)])
def test_a_diverged_weight_is_seen_where_it_meets_zeros(library: Library, number: float, place: tuple[int, int]) -> None:
    """0 times infinity or NaN is NaN: such a weight shows, even where Relu left nothing to multiply it with."""
    A, B = mostly_zeros(0.9, 40, 129), floats(129, 80, seed=1)
    A[:, place[0]], B[place] = 0, number
    accelerated, twin = pair(library, "MatMul")
    got, expected = accelerated(A, B)[0], twin(A, B)[0]
    assert np.isnan(expected[:, place[1]]).all()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
