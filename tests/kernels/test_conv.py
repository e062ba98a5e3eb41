"""ConvGrad against differences of Conv; memory order; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError, ShapeMismatchError, UnsupportedOpError
from pagetrain.kernels import product
from pagetrain.kernels.conv import conv, conv_grad, fused_conv
from tests.cases.case import floats
from tests.cases.conv import GEOMETRIES
from tests.kernels.projection import check_gradient


@pytest.mark.parametrize("name", GEOMETRIES)
def test_conv_grad_is_the_slope_of_conv(name: str) -> None:
    """dX, dW, dB for every combination of attributes in the table, auto_pad, groups and depthwise included."""
    x_shape, w_shape, attributes = GEOMETRIES[name]
    X, W, B = (floats(*shape, seed=seed).astype(np.float64) for seed, shape in enumerate((x_shape, w_shape, w_shape[:1])))
    dY = floats(*conv(X, W, B, **attributes)[0].shape, seed=4).astype(np.float64)
    dX, dW, dB = conv_grad(dY, X, W, **attributes)

    def value(x: np.ndarray = X, w: np.ndarray = W, b: np.ndarray = B) -> float:
        return float((conv(x, w, b, **attributes)[0] * dY).sum())

    check_gradient(lambda x: value(x=x), X, dX)
    check_gradient(lambda w: value(w=w), W, dW)
    check_gradient(lambda b: value(b=b), B, dB)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_results_lie_channels_last(name: str) -> None:
    """Y and dX are views of (N, d1.., C) memory, so the next convolution and every elementwise op need not rearrange anything."""
    x_shape, w_shape, attributes = GEOMETRIES[name]
    X, W = floats(*x_shape), floats(*w_shape)
    (Y,) = conv(X, W, **attributes)
    assert np.moveaxis(Y, 1, -1).flags.c_contiguous
    assert np.moveaxis(np.maximum(Y, 0) + Y, 1, -1).flags.c_contiguous


def by_definition(X: np.ndarray, W: np.ndarray, pad: int, stride: int, group: int) -> np.ndarray:
    """Conv in float64, one place of the window after the other."""
    x, (filters, channels, height, width) = np.pad(X.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad))), W.shape
    rows, columns = ((size - extent) // stride + 1 for size, extent in zip(x.shape[2:], (height, width), strict=True))
    Y = np.zeros((X.shape[0], filters, rows, columns))
    for row, column in np.ndindex(height, width):
        seen = x[:, :, row : row + stride * rows : stride, column : column + stride * columns : stride][:, :, :rows, :columns]
        for m in range(filters):
            first = m // (filters // group) * channels
            Y[:, m] += np.einsum("nchw,c->nhw", seen[:, first : first + channels], W[m, :, row, column].astype(np.float64))
    return Y


@pytest.mark.parametrize("has_blas", [True, False])
@pytest.mark.parametrize(
    "x_shape, w_shape, pad, stride, group",
    [
        ((2, 5, 40, 41), (7, 5, 1, 1), 0, 1, 1),
        ((1, 3, 70, 66), (8, 3, 3, 3), 1, 2, 1),
        ((1, 6, 40, 40), (8, 3, 3, 3), 1, 1, 2),
        ((2, 5, 70, 70), (7, 5, 1, 1), 0, 2, 1),
        ((1, 48, 5, 44), (48, 1, 3, 3), 1, 1, 48),
    ],
)
def test_wide_layers_by_both_platforms_ways(
    monkeypatch: pytest.MonkeyPatch, has_blas: bool, x_shape: tuple[int, ...], w_shape: tuple[int, ...], pad: int, stride: int, group: int
) -> None:
    """Many pixels with few channels, and neighbours taken together, for X of both memory orders; a second layer reads the result."""
    monkeypatch.setattr(product, "HAS_BLAS", has_blas)
    X, W, V = floats(*x_shape), floats(*w_shape, seed=1), floats(3, w_shape[0], 1, 1, seed=2)
    expected = by_definition(X, W, pad, stride, group)
    for x in (X, np.moveaxis(np.ascontiguousarray(np.moveaxis(X, 1, -1)), -1, 1)):
        (Y,) = conv(x, W, pads=(pad,) * 4, strides=(stride, stride), group=group)
        # float32 against float64: sums of at most 48 terms of size 1
        np.testing.assert_allclose(Y, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(conv(Y, V)[0], by_definition(Y, V, 0, 1, 1), rtol=1e-5, atol=1e-5)


def test_gradient_of_broadcast_view() -> None:
    """dY may be a view with zero strides, as Expand makes it."""
    X, W = floats(2, 3, 5, 5), floats(4, 3, 3, 3)
    dY = np.broadcast_to(floats(2, 4, 1, 1), (2, 4, 3, 3))
    for view, copy in zip(conv_grad(dY, X, W), conv_grad(dY.copy(), X, W), strict=True):
        np.testing.assert_array_equal(view, copy)


@pytest.mark.parametrize(
    "x_shape, w_shape, attributes, message",
    [
        ((1, 3, 5, 5), (4, 2, 3, 3), {}, "group=1"),
        ((1, 4, 5, 5), (3, 2, 3, 3), {"group": 2}, "multiple of group"),
        ((1, 3, 5), (4, 3, 3, 3), {}, "same number of axes"),
        ((1, 3, 5, 5), (4, 3, 3, 3), {"kernel_shape": [5, 5]}, "kernel_shape"),
        ((1, 3, 2, 5), (4, 3, 3, 3), {}, "larger than the padded input"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(x_shape: tuple[int, ...], w_shape: tuple[int, ...], attributes: Any, message: str) -> None:
    """The message says what does not fit."""
    with pytest.raises(ShapeMismatchError, match=message):
        conv(floats(*x_shape), floats(*w_shape), **attributes)


def test_unknown_words_are_refused() -> None:
    """auto_pad and activation have closed vocabularies."""
    X, W = floats(1, 1, 4, 4), floats(1, 1, 3, 3)
    with pytest.raises(InvalidInputError, match="auto_pad is 'SAME'"):
        conv(X, W, auto_pad="SAME")
    with pytest.raises(UnsupportedOpError, match="'Swish'"):
        fused_conv(X, W, activation="Swish")
