"""Clip, Relu and their gradients."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isnan
from typing import Any

import numpy as np

from pagetrain.backend import Runner
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.registry import Kernel

from .arrays import FLOAT, NO_SPARES, alike, channels_first
from .library import Library
from .registry import accelerated

Constants = Mapping[int, np.ndarray]


@accelerated("Clip")
@accelerated("Relu")
def clip(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner:
    """Relu is Clip from 0 up; the bounds are attributes until version 6, inputs later."""

    def run(X: np.ndarray, *given: np.ndarray | None, **_: Any) -> tuple[np.ndarray, ...]:
        low, high = _bounds(kernel, given, attributes)
        result = None if isnan(low) or isnan(high) else alike(library, "clip", X, numbers=(low, high))
        return kernel.run(X, *given, **attributes) if result is None else (result,)

    run.__dict__["spares"] = NO_SPARES
    return run


def _bounds(kernel: Kernel, given: tuple[np.ndarray | None, ...], attributes: Mapping[str, Any]) -> tuple[float, float]:
    if kernel.op_type == "Relu":
        return 0.0, inf
    if kernel.since < 11:
        limit = float(np.finfo(np.float32).max)
        return attributes.get("min", -limit), attributes.get("max", limit)
    low, high = (*given, None, None)[:2]
    return -inf if low is None else float(low.reshape(())), inf if high is None else float(high.reshape(()))


@accelerated("ReluGrad", MS_DOMAIN)
def relu_grad(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner:
    """dX = dY where X > 0."""

    def run(dY: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, ...]:
        result = alike(library, "relu_gradient", _laid_as(library, dY, X), X)
        return kernel.run(dY, X) if result is None else (result,)

    run.__dict__.update(workspace=0, spares=NO_SPARES)  # no mask
    return run


@accelerated("ClipGradient", "pagetrain")
def clip_gradient(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner:
    """dX = dY where X is between the bounds; the op is one of clip_gradient.py's own."""
    bounds = attributes.get("min", -inf), attributes.get("max", inf)

    def run(dY: np.ndarray, X: np.ndarray, **_: Any) -> tuple[np.ndarray, ...]:
        result = alike(library, "clip_gradient", _laid_as(library, dY, X), X, numbers=bounds)
        return kernel.run(dY, X, **attributes) if result is None else (result,)

    run.__dict__.update(workspace=0, spares=NO_SPARES)  # no mask
    return run


def _laid_as(library: Library, dY: np.ndarray, X: np.ndarray) -> np.ndarray:
    """dY, in the memory order of X where it is a view of one number for all pixels, as behind a global average."""
    if (
        dY.ndim != 4
        or not dY.size
        or X.shape != dY.shape
        or dY.strides[2:] != (0, 0)
        or dY.dtype != FLOAT
        or not X.transpose(0, 2, 3, 1).flags.c_contiguous
    ):
        return dY
    batch, channels, rows, columns = dY.shape
    laid = np.empty((batch, rows, columns, channels), FLOAT)
    library.call("spread", np.ascontiguousarray(dY[:, :, 0, 0]), laid, batch, rows * columns, channels)
    return channels_first(laid)
