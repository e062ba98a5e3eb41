"""Which fold each picture is judged in: k-fold cross-validation, stratified by class, near-duplicates together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .holdout import group_sizes, in_order

NEVER = -1


def folds_of(samples: Sequence[tuple[str, int]], groups: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """The fold of each sample, counted from 0, or NEVER: (N,). The head that judges a fold learns from all samples that are not in it.

    samples: (key, class index); groups: see near_duplicates, one number per sample. There are at most `folds`, fewer of few groups. A group
    is in one of them. Groups come largest first, then by holdout.in_order, each into the fold that has the fewest of its classes, then the
    fewest samples. A group without which a class would have nothing to learn from is in NEVER, as the only picture of a class is: all heads
    learn from it, and none is measured on it.
    """
    sizes, order = group_sizes(samples, groups), in_order(samples, groups, seed)
    groups_of_class = Counter(label for size in sizes.values() for label in size)
    counts = [Counter[int]() for _ in range(folds)]
    chosen: dict[int, int] = {}
    for number in sorted(order, key=lambda number: -sizes[number].total()):
        size = sizes[number]
        if any(groups_of_class[label] < 2 for label in size):
            chosen[number] = NEVER
            continue
        best = min(range(folds), key=lambda fold: (sum(counts[fold][label] for label in size), counts[fold].total(), fold))
        chosen[number] = best
        counts[best] += size
    for label in sorted(groups_of_class):  # two classes in one group may have drawn all of one into one fold
        mine = [number for number in sizes if label in sizes[number]]
        if len({chosen[number] for number in mine}) == 1:
            chosen[min(mine, key=lambda number: (sizes[number].total(), number))] = NEVER
    used = sorted(set(chosen.values()) - {NEVER})
    return np.array([used.index(chosen[int(number)]) if chosen[int(number)] != NEVER else NEVER for number in groups], np.intp)
