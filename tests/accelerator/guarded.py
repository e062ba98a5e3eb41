"""A Library that notices what a C function does beyond its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pagetrain_accelerator.library import Library

_GUARD = 1 << 14  # bytes before and after each array
_SIGN = 0x7FC0DEAD  # NaN: what reads it as a float gives itself away in the result


class Guarded:
    """Calls the functions of another library on copies, each with NaN around it. Fails where that, or an input, was written."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, name: str, *arguments: Any) -> None:
        """As Library."""
        arrays = {place: value for place, value in enumerate(arguments) if isinstance(value, np.ndarray)}
        rooms = {place: _room_around(array) for place, array in arrays.items()}
        copies = {place: _inside(room, arrays[place]) for place, room in rooms.items()}
        self._library.call(name, *(copies.get(place, value) for place, value in enumerate(arguments)))
        for place, array in arrays.items():
            before, after = np.split(rooms[place].view(np.uint32), [_GUARD // 4, -_GUARD // 4])[::2]
            assert (before == _SIGN).all(), f"{name} wrote before its argument {place}"
            assert (after == _SIGN).all(), f"{name} wrote beyond its argument {place}"
            if array.flags.writeable:
                array[...] = copies[place]
            else:
                np.testing.assert_array_equal(array, copies[place], f"{name} wrote its argument {place}")


def _room_around(array: np.ndarray) -> np.ndarray:
    words = -(-array.nbytes // 4)
    return np.full(words + _GUARD // 2, _SIGN, np.uint32).view(np.uint8)


def _inside(room: np.ndarray, array: np.ndarray) -> np.ndarray:
    copy = room[_GUARD : _GUARD + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
