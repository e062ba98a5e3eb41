"""Frozen parameters stored in fewer bytes than float32 takes: which of them, in what form, and what is left of their values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pagetrain.errors import InvalidInputError

from .parameters import Parameter

FLOAT32 = "float32"
STORAGES = (FLOAT32, "float16", "int8")
LARGEST_FLOAT16 = 65504
LARGEST_INT8 = 127  # -128 stays unused, so that zero is in the middle


@dataclass(frozen=True, slots=True)
class Stored:
    """A float32 array as it is, as float16, or as int8 with one float32 scale for each index of the first axis: value = int8 * scale."""

    values: np.ndarray
    scales: np.ndarray | None = None

    def widened(self) -> np.ndarray:
        """The float32 array that a reader gets back."""
        wide: np.ndarray = self.values.astype(np.float32)
        return wide if self.scales is None else wide * self.scales.reshape(-1, *(1,) * (wide.ndim - 1))

    @property
    def bytes(self) -> bytes:
        """What a file holds: little-endian values, the scales right behind them."""
        scales = b"" if self.scales is None else self.scales.astype("<f4").tobytes()
        return self.values.astype(self.values.dtype.newbyteorder("<"), copy=False).tobytes() + scales


def stored_forms(parameters: Sequence[Parameter], storage: str, exact: Collection[str] = ()) -> dict[str, Stored]:
    """{name: form} of the frozen parameters that are stored as `storage` ("float32": none). Raises InvalidInputError for an unknown one.

    Left as they are: those with at most one axis longer than 1 (biases, scales, statistics), which are few bytes, and whose errors would
    move whole channels; and those with numbers that float16 has not (beyond 65504, not finite). What is float16 in the model already
    is stored as float16 whatever its axes, at no loss; so are those that `exact` names, whose numbers are float16's, unless as int8.
    """
    if storage not in STORAGES:
        raise InvalidInputError(f"Frozen parameters cannot be stored as {storage!r}; choose one of {', '.join(STORAGES)}.")
    frozen = {one.name: one.tensor.data for one in parameters if not one.trainable}
    forms = {name: _as_float16(data) for name, data in frozen.items() if name in exact}
    if storage != FLOAT32:
        form = _as_float16 if storage == "float16" else _as_int8
        forms |= {name: form(data) for name, data in frozen.items() if _can_be_stored(data, storage)}
    return forms


def with_stored_values(parameters: Sequence[Parameter], forms: Mapping[str, Stored]) -> tuple[Parameter, ...]:
    """The parameters with the values that a reader gets back, in their own types."""
    return tuple(_with_data(one, forms[one.name].widened()) if one.name in forms else one for one in parameters)


def _with_data(parameter: Parameter, data: np.ndarray) -> Parameter:
    return replace(parameter, tensor=replace(parameter.tensor, data=data.astype(parameter.tensor.data.dtype, copy=False)))


def _can_be_stored(data: np.ndarray, storage: str) -> bool:
    if storage == data.dtype.name:
        return True
    several_axes = data.size > max(data.shape, default=1)
    return data.dtype == np.float32 and several_axes and bool((np.abs(data) <= LARGEST_FLOAT16).all())


def _as_float16(data: np.ndarray) -> Stored:
    return Stored(data.astype(np.float16, copy=False))


def _as_int8(data: np.ndarray) -> Stored:
    """To the nearest of 255 steps from the row's largest number down to its opposite."""
    rows = data.reshape(len(data), math.prod(data.shape[1:]))
    scales = np.abs(rows).max(axis=1) / np.float32(LARGEST_INT8)
    steps = np.where(scales > 0, scales, 1)  # a row of zeros
    values = np.rint(rows.astype(np.float64) / steps[:, np.newaxis]).clip(-LARGEST_INT8, LARGEST_INT8)
    return Stored(values.astype(np.int8).reshape(data.shape), steps.astype(np.float32))
