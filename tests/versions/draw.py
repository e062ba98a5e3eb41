"""What the lines of the table are written in: shapes and numbers drawn for one version of one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from onnx import defs

DTYPES = {
    "f": "float32",
    "d": "float64",
    "h": "float16",
    "?": "bool",
    "b": "int8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "B": "uint8",
    "S": "uint16",
    "I": "uint32",
    "L": "uint64",
}
ONNX_NAMES = {"float32": "float", "float64": "double"}  # where they are not numpy's


@dataclass(frozen=True)
class Line:
    """`build` draws (inputs, attributes, number of outputs); the last two may be left out. It serves the versions since to until.

    kinds: the element types, as letters of DTYPES, of which one is drawn that the version allows where it allows several.
    """

    op_type: str
    build: Callable[[Draw], Any]
    kinds: str = "f"
    since: int = 7
    until: int = 99
    domain: str = ""


class Draw:
    """One example. d.x(shape) is an array of the drawn type; what else is needed has methods of its own."""

    def __init__(self, data: st.DataObject, line: Line, version: int) -> None:
        self._data, self.version = data, version
        self._rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
        schema = defs.get_schema(line.op_type, max(version, 7))
        several = next(
            (value.types for value in (*schema.inputs, *schema.outputs) if len(value.types) > 1), [*schema.inputs, *schema.outputs][0].types
        )
        allowed = [kind for kind in line.kinds if f"tensor({ONNX_NAMES.get(DTYPES[kind], DTYPES[kind])})" in several]
        assume(allowed)
        self.dtype = np.dtype(DTYPES[self.pick(*allowed)])

    def pick(self, *options: Any) -> Any:
        return self._data.draw(st.sampled_from(options))

    def int(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._data.draw(st.integers(low, high))

    def flag(self) -> int:
        return self.int(0, 1)

    def float(self, low: float, high: float) -> float:
        return float(np.float32(self._rng.uniform(low, high)))

    def shape(self, least: int = 1, most: int = 4, size: int = 4) -> tuple[int, ...]:
        """From `least` to `most` axes of 1 to `size` elements."""
        return tuple(self._data.draw(st.lists(st.integers(1, size), min_size=least, max_size=most)))

    def under(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to this one."""
        kept = shape[self.int(0, len(shape)) :]
        return tuple(self.pick(size, 1) for size in kept)

    def axis(self, rank: int, least: int | None = None) -> int:
        """An axis, negative ones too, or from `least` on."""
        return self.int(-rank if least is None else least, rank - 1)

    def axes(self, rank: int, negative: bool = True) -> list[int]:
        """At least one axis, each once."""
        chosen = self._data.draw(st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank, unique=True))
        return [axis - rank if negative and self.flag() else axis for axis in chosen]

    def order(self, count: int) -> list[int]:
        return list(self._data.draw(st.permutations(range(count))))

    def x(self, shape: tuple[int, ...], low: float = -2, high: float = 2, dtype: Any = None) -> np.ndarray:
        """Numbers in [low, high); whole types have five times the range, so that small ones wrap around, and none below 0 without sign."""
        dtype = np.dtype(dtype or self.dtype)
        if dtype.kind == "b":
            return self._rng.integers(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            return self._rng.integers(0 if dtype.kind == "u" else int(5 * low), int(5 * high) + 1, shape).astype(dtype)
        return np.asarray(self._rng.uniform(low, high, shape)).astype(dtype)

    def distinct(self, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of the drawn type, no two the same."""
        return self._rng.permutation(int(np.prod(shape))).reshape(shape).astype(self.dtype)

    def indices(self, shape: tuple[int, ...], size: int, dtype: Any = np.int64) -> np.ndarray:
        """Places among `size`, counted from either end."""
        return self._rng.integers(-size, size, shape).astype(dtype)

    def places(self, shape: tuple[int, ...], size: int) -> np.ndarray:
        """Places among `size`, counted from the start."""
        return self._rng.integers(0, size, shape).astype(np.int64)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)
