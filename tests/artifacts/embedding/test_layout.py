"""Buffers of a program share memory only where no moment needs both."""

from __future__ import annotations

import numpy as np
import pytest

from artifacts_tool.embedding.layout import ALIGNMENT, lay_out
from artifacts_tool.embedding.recording import Buffer, Call, Pointer

pytestmark = pytest.mark.oracle


def call(*reads: Buffer, writes: Buffer) -> Call:
    return Call("f", (Pointer(writes, 0), *(Pointer(one, 0) for one in reads)), (0,))


def meet(one: Buffer, other: Buffer) -> bool:
    return one.address < other.address + other.bytes and other.address < one.address + one.bytes


def test_what_is_needed_no_more_makes_room() -> None:
    """a -> b -> c -> d in turn: two places are enough."""
    a, b, c, d = (Buffer(100) for _ in range(4))
    assert lay_out([], [call(a, writes=b), call(b, writes=c), call(c, writes=d)], a, [d]) == 112 + 100
    assert not any(meet(*pair) for pair in ((a, b), (b, c), (c, d)))


def test_what_was_prepared_stays() -> None:
    """A packed filter is there for the next picture as well, though the last call that reads it is not the last of all."""
    raw, packed, picture, first, second = (Buffer(64) for _ in range(5))
    lay_out(
        [call(writes=raw), call(raw, writes=packed)], [call(picture, packed, writes=first), call(first, writes=second)], picture, [second]
    )
    assert not any(meet(packed, other) for other in (raw, picture, first, second))


def test_results_outlive_the_last_call() -> None:
    """One that was made early is still there to be read at the end."""
    picture, early, late, later = (Buffer(16) for _ in range(4))
    lay_out([], [call(picture, writes=early), call(picture, writes=late), call(late, writes=later)], picture, [early, later])
    assert not any(meet(early, other) for other in (late, later))


def test_any_sequence_of_calls_fits() -> None:
    """No two buffers that are alive at the same moment overlap, and every one is aligned and inside the memory."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        buffers = [Buffer(int(size)) for size in rng.integers(1, 200, 12)]
        calls = [call(*(buffers[i] for i in rng.integers(0, 12, 2)), writes=buffers[rng.integers(12)]) for _ in range(20)]
        memory = lay_out([], calls, buffers[0], [])
        used = {id(one): one for each in calls for one in each.buffers} | {id(buffers[0]): buffers[0]}
        spans = {key: [i for i, each in enumerate(calls) if one in each.buffers] + [0] * (one is buffers[0]) for key, one in used.items()}
        for key, one in used.items():
            assert one.address % ALIGNMENT == 0
            assert one.address + one.bytes <= memory
            for other_key, other in used.items():
                alive = min(spans[key]) <= max(spans[other_key]) and min(spans[other_key]) <= max(spans[key])
                assert key == other_key or not alive or not meet(one, other)
