"""A short name for how a picture looks: copies of a photo have the same or nearly the same, different photos do not.

DCT hash of what the model sees. Gray g = (299 R + 587 G + 114 B) / 1000 (ITU-R BT.601), averaged over 32 x 32 cells; of their
two-dimensional discrete cosine transform (DCT-II) the 8 x 8 lowest frequencies; one bit for each: above the median of all but the first,
which is the mean of the picture. Bits row by row, the first is the highest. All in whole numbers (cosines times 1024), so that it is the
same bits everywhere; web/module/perceptual_hash.js is the same in the page.
Source: C. Zauner, Implementation and Benchmarking of Perceptual Image Hash Functions, 2010, section 3.2.1.
"""

from __future__ import annotations

import re

import numpy as np

from .errors import InvalidInputError

CELLS, LOWEST = 32, 8
_GRAY = (299, 587, 114)
_COSINES = np.round(1024 * np.cos(np.pi * np.outer(np.arange(LOWEST), 2 * np.arange(CELLS) + 1) / (2 * CELLS))).astype(np.int64)


def perceptual_hash(seen: np.ndarray) -> str:
    """16 hex digits. seen: uint8 (H, W, 3). Of a picture with fewer than 32 rows or columns some cells are the same."""
    lowest = (_COSINES @ _cells(seen.astype(np.int64) @ np.array(_GRAY)) @ _COSINES.T).ravel()
    median = np.sort(lowest[1:])[31]  # of 63
    return np.packbits(lowest > median).tobytes().hex()


def checked_hash(value: object) -> str:
    """`value` if it is what perceptual_hash returns, or "" for none. Raises InvalidInputError."""
    if not isinstance(value, str) or not re.fullmatch("([0-9a-f]{16})?", value):
        raise InvalidInputError(f"A picture's hash is 16 hex digits, got {value!r:.60}.")
    return value


def _cells(gray: np.ndarray) -> np.ndarray:
    """Means of 32 x 32 cells, whole numbers: gray levels times 1000, rounded down to whole levels."""
    height, width = gray.shape
    rows, columns = (np.arange(CELLS + 1) * size // CELLS for size in (height, width))
    totals = np.zeros((height + 1, width + 1), np.int64)
    totals[1:, 1:] = gray.cumsum(axis=0).cumsum(axis=1)
    tops, lefts = (np.minimum(edges[:-1], size - 1) for edges, size in ((rows, height), (columns, width)))
    ends, rights = (np.maximum(edges[1:], starts + 1) for edges, starts in ((rows, tops), (columns, lefts)))
    sums = totals[np.ix_(ends, rights)] - totals[np.ix_(tops, rights)] - totals[np.ix_(ends, lefts)] + totals[np.ix_(tops, lefts)]
    return np.asarray(sums // (1000 * np.outer(ends - tops, rights - lefts)))
