"""Features: what the frozen prefix makes of one picture, kept once per picture content so that training never runs the prefix again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import FormatError, InvalidInputError
from .finite import is_finite
from .graph import NUMPY_DTYPES, ElementType, Graph, TensorType

_RECENT_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class FeatureLayout:
    """How the values at the cut lie in one row of float32. shapes: of one picture, without the batch; dtypes: float32 or float16."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[np.dtype, ...]

    @classmethod
    def of(cls, graph: Graph, cut: Iterable[str]) -> FeatureLayout:
        """The layout of `cut`, from the types that the graph states. Raises FormatError for one without static shape or float type."""
        stated = {value.name: value.type for value in (*graph.inputs, *graph.value_info, *graph.outputs)}
        names = tuple(cut)
        types = [_float_type(name, stated.get(name)) for name in names]
        shapes = tuple(_picture_shape(name, known) for name, known in zip(names, types, strict=True))
        return cls(names, shapes, tuple(NUMPY_DTYPES[known.element] for known in types))

    @property
    def width(self) -> int:
        """Floats per picture."""
        return sum(math.prod(shape) for shape in self.shapes)

    def pack(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """The row of a batch of one. Every float16 number is one of float32."""
        return np.concatenate([values[name].reshape(-1) for name in self.names], dtype=np.float32)

    def unpack(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The values at the cut for a batch: what a step is fed. Views of `rows` where there is but one value."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        columns = np.split(rows, ends, axis=1)
        laid = zip(self.names, self.shapes, self.dtypes, columns, strict=True)
        return {name: column.reshape(len(rows), *shape).astype(dtype, copy=False) for name, shape, dtype, column in laid}


def checked_row(row: np.ndarray, width: int) -> np.ndarray:
    """`row` as float32. Raises InvalidInputError unless it is one of `width` finite floats."""
    values = np.asarray(row, np.float32)
    if values.shape != (width,):
        raise InvalidInputError(f"Features of a picture are {width} finite floats, got shape {values.shape}.")
    if not is_finite(values):
        raise InvalidInputError(f"Features of a picture are {width} finite floats, but {(~np.isfinite(values)).sum()} are NaN or infinite.")
    return values


def _float_type(name: str, stated: object) -> TensorType:
    if not isinstance(stated, TensorType) or stated.element not in (ElementType.FLOAT, ElementType.FLOAT16):
        raise FormatError(f"training_model: {name!r}, the end of the frozen part, is neither float32 nor float16.")
    return stated


def _picture_shape(name: str, known: TensorType) -> tuple[int, ...]:
    if not known.shape:
        raise FormatError(f"training_model: {name!r}, the end of the frozen part, has no batch axis.")
    shape = [dim for dim in known.shape[1:] if isinstance(dim, int)]
    if len(shape) != len(known.shape) - 1:
        raise FormatError(f"training_model: {name!r}, the end of the frozen part, has no static shape: {known.shape}.")
    return tuple(shape)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was made of one picture: its features, and its perceptual_hash, "" where only the features were given."""

    row: np.ndarray
    hash: str = ""


class RecentFeatures:
    """What was made of pictures that were only asked about, so that asking again after more training costs nothing; the oldest go first."""

    def __init__(self, width: int) -> None:
        self._most = max(1, _RECENT_BYTES // (4 * width))
        self._seen: dict[str, Seen] = {}

    def get(self, key: str) -> Seen | None:
        """What is here of `key`."""
        return self._seen.get(key)

    def drop(self, key: str) -> None:
        """Keeps it no longer."""
        self._seen.pop(key, None)

    def keep(self, key: str, seen: Seen) -> None:
        """Keeps one as the newest; a hash that was known stays known."""
        before = self._seen.pop(key, seen)
        self._seen[key] = seen if seen.hash else Seen(seen.row, before.hash)
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]


class FeatureTable:
    """Rows by key in one growing matrix, so that a batch is one gather. A row, and its hash, live as long as somebody holds it."""

    def __init__(self, width: int) -> None:
        self._rows = np.empty((0, width), np.float32)
        self._places: dict[str, int] = {}
        self._hashes: dict[str, str] = {}
        self._holders: dict[str, int] = {}
        self._further: dict[str, dict[str, int]] = {}
        self._free: list[int] = []

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def get(self, key: str) -> Seen | None:
        """What is held of a picture; its features are a view. None if it is not here."""
        return Seen(np.asarray(self._rows[self._places[key]]), self._hashes[key]) if key in self._places else None

    def hash(self, key: str) -> str:
        """The hash of a picture. Raises KeyError."""
        return self._hashes[key]

    def hold(self, key: str, seen: Seen | None = None) -> None:
        """One more holder of `key`; seen: needed the first time."""
        if key not in self._places:
            if seen is None:
                raise KeyError(key)
            self._places[key] = self._put(seen.row)
        if seen is not None:
            self._hashes[key] = seen.hash or self._hashes.get(key, "")
        self._holders[key] = self._holders.get(key, 0) + 1

    def release(self, key: str) -> None:
        """One holder less; without holders the places of the row and of its further rows are used again."""
        self._holders[key] -= 1
        if self._holders[key] == 0:
            del self._holders[key], self._hashes[key]
            self._free += [self._places.pop(key), *self._further.pop(key, {}).values()]

    def attach(self, key: str, name: str, row: np.ndarray) -> None:
        """One more row of `key`, under a name of its own; it goes when `key` does. An earlier row of that name is replaced."""
        if key not in self._places:
            raise KeyError(key)
        place = self._put(row, self.further(key).get(name))
        self._further.setdefault(key, {})[name] = place

    def further(self, key: str) -> Mapping[str, int]:
        """Row numbers, for `take`, of what was attached to `key`, by name."""
        return self._further.get(key, {})

    def gather(self, keys: Sequence[str]) -> np.ndarray:
        """Row numbers of `keys`, for `take`."""
        return np.array([self._places[key] for key in keys], np.intp)

    def take(self, places: np.ndarray) -> np.ndarray:
        """The rows at `places`, copied: (len(places), width)."""
        return np.asarray(self._rows[places])

    def _put(self, row: np.ndarray, place: int | None = None) -> int:
        values = checked_row(row, self._rows.shape[1])
        if place is None:
            if not self._free:
                self._grow()
            place = self._free.pop()
        self._rows[place] = values
        return place

    def _grow(self) -> None:
        count, width = self._rows.shape
        rows = np.empty((max(64, 2 * count), width), np.float32)
        rows[:count] = self._rows
        self._rows = rows
        self._free = list(range(len(rows) - 1, count - 1, -1))
