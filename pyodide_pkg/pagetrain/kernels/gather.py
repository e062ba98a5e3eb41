"""Gather, GatherElements, GatherND, with their gradients, and Compress."""

from __future__ import annotations

import numpy as np

from ..graph import MS_DOMAIN
from .indices import along, sum_into, tuples, wrapped
from .registry import kernel, per_element

Result = tuple[np.ndarray, ...]


@kernel("Gather", since=1, any_type=True)
def gather(data: np.ndarray, indices: np.ndarray, *, axis: int = 0) -> Result:
    """output[.., i.., ..] = data[.., indices[i..], ..] at axis. Source: ONNX Gather-1, -11, -13."""
    return (np.take(data, wrapped(indices, data.shape[axis]), axis),)


@kernel("GatherGrad", domain=MS_DOMAIN)
def gather_grad(shape: np.ndarray, indices: np.ndarray, dY: np.ndarray, *, axis: int = 0) -> Result:
    """dX = zeros of `shape`, each slice of dY added where Gather took it from.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/gather_grad.cc.
    """
    sizes = _sizes(shape)
    axis %= len(sizes)
    slices = np.moveaxis(dY.reshape(*sizes[:axis], indices.size, *sizes[axis + 1 :]), axis, 0)
    first = (sizes[axis], *sizes[:axis], *sizes[axis + 1 :])
    return (np.moveaxis(sum_into(first, (wrapped(indices, sizes[axis]).ravel(),), slices), 0, axis),)


@kernel("GatherElements", since=11, workspace=per_element({1: 13.5}), any_type=True)
def gather_elements(data: np.ndarray, indices: np.ndarray, *, axis: int = 0) -> Result:
    """output[i, j, ..] = data[indices[i, j, ..], j, ..] for axis 0; of the shape of indices. Source: ONNX GatherElements-11, -13."""
    return (data[along(data.shape, indices, axis)],)


@kernel("GatherElementsGrad", domain=MS_DOMAIN, workspace=per_element({2: 48}))
def gather_elements_grad(dY: np.ndarray, shape: np.ndarray, indices: np.ndarray, *, axis: int = 0) -> Result:
    """dX = zeros of `shape`, each element of dY added where GatherElements took it from.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/gather_elements_grad.cc.
    """
    sizes = _sizes(shape)
    return (sum_into(sizes, along(sizes, indices, axis), dY),)


@kernel("GatherND", since=11, workspace=per_element({1: 15}), any_type=True)
def gather_nd_11(data: np.ndarray, indices: np.ndarray) -> Result:
    """output[i..] = data[indices[i..]], the last axis of indices being a place. Source: ONNX GatherND-11."""
    return gather_nd(data, indices)


@kernel("GatherND", since=12, workspace=per_element({1: 15}), any_type=True)
def gather_nd(data: np.ndarray, indices: np.ndarray, *, batch_dims: int = 0) -> Result:
    """output[b.., i..] = data[b..][indices[b.., i..]], the last axis of indices being a place. Source: ONNX GatherND-12, -13."""
    return (data[tuples(data.shape, indices, batch_dims)],)


@kernel("GatherNDGrad", domain=MS_DOMAIN, workspace=per_element({1: 48}))
def gather_nd_grad(shape: np.ndarray, indices: np.ndarray, update: np.ndarray, *, batch_dims: int = 0) -> Result:
    """dX = zeros of `shape`, each slice of dY (update) added where GatherND took it from.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/gather_nd_grad.cc.
    """
    sizes = _sizes(shape)
    return (sum_into(sizes, tuples(sizes, indices, batch_dims), update),)


def _sizes(shape: np.ndarray) -> tuple[int, ...]:
    return tuple(int(size) for size in shape)


@kernel("Compress", since=9, any_type=True)
def compress(input: np.ndarray, condition: np.ndarray, *, axis: int | None = None) -> Result:
    """output = the slices of input along axis, or its elements, whose condition holds. Source: ONNX Compress-9, -11."""
    return (np.compress(condition, input, axis),)
