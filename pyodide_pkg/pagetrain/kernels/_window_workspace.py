"""What convolutions and pooling need beside inputs and outputs: padded copies, and the windows laid out as the rows of a product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ._product import HAS_BLAS
from ._window import Window, conv_window, pool_window
from .registry import Spec

Specs = Sequence[Spec | None]


def of_conv(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of Conv's workspace: the padded X, and for one group at a time the columns."""
    X, W = inputs[:2]
    if X is None or W is None:
        return 0
    window, group = conv_window(X.shape, W.shape, attributes), attributes.get("group", 1)
    results = X.shape[0] * prod(window.output) * W.shape[0]
    joined = results if group > 1 and not _is_depthwise(X, W, group) else 0  # the groups' results, before they are put side by side
    return X.itemsize * _arranged(X, window, max(joined, _columns(X, W, group, window)), results)


def of_conv_grad(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of ConvGrad's workspace; dX keeps its pads, which count here, too."""
    dY, X, W = inputs[:3]
    if dY is None or X is None or W is None:
        return 0
    window, group = conv_window(X.shape, W.shape, attributes), attributes.get("group", 1)
    is_depthwise = _is_depthwise(X, W, group)
    pixels = prod(dY.shape)
    lead = 0 if dY.turned else pixels
    share = pixels if is_depthwise else (pixels // group if group > 1 else 0)
    columns = _columns(X, W, group, window)
    for_dX = (
        _padded(X, window) - prod(X.shape) if outputs[0] else 0,
        0 if is_depthwise else _taps_rows(X, W, window) + _filters(W, group, window),
    )
    taps = pixels if is_depthwise else columns + share + _transposed(X, W, group, window, pixels)
    for_dW = _arranged(X, window, taps, prod(W.shape)) if len(outputs) > 1 and outputs[1] else 0
    return X.itemsize * (lead + for_dX[0] + max(for_dX[1] + share if outputs[0] else 0, for_dW))


def of_conv_transpose(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of ConvTranspose's workspace: what every pixel of X gives to every place of its window."""
    X, W = inputs[:2]
    if X is None or W is None:
        return 0
    rows = X.shape[0] * prod(X.shape[2:]) * prod(W.shape[1:])
    return X.itemsize * (rows + (0 if X.turned else prod(X.shape)))


def of_pool(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of a pooling's workspace: the padded X, and the indices of a maximum a second time."""
    (X,) = inputs[:1]
    if X is None:
        return 0
    window = pool_window(X.shape, attributes)
    indices = outputs[1].nbytes if len(outputs) > 1 and outputs[1] else 0
    results = X.shape[0] * X.shape[1] * prod(window.output)
    return X.itemsize * _arranged(X, window, 0, results) + indices


def _is_depthwise(X: Spec, W: Spec, group: int) -> bool:
    return (W.shape[0], X.shape[1]) == (group, group)


def _padded(X: Spec, window: Window) -> int:
    return X.shape[0] * X.shape[1] * prod(size + sum(pad) for size, pad in zip(X.shape[2:], window.pads, strict=True))


def _arranged(X: Spec, window: Window, scratch: int, results: int) -> int:
    """Elements of X in channels-last order and padded, and of `scratch` after that.

    While it is padded the other copy is there, too, but the results, which others count, are not yet.
    """
    copy = 0 if X.turned else prod(X.shape)
    if not any(map(any, window.pads)):
        return copy + scratch
    return _padded(X, window) + max(copy - results, scratch)


def _filters(W: Spec, group: int, window: Window) -> int:
    """Elements of the copy of one group's filters that the product reads; none where they lie as it needs them."""
    return 0 if window.is_pointwise else prod(W.shape) // group


def _taps_rows(X: Spec, W: Spec, window: Window) -> int:
    return X.shape[0] * prod(window.output) * prod(W.shape[1:])


def _transposed(X: Spec, W: Spec, group: int, window: Window, pixels: int) -> int:
    """Elements of the copies that the product of dY and the columns makes of both where there is no BLAS."""
    return 0 if HAS_BLAS else _taps_rows(X, W, window) + pixels // group


def _columns(X: Spec, W: Spec, group: int, window: Window) -> int:
    """Elements of the copies that the product of one group reads; none where it reads the pixels as they lie."""
    as_they_lie = window.is_pointwise and group == 1 and all(step == 1 for step in window.strides)
    if as_they_lie or _is_depthwise(X, W, group):
        return 0
    return _taps_rows(X, W, window) + _filters(W, group, window)
