"""What runners need beside inputs and outputs, where that is not what numpy's kernels need: see backend.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from pagetrain.backend import Runner
from pagetrain.kernels.registry import Kernel, Spec

from .arrays import FLOAT, WIDE
from .place import Place, place_of, takes

Specs = Sequence[Spec | None]
Floats = Callable[[Place, Specs], int]


def needing(run: Runner, kernel: Kernel, floats: Floats) -> Runner:
    """The runner of a convolution, with its workspace; of what it leaves to numpy the kernel tells."""
    at = 1 if kernel.op_type == "ConvGrad" else 0  # dY comes first

    def workspace(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
        X, W = inputs[at : at + 2]
        taken = X and W and X.itemsize == FLOAT.itemsize and takes(W.shape, attributes.get("group", 1))
        place = place_of(X.shape, W.shape, attributes) if X and W and taken else None
        if place is None:
            return kernel.workspace(inputs, outputs, attributes) if callable(kernel.workspace) else 0
        return FLOAT.itemsize * floats(place, inputs)

    run.__dict__["workspace"] = workspace
    return run


def of_conv(place: Place, inputs: Specs) -> int:
    """Copies of X and the residual with the channels last, filters that are prepared in each pass, the windows of a band."""
    X, W, residual = inputs[0], inputs[1], (*inputs, None, None)[3]
    assert X is not None
    assert W is not None
    filters = 0 if W.constant else _by_tap(place, W) + (0 if place.group > 1 else _panels(prod(W.shape[1:]), W.shape[0]))
    windows = 0 if place.group > 1 or place.is_pointwise else prod(place.laid_out)
    return _turned(X) + _turned(residual) + filters + windows


def of_conv_grad(place: Place, inputs: Specs) -> int:
    """The larger of what the gradients for X and for W need, one after the other; both read dY with the channels last."""
    dY, X, W = inputs[:3]
    assert dY is not None
    assert X is not None
    assert W is not None
    taps, by_tap = prod(W.shape[1:]), _by_tap(place, W)
    if place.is_pointwise:
        turned = prod(W.shape) if W.shape[0] < taps else 0
        for_dX, for_dW = _panels(W.shape[0], taps), _panels(place.pixels, min(W.shape[0], taps)) + turned
    elif place.group > 1:
        for_dX, for_dW = 2 * by_tap, by_tap
    else:
        for_dX = by_tap + prod(place.laid_out) + _panels(W.shape[0], taps)
        for_dW = prod(W.shape) + prod(place.laid_out) + _panels(*place.laid_out)
    return _turned(dY) + max(for_dX, _turned(X) + for_dW)


def _turned(X: Spec | None) -> int:
    return 0 if X is None or X.turned else prod(X.shape)


def _by_tap(place: Place, W: Spec) -> int:
    """Floats of the filters with the channels last; none where they lie so."""
    rows, taps = W.shape[0] if place.group > 1 else W.shape[1], prod(W.shape[2:])
    return 0 if min(rows, taps) == 1 else prod(W.shape)


def _panels(inner: int, columns: int) -> int:
    return -(-columns // WIDE) * WIDE * inner
