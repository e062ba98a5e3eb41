"""Which pictures are held out to measure on. A picture keeps its side when others are added, as far as counts and near-duplicates allow."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

MIN_PICTURES = 4  # a class with fewer gives none: one in three would cost it more than the measurement is worth

Group = Counter[int]  # class index -> places of the group in that class


def held_out(samples: Sequence[tuple[str, int]], groups: np.ndarray, share: float, seed: int) -> np.ndarray:
    """bool per sample: held out. Of each class round(share * pictures), at least 1, lowest sha256(f"{seed}:{key}") first; of small ones 0.

    samples: (key, class index); groups: see near_duplicates, one number per sample. A group is held out as a whole, by its lowest key, so
    that nothing that is measured on was learnt from, nor its near-duplicate, nor its double in another class. Groups that would make it
    more than wanted are left out; if all would, the smallest is taken if half of the class is left. Each class keeps some to learn from.
    """
    sizes, order = group_sizes(samples, groups), in_order(samples, groups, seed)
    totals = Counter(label for _, label in samples)
    held: Counter[int] = Counter()
    chosen: set[int] = set()

    def take(number: int, label: int, most: int) -> None:
        size = sizes[number]
        leaves_some = all(held[one] + count < totals[one] for one, count in size.items())
        if number not in chosen and held[label] + size[label] <= most and leaves_some:
            chosen.add(number)
            held.update(size)

    for label in [label for label, total in sorted(totals.items()) if total >= MIN_PICTURES and share > 0]:
        mine = [number for number in order if label in sizes[number]]
        for number in mine:
            take(number, label, max(1, round(share * totals[label])))
        if held[label] == 0:
            take(min(mine, key=lambda number: sizes[number][label]), label, totals[label] // 2)
    return np.isin(groups, list(chosen))


def group_sizes(samples: Sequence[tuple[str, int]], groups: np.ndarray) -> Mapping[int, Group]:
    """How many places each group has in each class."""
    sizes: dict[int, Group] = {}
    for (_, label), number in zip(samples, groups, strict=True):
        sizes.setdefault(int(number), Counter())[label] += 1
    return sizes


def in_order(samples: Sequence[tuple[str, int]], groups: np.ndarray, seed: int) -> list[int]:
    """The groups by sha256(f"{seed}:{key}") of their lowest key: an order that does not depend on which others there are."""
    first: dict[int, str] = {}
    for (key, _), number in zip(samples, groups, strict=True):
        first[int(number)] = min(key, first.get(int(number), key))
    return sorted(first, key=lambda number: hashlib.sha256(f"{seed}:{first[number]}".encode()).digest())
