"""Slice, Split and Concat, with their training forms of com.microsoft. Parts are views."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ..errors import InvalidInputError
from ..graph import MS_DOMAIN
from .registry import Memory, kernel

Result = tuple[np.ndarray, ...]
Numbers = Sequence[int] | np.ndarray


@kernel("Slice", since=1, any_type=True, memory=Memory.VIEW)
def slice_1(data: np.ndarray, *, axes: Sequence[int] | None = None, ends: Sequence[int], starts: Sequence[int]) -> Result:
    """output = data[starts:ends] along axes (default: the first ones); a view. Source: ONNX Slice-1."""
    return (data[_slices(data.shape, starts, ends, axes, None)],)


@kernel("Slice", since=10, any_type=True, memory=Memory.VIEW)
def slice_(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, axes: np.ndarray | None = None, steps: np.ndarray | None = None
) -> Result:
    """output = data[starts:ends:steps] along axes, a negative step runs backwards. Source: ONNX Slice-10 to -13.

    Bounds as in Python, but a start before the first element is the first one, backwards too.
    """
    return (data[_slices(data.shape, starts, ends, axes, steps)],)


@kernel("SliceGrad", domain=MS_DOMAIN)
def slice_grad(
    dY: np.ndarray,
    shape: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    axes: np.ndarray | None = None,
    steps: np.ndarray | None = None,
) -> Result:
    """dX = zeros of `shape` with dY where Slice took it from.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/slice_grad.cc.
    """
    dX = np.zeros([int(size) for size in shape], dY.dtype)
    dX[_slices(dX.shape, starts, ends, axes, steps)] = dY
    return (dX,)


def _slices(shape: Sequence[int], starts: Numbers, ends: Numbers, axes: Numbers | None, steps: Numbers | None) -> tuple[slice, ...]:
    """One slice per axis of the data."""
    slices = [slice(None)] * len(shape)
    places = range(len(starts)) if axes is None else axes
    for axis, start, end, step in zip(places, starts, ends, [1] * len(starts) if steps is None else steps, strict=True):
        first = max(int(start), -shape[int(axis)]) if step < 0 else int(start)
        slices[int(axis)] = slice(first, int(end), int(step))
    return tuple(slices)


@kernel("Split", since=2, told=("output_count",), any_type=True, memory=Memory.VIEW)
def split_2(input: np.ndarray, *, axis: int = 0, split: Sequence[int] | None = None, output_count: int) -> Result:
    """outputs = parts of input along axis, of the sizes in split or all equal. Source: ONNX Split-2, -11."""
    return _parts(input, axis, _equal(input.shape[axis], output_count) if split is None else split)


@kernel("Split", since=13, told=("output_count",), any_type=True, memory=Memory.VIEW)
def split_13(input: np.ndarray, split: np.ndarray | None = None, *, axis: int = 0, output_count: int) -> Result:
    """As Split-2. Source: ONNX Split-13."""
    return _parts(input, axis, _equal(input.shape[axis], output_count) if split is None else split)


@kernel("Split", since=18, told=("output_count",), any_type=True, memory=Memory.VIEW)
def split(
    input: np.ndarray, split: np.ndarray | None = None, *, axis: int = 0, num_outputs: int | None = None, output_count: int
) -> Result:
    """As Split-2; with num_outputs the last part may be smaller. Source: ONNX Split-18."""
    if split is not None:
        return _parts(input, axis, split)
    total, count = input.shape[axis], num_outputs or output_count
    size = -(-total // count)
    return _parts(input, axis, [max(0, min(size, total - start * size)) for start in range(count)])


@kernel("SplitTraining", domain=MS_DOMAIN, any_type=True, memory=Memory.VIEW)
def split_training(input: np.ndarray, split: np.ndarray, *, axis: int = 0) -> Result:
    """As Split-13, split always given.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/split.cc.
    """
    return _parts(input, axis, split)


def _equal(total: int, count: int) -> list[int]:
    if total % count:
        raise InvalidInputError(f"{total} elements do not make {count} equal parts; say the sizes in `split`.")
    return [total // count] * count


def _parts(input: np.ndarray, axis: int, sizes: Numbers) -> Result:
    counts = [int(size) for size in sizes]
    ends = list(accumulate(counts))
    if not ends or ends[-1] != input.shape[axis]:
        raise InvalidInputError(f"The parts {counts} are not the {input.shape[axis]} elements of axis {axis}.")
    before = (slice(None),) * (axis % input.ndim)
    return tuple(input[(*before, slice(end - count, end))] for end, count in zip(ends, counts, strict=True))


@kernel("Concat", since=4, any_type=True)
def concat(*inputs: np.ndarray, axis: int) -> Result:
    """concat_result = the inputs one after the other along axis. Source: ONNX Concat-4, -11, -13."""
    return (np.concatenate(inputs, axis),)


@kernel("ConcatTraining", domain=MS_DOMAIN, any_type=True)
def concat_training(*inputs: np.ndarray, axis: int) -> Result:
    """concat_result as Concat, per_input_length = the size of each input along axis, int64.

    Source: microsoft/onnxruntime:orttraining/orttraining/training_ops/cpu/tensor/concat.cc.
    """
    return np.concatenate(inputs, axis), np.array([part.shape[axis] for part in inputs], np.int64)
