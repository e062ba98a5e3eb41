"""Accelerated convolutions against their numpy twins: every kind of window, sizes beside the widths of tiles and vectors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pagetrain import kernels
from pagetrain.kernels.conv import conv
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers
from tests.accelerator.running import MS, frozen, pair, unaligned
from tests.cases.case import floats

# Of the sum of all magnitudes: sums in two orders differ by about the root of the count (at most 2000) times half a unit in the last place.
TOLERANCE = 1e-6
CHANNELS = (1, 3, 4, 5, 8, 17, 36)
KERNELS = ((1, 1), (3, 3), (5, 5), (2, 3), (7, 1))
PADS = ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 0, 1, 2))
STRIDES = ((1, 1), (2, 2), (1, 3))
SIZES = ((9, 8), (7, 13))


def close(got: np.ndarray, expected: np.ndarray, magnitude: np.ndarray) -> None:
    """magnitude: what comes out where all signs are positive."""
    assert (got.shape, got.dtype) == (expected.shape, np.float32)
    np.testing.assert_allclose(got, expected, rtol=0, atol=TOLERANCE * magnitude.max(initial=0))


def pictures(*shape: int, seed: int = 0) -> np.ndarray:
    """(N, C, H, W) as a convolution leaves it, at an odd address."""
    batch, channels, *sizes = shape
    return unaligned(floats(batch, *sizes, channels, seed=seed)).transpose(0, 3, 1, 2)


def geometries() -> list[tuple[tuple[int, int], dict[str, Any]]]:
    """(sizes, attributes) of windows that fit; every eleventh dilated."""
    found = []
    for number, (sizes, kernel, pads, strides) in enumerate(itertools.product(SIZES, KERNELS, PADS, STRIDES)):
        dilations = (2, 1) if number % 11 == 0 else (1, 1)
        extents = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)]
        if all(sizes[axis] + pads[axis] + pads[axis + 2] >= extents[axis] for axis in (0, 1)):
            found.append((sizes, {"pads": pads, "strides": strides, "dilations": dilations, "kernel_shape": kernel}))
    return found


@pytest.mark.parametrize("which, channels", enumerate(CHANNELS))
def test_depthwise(library: Library, which: int, channels: int) -> None:
    """Forward with bias and bounds, both gradients; for each number of channels an eighth of all windows."""
    for sizes, attributes in geometries()[which::8]:
        X, B = pictures(2, channels, *sizes), floats(channels, seed=2)
        W = floats(channels, 1, *attributes["kernel_shape"], seed=1)
        compare(library, X, W, B, None, {**attributes, "group": channels})


@pytest.mark.parametrize("which, channels, filters", [(0, 1, 5), (1, 3, 8), (2, 4, 1), (3, 5, 12), (4, 16, 19)])
def test_one_group(library: Library, which: int, channels: int, filters: int) -> None:
    """Forward with bias, residual and bounds, both gradients; for each pair of sizes an eighth of all windows."""
    for sizes, attributes in geometries()[which::8]:
        X, B = pictures(2, channels, *sizes), unaligned(floats(filters, seed=2))
        W = floats(filters, channels, *attributes["kernel_shape"], seed=1)
        compare(library, X, W, B, pictures(*conv(X, W, **attributes)[0].shape, seed=3), attributes)


def compare(library: Library, X: np.ndarray, W: np.ndarray, B: np.ndarray, Z: np.ndarray | None, attributes: dict[str, Any]) -> None:
    """FusedConv with the filters known and not, and ConvGrad."""
    frozen(X, W, B, Z)
    (largest,) = conv(np.abs(X), np.abs(W), **attributes)
    fused = {**attributes, "activation": "Clip", "activation_params": (-1.0, 4.0)}
    for constants in ({}, {1: W}):
        accelerated, twin = pair(library, "FusedConv", MS, constants=constants, **fused)
        close(accelerated(X, W, B, Z)[0], twin(X, W, B, Z)[0], largest)
    dY = pictures(*largest.shape, seed=4)
    accelerated, twin = pair(library, "ConvGrad", MS, wanted=(0, 1, 2), **attributes)
    results = zip(accelerated(dY, X, W), twin(dY, X, W), twin(*map(np.abs, (dY, X, W))), strict=True)
    for got, expected, magnitude in results:
        close(got, expected, magnitude)


@pytest.mark.parametrize("channels", [1, 2, 768, 769, 1700])
def test_pointwise(library: Library, channels: int) -> None:
    """Products whose sides are beside the sizes of a tile, deeper than a block, and of more rows than one."""
    for pixels, filters in [*itertools.product((1, 2, 3, 4, 5, 6, 11), (1, 7, 8, 9)), (300, 24)]:
        X, W = pictures(1, channels, 1, pixels), floats(filters, channels, 1, 1, seed=1)
        compare(library, X, W, floats(filters, seed=2), pictures(1, filters, 1, pixels, seed=3), {})


def test_channels_first_input(library: Library) -> None:
    """As a picture comes in, and as features come out of their table: turned on the way."""
    X, W = floats(2, 3, 6, 7), floats(5, 3, 3, 3, seed=1)
    accelerated, twin = pair(library, "Conv")
    for picture in (X, X[:, :, ::2]):
        close(accelerated(picture, W)[0], twin(picture, W)[0], conv(np.abs(picture), np.abs(W))[0])


def test_the_result_lies_channels_last(library: Library) -> None:
    """So that the next convolution reads it as it lies; the same shape again costs no new thoughts."""
    X, W = pictures(1, 4, 5, 5), floats(8, 4, 1, 1, seed=1)
    accelerated, _ = pair(library, "Conv", constants={1: W})
    for _ in range(2):
        (Y,) = accelerated(X, W)
        assert Y.transpose(0, 2, 3, 1).flags.c_contiguous


@pytest.mark.parametrize("group, kernel", [(1, 1), (1, 3), (6, 3)])
def test_no_pictures(library: Library, group: int, kernel: int) -> None:
    """A batch of none makes none, and gradients of zero."""
    X, W = np.zeros((0, 6, 5, 5), np.float32), floats(6, 6 // group, kernel, kernel)
    accelerated, _ = pair(library, "Conv", group=group)
    assert accelerated(X, W)[0].shape == (0, 6, 6 - kernel, 6 - kernel)
    accelerated, _ = pair(library, "ConvGrad", MS, group=group, wanted=(0, 1, 2))
    dX, dW, dB = accelerated(np.zeros((0, 6, 6 - kernel, 6 - kernel), np.float32), X, W)
    assert dX.shape == X.shape
    assert (dW.shape, np.abs(dW).sum(), np.abs(dB).sum()) == (W.shape, 0, 0)


def test_nan_and_infinity_pass_through(library: Library) -> None:
    """A diverged model must not look healthy: bounds keep NaN, and cut infinities."""
    X, W = np.float32([np.nan, np.inf, -np.inf, 1]).reshape(4, 1, 1, 1), np.ones((1, 1, 1, 1), np.float32)
    accelerated, _ = pair(library, "FusedConv", MS, activation="Clip", activation_params=(0.0, 6.0))
    np.testing.assert_array_equal(accelerated(X, W)[0].reshape(-1), np.float32([np.nan, 6, 0, 1]))


@pytest.mark.parametrize("group, kernel", [(1, 1), (1, 3), (6, 3)])
@pytest.mark.parametrize("cut", [(slice(None), slice(None), slice(1, None)), (slice(None), slice(1, None)), (slice(1, None),)])
def test_a_gradient_of_another_shape_is_left_to_numpy(library: Library, group: int, kernel: int, cut: tuple[slice, ...]) -> None:
    """The side module would read beyond its end."""
    X, W = pictures(2, 6, 5, 5), floats(6, 6 // group, kernel, kernel, seed=1)
    accelerated, _ = pair(library, "ConvGrad", MS, group=group, wanted=(0, 1, 2))
    with pytest.raises(AssertionError, match="left to numpy"):
        accelerated(floats(2, 6, 6 - kernel, 6 - kernel)[cut], X, W)


@pytest.mark.parametrize("attributes", [{"dilations": (-1, -1)}, {"dilations": (0, 0)}, {"strides": (-1, 1)}, {"pads": (0, -1, 0, 0)}])
@pytest.mark.parametrize("op_type, domain", [("Conv", ""), ("FusedConv", MS), ("ConvGrad", MS)])
def test_windows_that_go_backwards_are_left_to_numpy(
    library: Library, op_type: str, domain: str, attributes: dict[str, tuple[int, ...]]
) -> None:
    """The side module would write before the first of its scratch."""
    kernel = kernels.find(domain, op_type, 22)
    assert kernel is not None
    assert offers(library)[domain, op_type](kernel, {}, attributes) is None
