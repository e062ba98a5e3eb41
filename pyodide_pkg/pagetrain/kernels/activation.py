"""Relu, Clip, Softmax, LogSoftmax and their gradients."""

from __future__ import annotations

import numpy as np

from ..graph import MS_DOMAIN
from ._clip import clip
from .masked import masked
from .registry import kernel
from .spare import Spare, room, room_alike

Result = tuple[np.ndarray, ...]
_FLOAT_MAX = 3.4028234663852886e38


@kernel("Relu", since=6, spares=(0,))
def relu(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = max(X, 0). Source: ONNX Relu-6, -13, -14."""
    out = room(spare, X)
    return (clip(X, 0, np.inf, out) if np.issubdtype(X.dtype, np.floating) else np.maximum(X, 0, out=out),)


@kernel("ReluGrad", domain=MS_DOMAIN, workspace=0.25, spares=(0, 1))
def relu_grad(dY: np.ndarray, X: np.ndarray, *, spare: Spare = ()) -> Result:
    """dX = dY where X > 0, else 0; at 0 the gradient is 0. Builders hand in X or Y: same mask. Source: com.microsoft ReluGrad-1."""
    return (masked(dY, X > 0, room_alike(spare, dY, X)),)


@kernel("Clip", since=6, spares=(0,))
def clip_6(input: np.ndarray, *, max: float = _FLOAT_MAX, min: float = -_FLOAT_MAX, spare: Spare = ()) -> Result:
    """output = min(max(input, min), max). Source: ONNX Clip-6."""
    return (clip(input, min, max, room(spare, input)),)


@kernel("Clip", since=11, spares=(0,))
def clip_11(input: np.ndarray, min: np.ndarray | None = None, max: np.ndarray | None = None, *, spare: Spare = ()) -> Result:
    """output = min(max(input, min), max); where min > max it is max. min, max: scalars. Source: ONNX Clip-11, -12, -13."""
    if min is None:
        return (input if max is None else np.minimum(input, max, out=room(spare, input, max)),)
    if max is None:
        return (np.maximum(input, min, out=room(spare, input, min)),)
    return (clip(input, min, max, room(spare, input, min, max)),)


@kernel("Softmax", since=13, workspace=1)
def softmax(input: np.ndarray, *, axis: int = -1) -> Result:
    """output = exp(x) / sum(exp(x)) along axis, the maximum subtracted first. Source: ONNX Softmax-13."""
    exponentials = np.exp(input - input.max(axis=axis, keepdims=True))
    exponentials /= exponentials.sum(axis=axis, keepdims=True)
    return (exponentials,)


@kernel("Softmax", since=1, workspace=1)
def softmax_1(input: np.ndarray, *, axis: int = 1) -> Result:
    """Softmax over all axes from `axis` on, flattened into one. Source: ONNX Softmax-1, -11."""
    return (softmax(flat_from(input, axis))[0].reshape(input.shape),)


@kernel("LogSoftmax", since=13, workspace=1)
def log_softmax(input: np.ndarray, *, axis: int = -1) -> Result:
    """output = log(softmax(x)) along axis = x - max - log(sum(exp(x - max))). Source: ONNX LogSoftmax-13."""
    shifted = input - input.max(axis=axis, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return (shifted,)


@kernel("LogSoftmax", since=1, workspace=1)
def log_softmax_1(input: np.ndarray, *, axis: int = 1) -> Result:
    """LogSoftmax over all axes from `axis` on, flattened into one. Source: ONNX LogSoftmax-1, -11."""
    return (log_softmax(flat_from(input, axis))[0].reshape(input.shape),)


@kernel("SoftmaxGrad_13", domain=MS_DOMAIN)
def softmax_grad(dY: np.ndarray, Y: np.ndarray, *, axis: int = -1) -> Result:
    """dX = Y (dY - sum(dY Y)) along axis. Source: com.microsoft SoftmaxGrad_13-1."""
    dX = np.asarray(dY - (dY * Y).sum(axis=axis, keepdims=True))
    return (np.multiply(dX, Y, out=dX),)


@kernel("SoftmaxGrad", domain=MS_DOMAIN)
def softmax_grad_1(dY: np.ndarray, Y: np.ndarray, *, axis: int = 1) -> Result:
    """As SoftmaxGrad_13 over all axes from `axis` on, flattened into one. Source: com.microsoft SoftmaxGrad-1."""
    return (softmax_grad(flat_from(dY, axis), flat_from(Y, axis))[0].reshape(dY.shape),)


@kernel("LogSoftmaxGrad_13", domain=MS_DOMAIN, workspace=1)
def log_softmax_grad(dY: np.ndarray, Y: np.ndarray, *, axis: int = -1) -> Result:
    """dX = dY - exp(Y) sum(dY) along axis. Source: com.microsoft LogSoftmaxGrad_13-1."""
    return (dY - np.exp(Y) * dY.sum(axis=axis, keepdims=True),)


@kernel("LogSoftmaxGrad", domain=MS_DOMAIN, workspace=1)
def log_softmax_grad_1(dY: np.ndarray, Y: np.ndarray, *, axis: int = 1) -> Result:
    """As LogSoftmaxGrad_13 over all axes from `axis` on, flattened into one. Source: com.microsoft LogSoftmaxGrad-1."""
    return (log_softmax_grad(flat_from(dY, axis), flat_from(Y, axis))[0].reshape(dY.shape),)


def flat_from(X: np.ndarray, axis: int) -> np.ndarray:
    """(rows, everything from `axis` on); a negative axis counts from the end."""
    split = axis if axis >= 0 else axis + X.ndim
    return X.reshape(int(np.prod(X.shape[:split])), -1)
