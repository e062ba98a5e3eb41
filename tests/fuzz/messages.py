"""Protobuf messages as trees, so that a part can be changed and all lengths around it still be right."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from pagetrain.errors import FormatError
from pagetrain.protobuf import message, opening, varint

from .mutations import LONG_EXTREMES

Tree = list[list[Any]]  # [field, value] in order; value: an int, bytes, or the Tree of a message inside
_MOST_NESTED = 12


def mutated_message(data: bytes, other: bytes, random: Random) -> bytes:
    """One to four fields replaced, moved, repeated or removed. other: a message to take parts from."""
    tree, parts = _copied(_parsed(data)), _all(_parsed(other))
    for _ in range(random.choice((1, 1, 2, 4))):
        trees = [found for found in _all(tree) if found]
        if not trees:
            break
        chosen = random.choice(trees)
        place = random.randrange(len(chosen))
        _change(chosen, place, random.choice([part for part in (*trees, *parts) if part]), random)
    return _bytes(tree)


def _change(chosen: Tree, place: int, giver: Tree, random: Random) -> None:
    field, value = chosen[place]
    match random.randrange(6):
        case 0:
            del chosen[place]
        case 1:
            chosen.insert(random.randrange(len(chosen) + 1), [field, value])
        case 2:
            chosen.insert(place, list(_copy(random.choice(giver))))
        case 3:
            chosen[place][1] = _copy(random.choice(giver))[1]
        case 4:
            chosen[place][0] = random.choice((*range(1, 27), 1000, (1 << 29) - 1))
        case _:
            chosen[place][1] = (
                random.choice(LONG_EXTREMES) if isinstance(value, int) else random.choice((b"", b"\x80" * 11, b"\xff\xff", b"x" * 99))
            )


@cache
def _parsed(data: bytes) -> Tree:
    """The tree of a golden file, which is not to be changed."""
    return _tree(data)


def _tree(data: bytes, depth: int = 0) -> Tree:
    """Bytes that can be read as a message are taken for one; texts now and then, too."""
    found: Tree = []
    for field, values in message(memoryview(data)).items():
        for value in values:
            found.append([field, value if isinstance(value, int) else _inner(bytes(value), depth + 1)])
    return found


def _inner(data: bytes, depth: int) -> bytes | Tree:
    if depth > _MOST_NESTED or not data:
        return data
    try:
        tree = _tree(data, depth)
    except FormatError:
        return data
    return tree if _bytes(tree) == data else data


def _all(tree: Tree) -> list[Tree]:
    return [tree, *(found for _, value in tree if isinstance(value, list) for found in _all(value))]


def _copy(pair: list[Any]) -> list[Any]:
    field, value = pair
    return [field, _copied(value) if isinstance(value, list) else value]


def _copied(tree: Tree) -> Tree:
    return [_copy(pair) for pair in tree]


def _bytes(tree: Tree) -> bytes:
    return b"".join(map(_field, tree))


def _field(pair: list[Any]) -> bytes:
    field, value = pair
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    content = _bytes(value) if isinstance(value, list) else value
    return opening(field, len(content)) + content
