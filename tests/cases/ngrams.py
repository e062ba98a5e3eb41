"""Cases of kernels/ngrams.py: the pool of onnx's own example, with other skips, lengths and modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, integers

ROWS = integers(3, 12, low=2, high=9)
POOL: dict[str, Any] = {
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 1, 2, 3, 4, 5, 6],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
}
WEIGHTS = [float(np.float32(1 + number / 8)) for number in range(7)]


def case(name: str, X: np.ndarray, least: int, most: int, skips: int, mode: str = "TF", **more: Any) -> Case:
    how = {"min_gram_length": least, "max_gram_length": most, "max_skip_count": skips, "mode": mode}
    return Case(name, "TfIdfVectorizer", 9, [X], {**POOL, **how, **more})


CASES = [
    *(case(f"{least}_{most}_{skips}", ROWS, least, most, skips) for least, most in ((1, 1), (2, 2), (1, 2)) for skips in (0, 2, 5)),
    case("one_row", ROWS[0], 1, 2, 1),
    case("int32", ROWS.astype(np.int32), 1, 2, 1),
    case("idf", ROWS, 1, 2, 1, "IDF", weights=WEIGHTS),
    case("tfidf", ROWS, 1, 2, 1, "TFIDF", weights=WEIGHTS),
]
