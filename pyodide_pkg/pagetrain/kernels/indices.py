"""Index arrays: negative ones count from the end, wider ones become the platform's (32 bits in WebAssembly); sums into places."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidInputError

Places = tuple[np.ndarray, ...]


def wrapped(indices: np.ndarray, size: int) -> np.ndarray:
    """indices as np.intp in [0, size). Raises InvalidInputError for one outside of [-size, size)."""
    if indices.size and (indices.min() < -size or indices.max() >= size):
        raise InvalidInputError(f"The index {int(indices.min() if indices.min() < -size else indices.max())} is beyond {size} elements.")
    return np.where(indices < 0, indices + size, indices).astype(np.intp)


def along(shape: tuple[int, ...], indices: np.ndarray, axis: int) -> Places:
    """For each element of `indices` its own place, but along axis the place it says, in an array of `shape`."""
    places: list[np.ndarray] = list(np.indices(indices.shape, np.intp, sparse=True))
    places[axis] = wrapped(indices, shape[axis])
    return tuple(places)


def tuples(shape: tuple[int, ...], indices: np.ndarray, batch_dims: int = 0) -> Places:
    """The places that the last axis of `indices` spells out, behind batch_dims axes that the array and the indices share."""
    batch = np.indices(indices.shape[:-1], np.intp, sparse=True)[:batch_dims]
    return (*batch, *(wrapped(indices[..., place], shape[batch_dims + place]) for place in range(indices.shape[-1])))


def sum_into(shape: tuple[int, ...], places: Places, values: np.ndarray) -> np.ndarray:
    """zeros(shape) with each of `values` added at its place; places of the leading axes stand for what lies below them.

    Sorted by place and summed run by run: np.add.at is an order of magnitude slower for rows.
    """
    lead, below = shape[: len(places)], shape[len(places) :]
    rows = np.ravel_multi_index(np.broadcast_arrays(*places), lead).ravel() if places else np.zeros(1, np.intp)
    total = np.zeros((int(np.prod(lead)), *below), values.dtype)
    if values.size:
        order = np.argsort(rows, kind="stable")
        sorted_rows = rows[order]
        starts = np.flatnonzero(np.diff(sorted_rows, prepend=-1))
        total[sorted_rows[starts]] = np.add.reduceat(values.reshape(-1, *below)[order], starts, axis=0)
    return total.reshape(shape)
