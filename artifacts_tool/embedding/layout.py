"""Where each buffer of a program stands in its memory: buffers that are never needed at the same time share a place."""

from __future__ import annotations

from collections.abc import Sequence

from .recording import Buffer, Call

ALIGNMENT = 16


def lay_out(setup: Sequence[Call], picture: Sequence[Call], filled: Buffer, kept: Sequence[Buffer]) -> int:
    """Gives every buffer its address; returns the bytes of memory that all take together.

    A program runs `setup` once and then `picture` over and over. filled: written from outside before each picture; kept: read from outside
    after it. What setup leaves for pictures stays untouched for good.
    """
    placed: list[tuple[Buffer, tuple[int, int]]] = []
    for buffer, span in sorted(_spans(setup, picture, filled, kept).items(), key=lambda item: (-item[0].bytes, item[1])):
        taken = sorted((other.address, other.address + other.bytes) for other, times in placed if _meet(times, span))
        buffer.address = _gap(taken, buffer.bytes)
        placed.append((buffer, span))
    return max((buffer.address + buffer.bytes for buffer, _ in placed), default=0)


def _spans(setup: Sequence[Call], picture: Sequence[Call], filled: Buffer, kept: Sequence[Buffer]) -> dict[Buffer, tuple[int, int]]:
    """{buffer: (first, last moment when it is needed)}; the calls are the moments."""
    begin, end = len(setup), len(setup) + len(picture)
    spans = {filled: (begin, begin)}
    for moment, call in enumerate([*setup, *picture]):
        for buffer in call.buffers:
            spans[buffer] = spans.get(buffer, (moment, moment))[0], moment
    lasting = [buffer for buffer, (first, last) in spans.items() if first < begin <= last]
    return spans | {buffer: (spans[buffer][0], end) for buffer in (*lasting, *kept)}


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _gap(taken: Sequence[tuple[int, int]], size: int) -> int:
    """The lowest aligned place for `size` bytes beside those that are taken, which are sorted."""
    at = 0
    for begin, end in taken:
        if at + size <= begin:
            break
        at = max(at, -(-end // ALIGNMENT) * ALIGNMENT)
    return at
