"""Conv, FusedConv and ConvGrad over two spatial axes: one group, or one filter for each channel."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import inf, isnan, prod
from typing import Any

import numpy as np

from pagetrain.backend import Runner
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.registry import Kernel

from .arrays import FLOAT, are_floats, channels_first, channels_last, panels, panels_for
from .library import Library
from .place import Place, Places, Shape, is_sound, takes
from .registry import accelerated
from .workspace import needing, of_conv, of_conv_grad

Constants = Mapping[int, np.ndarray]
Result = tuple[np.ndarray | None, ...]


def _takes(W: np.ndarray, group: int) -> bool:
    return W.dtype == FLOAT and takes(W.shape, group)


def _by_tap(library: Library, W: np.ndarray, group: int) -> np.ndarray:
    """W (M, C, k1, k2) with the channels last: (M, taps, C); (1, taps, M) of depthwise filters."""
    W = np.ascontiguousarray(W)
    taps = W.shape[2] * W.shape[3]
    batch, rows = (1, W.shape[0]) if group > 1 else W.shape[:2]
    if min(rows, taps) == 1:
        return W.reshape(batch, taps, rows)
    turned = np.empty((batch, taps, rows), FLOAT)
    library.call("transpose", W, turned, batch, rows, taps)
    return turned


def _prepared(library: Library, W: np.ndarray, group: int) -> np.ndarray:
    """Filters as the forward functions read them."""
    by_tap = _by_tap(library, W, group)
    return by_tap if group > 1 else panels(library, by_tap.reshape(W.shape[0], prod(W.shape[1:])), turned=True)


def bounds_of(activation: str, parameters: Sequence[float]) -> tuple[float, float] | None:
    """What the activation of a fused op clamps its result to; None for one that does something else, as a bound of NaN does."""
    if activation == "Clip" and len(parameters) >= 2 and not any(map(isnan, parameters)):
        return parameters[0], parameters[1]
    return {"": (-inf, inf), "Relu": (0.0, inf)}.get(activation)


@accelerated("Conv")
@accelerated("FusedConv", MS_DOMAIN)
def conv(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner | None:
    """Pointwise convolutions multiply the pixels as they lie; depthwise ones have loops of their own; others go by bands of windows."""
    bounds = bounds_of(attributes.get("activation", ""), attributes.get("activation_params", ()))
    group, constant, places = attributes.get("group", 1), constants.get(1), Places(attributes)
    if bounds is None or not is_sound(attributes) or (constant is not None and not _takes(constant, group)):
        return None
    prepared = None if constant is None else _prepared(library, constant, group)

    def run(X: np.ndarray, W: np.ndarray, B: np.ndarray | None = None, Z: np.ndarray | None = None, **_: Any) -> Result:
        if not (are_floats(X, W, B, Z) and X.ndim == 4 and _takes(W, group)):
            return _in_numpy(kernel, (X, W, B, Z), attributes)
        place = places.of(X.shape, W.shape)
        if place is None or not _fits(place, B, Z):
            return _in_numpy(kernel, (X, W, B, Z), attributes)
        filters = _prepared(library, W, group) if prepared is None else prepared
        x, z, y = channels_last(library, X), None if Z is None else channels_last(library, Z), np.empty(place.output, FLOAT)
        if place.group > 1:
            library.call("depthwise", x, filters, B, y, place.window, *bounds)
        elif place.is_pointwise:
            library.call("gemm", x, filters, B, z, y, place.pixels, x.shape[3], W.shape[0], *bounds)
        else:
            scratch = np.empty(place.laid_out, FLOAT)
            library.call("convolution", x, filters, B, z, y, scratch, place.window, W.shape[0], place.band, *bounds)
        return (channels_first(y),)

    run.__dict__["holds"] = () if prepared is None else (prepared,)
    return needing(run, kernel, of_conv)


def _in_numpy(kernel: Kernel, inputs: tuple[np.ndarray | None, ...], attributes: Mapping[str, Any]) -> Result:
    return kernel.run(*inputs[: 3 if kernel.op_type == "Conv" else 4], **attributes)


def _fits(place: Place, B: np.ndarray | None, Z: np.ndarray | None) -> bool:
    if place.group > 1 and Z is not None:
        return False
    return (B is None or (B.shape == place.output[3:] and B.flags.c_contiguous)) and (Z is None or Z.shape == _shape_of_y(place))


def _shape_of_y(place: Place) -> Shape:
    batch, rows, columns, count = place.output
    return batch, count, rows, columns


@accelerated("ConvGrad", MS_DOMAIN)
def conv_grad(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner | None:
    """dX = dY W and dW = dY^T X over the windows."""
    group, places = attributes.get("group", 1), Places(attributes)
    if not is_sound(attributes):
        return None

    def run(dY: np.ndarray, X: np.ndarray, W: np.ndarray, *, wanted: Collection[int], **_: Any) -> Result:
        if not (are_floats(dY, X, W) and dY.ndim == X.ndim == 4 and _takes(W, group)):
            return kernel.run(dY, X, W, wanted=wanted, **_)
        place = places.of(X.shape, W.shape)
        if place is None or dY.shape != _shape_of_y(place):
            return kernel.run(dY, X, W, wanted=wanted, **_)
        dy = channels_last(library, dY)
        dX = channels_first(_input_gradient(library, place, dy, X.shape, W)) if 0 in wanted else None
        dW = _filter_gradient(library, place, dy, channels_last(library, X), W.shape) if 1 in wanted else None
        dB = np.empty(W.shape[0], FLOAT) if 2 in wanted else None
        if dB is not None:
            library.call("pixel_sums", dy, dB, 1, place.pixels, W.shape[0], 1.0)
        return dX, dW, dB

    return needing(run, kernel, of_conv_grad)


def _input_gradient(library: Library, place: Place, dy: np.ndarray, x_shape: Shape, W: np.ndarray) -> np.ndarray:
    batch, channels, *sizes = x_shape
    shape = (batch, *sizes, channels)
    if place.is_pointwise:
        dx = np.empty(shape, FLOAT)
        library.call("gemm", dy, panels(library, W.reshape(W.shape[:2])), None, None, dx, place.pixels, W.shape[0], channels, -inf, inf)
        return dx
    filters = _by_tap(library, W, place.group)
    if place.group > 1 and place.back is not None:
        dx = np.empty(shape, FLOAT)
        library.call("depthwise", dy, np.ascontiguousarray(filters[:, ::-1]), None, dx, place.back, -inf, inf)
        return dx
    dx = np.zeros(shape, FLOAT)
    if place.group > 1:
        library.call("depthwise_input_gradient", dy, filters, dx, place.window)
    else:
        scratch, packed = np.empty(place.laid_out, FLOAT), panels(library, filters.reshape(W.shape[0], prod(W.shape[1:])))
        library.call("convolution_input_gradient", dy, packed, dx, scratch, place.window, W.shape[0], place.band)
    return dx


def _filter_gradient(library: Library, place: Place, dy: np.ndarray, x: np.ndarray, w_shape: Shape) -> np.ndarray:
    count, channels, *kernel = w_shape
    if place.is_pointwise:
        return _pointwise_filter_gradient(library, place, dy, x, w_shape)
    taps = kernel[0] * kernel[1]
    if place.group > 1:
        by_tap = np.empty((1, taps, count), FLOAT)
        library.call("depthwise_filter_gradient", x, dy, by_tap, place.window)
    else:
        by_tap = np.zeros((count, taps, channels), FLOAT)
        scratch, packed = np.empty(place.laid_out, FLOAT), panels_for(*place.laid_out)
        library.call("convolution_filter_gradient", x, dy, by_tap, scratch, packed, place.window, count, place.band)
    dW = np.empty(w_shape, FLOAT)
    library.call("transpose", by_tap, dW, by_tap.shape[0], taps, by_tap.shape[2])
    return dW


def _pointwise_filter_gradient(library: Library, place: Place, dy: np.ndarray, x: np.ndarray, w_shape: Shape) -> np.ndarray:
    """The narrower of dY and X is packed. The wider one is read as it lies: it is where Relu was, and gemm leaves zeros out there."""
    count, channels = w_shape[:2]
    dW = np.empty(w_shape, FLOAT)
    if channels <= count:
        packed = panels(library, x.reshape(place.pixels, channels))
        library.call("gemm_turned", dy, packed, None, None, dW, count, place.pixels, channels, -inf, inf)
        return dW
    turned, packed = np.empty((channels, count), FLOAT), panels(library, dy.reshape(place.pixels, count))
    library.call("gemm_turned", x, packed, None, None, turned, channels, place.pixels, count, -inf, inf)
    library.call("transpose", turned, dW, 1, channels, count)
    return dW
