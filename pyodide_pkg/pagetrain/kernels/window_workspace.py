"""What convolutions and pooling need beside inputs and outputs: padded copies, and the windows laid out as the rows of a product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from .convolution import is_depthwise
from .product import HAS_BLAS
from .registry import Spec
from .window import Window, conv_window, pool_window

Specs = Sequence[Spec | None]


def of_conv(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of Conv's workspace: the padded X, and for one group at a time the columns."""
    X, W = inputs[:2]
    if X is None or W is None:
        return 0
    window, group = conv_window(X.shape, W.shape, attributes), attributes.get("group", 1)
    results = X.shape[0] * prod(window.output) * W.shape[0]
    joined = results if group > 1 and not is_depthwise(W.shape, group) else 0  # the groups' results, before they are put side by side
    return X.itemsize * (_ready(X, window) + max(joined, _columns(X, W, group, window)))


def of_conv_grad(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of ConvGrad's workspace; dX keeps its pads, which count here, too."""
    dY, X, W = inputs[:3]
    if dY is None or X is None or W is None:
        return 0
    window, group = conv_window(X.shape, W.shape, attributes), attributes.get("group", 1)
    own_filters = is_depthwise(W.shape, group)
    pixels = prod(dY.shape)
    lead = 0 if dY.turned else pixels
    share = pixels // group if group > 1 else 0
    kept, for_dX, for_dW = 0, 0, 0
    if outputs[0] and own_filters and (back := window.reversed_over(X.shape[2:])):
        for_dX = _padded(dY, back) if back.is_padded else 0
    elif outputs[0] and not (window.is_pointwise and group == 1 and _is_dense(window)):
        kept = _padded(X, window) - prod(X.shape)
        for_dX = pixels if own_filters else _taps_rows(X, W, window) + _filters(W, window) + share
    if len(outputs) > 1 and outputs[1]:
        columns = 0 if own_filters else _columns(X, W, group, window) + share + _transposed(X, W, group, window, pixels)
        for_dW = _ready(X, window) + columns
    return X.itemsize * (lead + kept + max(for_dX, for_dW))


def of_conv_transpose(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of ConvTranspose's workspace: what every pixel of X gives to every place of its window, and the filters."""
    X, W = inputs[:2]
    if X is None or W is None:
        return 0
    rows = X.shape[0] * prod(X.shape[2:]) * prod(W.shape[1:])
    return X.itemsize * (rows + prod(W.shape) + (0 if X.turned else prod(X.shape)))


def of_pool(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of a pooling's workspace: the padded X, and the indices of a maximum a second time."""
    (X,) = inputs[:1]
    if X is None:
        return 0
    window = pool_window(X.shape, attributes)
    indices = outputs[1].nbytes if len(outputs) > 1 and outputs[1] else 0
    return X.itemsize * _arranged(X, window) + indices


def _is_dense(window: Window) -> bool:
    return all(step == 1 for step in window.strides)


def _padded(X: Spec, window: Window) -> int:
    return X.shape[0] * X.shape[1] * prod(size + sum(pad) for size, pad in zip(X.shape[2:], window.pads, strict=True))


def _arranged(X: Spec, window: Window) -> int:
    """Elements of X in channels-last order, padded where there are pads."""
    if window.is_padded:
        return _padded(X, window)
    return 0 if X.turned else prod(X.shape)


def _ready(X: Spec, window: Window) -> int:
    """Elements of the X whose windows are taken; those of one pixel are taken from X itself."""
    return 0 if window.is_pointwise else _arranged(X, window)


def _filters(W: Spec, window: Window) -> int:
    """Elements of the copy of the filters that the products read; none where they lie as these need them, or were copied before."""
    return 0 if window.is_pointwise or W.constant else prod(W.shape)


def _taps_rows(X: Spec, W: Spec, window: Window) -> int:
    return X.shape[0] * prod(window.output) * prod(W.shape[1:])


def _transposed(X: Spec, W: Spec, group: int, window: Window, pixels: int) -> int:
    """Elements of the copies that the product of dY and the columns makes of both where there is no BLAS."""
    return 0 if HAS_BLAS else _taps_rows(X, W, window) + pixels // group


def _columns(X: Spec, W: Spec, group: int, window: Window) -> int:
    """Elements of the copies that the product of one group reads; none where it reads the pixels as they lie."""
    if is_depthwise(W.shape, group):
        return 0
    as_they_lie = window.is_pointwise and _is_dense(window) and (X.turned or X.shape[0] == 1)
    return 0 if as_they_lie else _taps_rows(X, W, window) + _filters(W, window)
