"""Which pictures are held out to measure on. A picture keeps its side when others are added, as far as the counts allow."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

MIN_PICTURES = 4  # a class with fewer gives none: one in three would cost it more than the measurement is worth


def held_out(samples: Sequence[tuple[str, int]], share: float, seed: int) -> np.ndarray:
    """bool per sample: held out. Of each class round(share * pictures), at least 1, lowest sha256(f"{seed}:{key}") first; of small ones 0.

    A picture that stands in two classes is held out of both, so nothing that is measured on was learnt from.
    """
    by_class: defaultdict[int, list[str]] = defaultdict(list)
    for key, label in samples:
        by_class[label].append(key)
    chosen: set[str] = set()
    for keys in by_class.values():
        if share > 0 and len(keys) >= MIN_PICTURES:
            count = min(max(1, round(share * len(keys))), len(keys) - 1)
            chosen.update(sorted(keys, key=lambda key: hashlib.sha256(f"{seed}:{key}".encode()).digest())[:count])
    return np.array([key in chosen for key, _ in samples], bool)
