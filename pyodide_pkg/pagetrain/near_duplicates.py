"""Pictures that are the same or nearly: copies in another size or quality, slightly cropped or brighter, frames of one burst.

Measured on 520 photos (docs/accuracy.md): NEAR finds every copy in another size or JPEG quality, 99.8 % of those that lack 3 % of each
side and 89 % of those that lack 5 %, none of the mirrored, and takes none of 134,940 pairs of different photos for one; 12 bits would take
a first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

NEAR = 10  # bits of 64 in which the hashes of near-duplicates may differ
_ROWS = 256  # pictures that are compared with all others at a time


def group_numbers(keys: Sequence[str], hashes: Sequence[str], bursts: Sequence[str] = ()) -> np.ndarray:
    """One number per place, (N,): the same for places of one picture, of near-duplicates, and of what they link, counted from 0 in order.

    keys: of the pictures, the same key in two places is the same picture; hashes: see perceptual_hash, "" for an unknown one, which is near
    to none. Two pictures are near-duplicates when their hashes differ in at most NEAR bits. bursts: what each was taken in one go with, ""
    for nothing; pictures of one burst count as near-duplicates, whatever their hashes.
    """
    known: dict[str, list[int]] = {}
    leaders = list(range(len(keys)))
    firsts: dict[str, int] = {}
    firsts_of_bursts: dict[str, int] = {}
    for place, (key, looks) in enumerate(zip(keys, hashes, strict=True)):
        _join(leaders, firsts.setdefault(key, place), place)
        if looks:
            known.setdefault(looks, []).append(place)
    for places in known.values():
        for place in places[1:]:
            _join(leaders, places[0], place)
    for place, burst in enumerate(bursts):
        if burst:
            _join(leaders, firsts_of_bursts.setdefault(burst, place), place)
    alike = list(known.values())
    for one, other in _near_pairs(list(known)):
        _join(leaders, alike[one][0], alike[other][0])
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(_leader(leaders, place), len(numbers)) for place in range(len(keys))], np.intp)


def _near_pairs(hashes: Sequence[str]) -> list[tuple[int, int]]:
    bits = np.array([int(looks, 16) for looks in hashes], np.uint64)
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(bits), _ROWS):
        near = _count(bits[start : start + _ROWS, np.newaxis] ^ bits[np.newaxis, start:]) <= NEAR
        pairs += [(start + int(one), start + int(other)) for one, other in np.argwhere(near) if one < other]
    return pairs


def _count(words: np.ndarray) -> np.ndarray:
    """How many bits of each uint64 are set: sums in pairs, fours, eights, then over the bytes (H. Warren, Hacker's Delight, 5-1)."""
    one, two, four, last, pairs = (np.uint64(number) for number in (1, 2, 4, 56, 0x3333333333333333))
    words = words - ((words >> one) & np.uint64(0x5555555555555555))
    words = (words & pairs) + ((words >> two) & pairs)
    words = (words + (words >> four)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.asarray((words * np.uint64(0x0101010101010101)) >> last)


def _leader(leaders: list[int], place: int) -> int:
    while leaders[place] != place:
        leaders[place] = place = leaders[leaders[place]]
    return place


def _join(leaders: list[int], one: int, other: int) -> None:
    one, other = _leader(leaders, one), _leader(leaders, other)
    leaders[max(one, other)] = min(one, other)
