"""Properties: the named numbers and texts that a checkpoint carries."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping

import numpy as np

from ..errors import InvalidInputError
from ..ortformat.checkpoint import Property


class Properties:
    """Mapping of names to int (64 bits), float (rounded to float32, as the file holds it) or str.

    As in ORT, iterating gives (name, value) pairs, sorted by name.
    """

    def __init__(self, properties: Mapping[str, Property]) -> None:
        self._properties = dict(properties)

    def __getitem__(self, name: str) -> Property:
        """Raises KeyError for an unknown name."""
        return self._properties[name]

    def __setitem__(self, name: str, value: Property) -> None:
        """numpy's numbers count as numbers, True as 1. Raises InvalidInputError for any other type, and beyond int64 or float32."""
        if not _is_text(name):
            raise InvalidInputError(f"A property is to be named {name!r}; names are texts that UTF-8 can hold.")
        self._properties[name] = _stored(name, value)

    def __contains__(self, name: object) -> bool:
        return name in self._properties

    def __iter__(self) -> Iterator[tuple[str, Property]]:
        return iter(sorted(self._properties.items()))

    def __len__(self) -> int:
        return len(self._properties)

    def __repr__(self) -> str:
        return f"Properties({dict(self)})"


def _is_text(value: object) -> bool:
    """Half a surrogate pair can be in a str, and not in a file."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _stored(name: str, value: object) -> Property:
    """`value` as a file can hold it."""
    if isinstance(value, str) and _is_text(value):
        return value
    if isinstance(value, numbers.Integral | np.bool_) and -(2**63) <= int(value) < 2**63:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        with np.errstate(over="ignore"):
            rounded = float(np.float32(value))
        if np.isfinite(rounded) or not np.isfinite(float(value)):
            return rounded
    raise InvalidInputError(
        f"Property {name!r} is to be {value!r}; it must be an int of 64 bits, a float within float32, or a str that UTF-8 can hold."
    )
