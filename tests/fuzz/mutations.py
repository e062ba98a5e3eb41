"""Changes to a sound file, made at random: any bytes, and those that hold its structure together."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from .places import Places

BYTES = (0, 1, 0x7F, 0x80, 0xFF)
EXTREMES = (0, 1, 2, 4, 8, 0x40, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)
LONG_EXTREMES = (*EXTREMES, 1 << 32, 1 << 40, (1 << 62) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
JSON_VALUES = (
    *(None, True, False, 0, 1, -1, 3.5, 1 << 31, (1 << 63) - 1, 10**400, -(1 << 62), 1e308, float("inf"), float("nan"), "", "x", "é\ud800"),
    *([], {}, [[]], {"": {}}, "num_classes", "N", "normal:-", "../x", "a/b", "0" * 64, [1] * 40, [0, 1], "x" * 5000),
)

Change = Callable[[bytearray, Random], None]


def mutated(data: bytes, places: Places | None, others: list[bytes], random: Random) -> bytes:
    """One to four changes. places: where the structure is, of a file that has one; others: files of the same kind, to take parts from."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        if places and random.random() < 0.6:
            random.choice(STRUCTURAL)(changed, places, random)
        elif random.random() < 0.2:
            splice(changed, random.choice(others), random)
        else:
            random.choice(PLAIN)(changed, random)
    return bytes(changed)


def mutated_json(data: bytes, random: Random) -> bytes:
    """One to four values of the tree replaced, moved, repeated or removed."""
    root = json.loads(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        holders = [holder for holder in _holders(root) if len(holder)]
        holder, giver = random.choice(holders), random.choice(holders)
        key, other = random.choice(_keys(holder)), random.choice(_keys(giver))
        choice = random.randrange(4)
        if choice == 0:
            holder[key] = deepcopy(random.choice(JSON_VALUES))  # which a later change may fill
        elif choice == 1:
            holder[key] = deepcopy(giver[other])
        elif choice == 2:
            del holder[key]
        elif isinstance(holder, list):
            holder.append(deepcopy(holder[key]))
        elif isinstance(holder[key], int):
            holder[key] += random.choice((-1, 1, 4, 1 << 31))
    return json.dumps(root).encode()


def _holders(value: Any) -> list[Any]:
    below = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    return ([value] if isinstance(value, list | dict) else []) + [one for item in below for one in _holders(item)]


def _keys(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))


def _put(data: bytearray, position: int, value: int, size: int) -> None:
    if position + size <= len(data):  # an earlier change may have cut the file
        data[position : position + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


def _get(data: bytearray, position: int, size: int) -> int:
    return int.from_bytes(data[position : position + size], "little")


def flip_bit(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def set_byte(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] = random.choice((*BYTES, random.randrange(256)))


def set_word(data: bytearray, random: Random) -> None:
    size = random.choice((2, 4, 8))
    position = random.randrange(len(data) + 1) // size * size
    _put(data, position, random.choice((*LONG_EXTREMES, len(data), len(data) - position, _get(data, position, size) + 1)), size)


def truncate(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data) + 1) :]


def delete(data: bytearray, random: Random) -> None:
    start, end = _slice(data, random)
    del data[start:end]


def duplicate(data: bytearray, random: Random) -> None:
    start, end = _slice(data, random)
    place = random.randrange(len(data) + 1)
    data[place:place] = data[start:end]


def overwrite(data: bytearray, random: Random) -> None:
    """Bytes of another place of the same file, aligned as they were."""
    start, end = _slice(data, random)
    place = random.randrange(len(data) + 1) // 4 * 4 + start % 4
    part = data[start:end][: max(0, len(data) - place)]
    data[place : place + len(part)] = part


def splice(data: bytearray, other: bytes, random: Random) -> None:
    """Bytes of another file: in their place, in another, or all that follows."""
    start, end = _slice(bytearray(other), random)
    place = random.choice((start, random.randrange(len(data) + 1)))
    data[place : random.choice((place + end - start, place, len(data)))] = other[start:end]


def _slice(data: bytearray, random: Random) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 4, 8, 16, 64, 1024)))


def turn_offset(data: bytearray, places: Places, random: Random) -> None:
    """An offset leads where another one leads, to another offset, or nowhere; or the two are exchanged as they stand."""
    position, other = random.choice(places.offsets), random.choice(places.offsets)
    there = other + _get(data, other, 4)
    choice = random.randrange(4)
    if choice == 3:
        mine = _get(data, position, 4)
        _put(data, position, _get(data, other, 4), 4)
        _put(data, other, mine, 4)
    else:
        _put(data, position, (there - position, other - position, random.choice((*EXTREMES, len(data) - position)))[choice], 4)


def set_length(data: bytearray, places: Places, random: Random) -> None:
    position = random.choice(places.lengths)
    length = _get(data, position, 4)
    more = (*EXTREMES, length + 1, length - 1, 2 * length, length + 100, len(data) - position, (len(data) - position) // 4)
    _put(data, position, random.choice(more), 4)


def set_entry(data: bytearray, places: Places, random: Random) -> None:
    """An entry of a vtable (or its head: two sizes) is that of another field, or absurd."""
    position = random.choice(places.entries)
    _put(data, position, random.choice((0, 1, 2, 3, 4, 6, 8, 12, 0xFFFF, 0x8000, _get(data, random.choice(places.entries), 2))), 2)


def set_number(data: bytearray, places: Places, random: Random) -> None:
    """A scalar, or an item of a vector: sizes, types, kinds, versions."""
    position, size = random.choice(places.numbers)
    _put(data, position, random.choice((*LONG_EXTREMES, *range(24), _get(data, position, size) + random.choice((-1, 1)))), size)


STRUCTURAL = (turn_offset, set_length, set_entry, set_number)
PLAIN: tuple[Change, ...] = (flip_bit, set_byte, set_word, truncate, delete, duplicate, overwrite)
