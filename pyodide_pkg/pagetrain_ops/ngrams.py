"""TfIdfVectorizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import Specs, kernel

Result = tuple[np.ndarray, ...]


def _of_counts(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the counts, and of a row as Python's numbers."""
    return (outputs[0].nbytes if outputs[0] else 0) + (inputs[0].shape[-1] * 16 if inputs[0] else 0)


@kernel("TfIdfVectorizer", since=9, workspace=_of_counts)
def tf_idf_vectorizer(
    X: np.ndarray,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] | None = None,
    pool_strings: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> Result:
    """Y[.., ngram_indexes[i]] = how often the i-th n-gram of the pool stands in a row of X, float32.

    X: (C,) or (N, C) of integers or texts. The pool holds the 1-grams from ngram_counts[0] on, the 2-grams from ngram_counts[1] on, ...;
    those of min_gram_length to max_gram_length are counted, with 0 to max_skip_count elements left out between two of an n-gram.
    mode: TF the counts, IDF the weight (default 1) of those that are there, TFIDF count times weight. Source: ONNX TfIdfVectorizer-9.
    """
    if mode not in ("TF", "IDF", "TFIDF"):
        raise InvalidInputError(f"the mode {mode!r} is not known; use TF, IDF or TFIDF.")
    places = {gram: number for number, gram in enumerate(_pooled(pool_int64s or pool_strings or (), ngram_counts))}
    counts = np.zeros((*X.shape[:-1], len(ngram_indexes)), np.float32)
    for row, found in zip(X.reshape(-1, X.shape[-1]), counts.reshape(-1, counts.shape[-1]), strict=True):
        for gram in _grams(tuple(row.tolist()), min_gram_length, max_gram_length, max_skip_count):
            if gram in places:
                found[places[gram]] += 1
    if mode != "TF":
        counts = (np.minimum(counts, 1) if mode == "IDF" else counts) * np.array(weights or (1,), np.float32)
    Y = np.zeros((*X.shape[:-1], max(ngram_indexes, default=-1) + 1), np.float32)
    Y[..., list(ngram_indexes)] = counts
    return (Y,)


def _pooled(pool: Sequence[Any], starts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """The n-grams of the pool, in order."""
    for length, (start, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), start=1):
        yield from (tuple(pool[at : at + length]) for at in range(start, end, length))


def _grams(row: tuple[Any, ...], least: int, most: int, skips: int) -> Iterator[tuple[Any, ...]]:
    for length in range(least, most + 1):
        for step in range(1, skips + 2 if length > 1 else 2):  # nothing lies between the elements of a 1-gram
            last = len(row) - (length - 1) * step
            yield from (row[at : at + (length - 1) * step + 1 : step] for at in range(last))
