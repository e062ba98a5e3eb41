"""Gallery: the pictures of a job. Which stand in which class, and what is known of each: its features and how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .album import Album
from .errors import InvalidInputError
from .features import FeatureTable, RecentFeatures, Seen
from .near_duplicates import group_numbers

Sample = tuple[str, int]  # key, class index


@dataclass(frozen=True, slots=True)
class Added:
    """key: see key_of. duplicate: the class had this picture already, and keeps it once. hash: see perceptual_hash, "" if unknown."""

    key: str
    label: str
    duplicate: bool
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture in a class."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Similar:
    """A picture in a class, and the cosine between its features and those asked about, -1 to 1."""

    key: str
    label: str
    similarity: float


class Gallery:
    """Pictures by key, each with one row of `width` floats however many classes it stands in."""

    def __init__(self, width: int) -> None:
        self.album = Album()
        self.features = FeatureTable(width)
        self._bursts: dict[str, str] = {}
        self._recent = RecentFeatures(width)

    def known(self, key: str) -> Seen | None:
        """What was made of a picture that stands in a class, or was asked about not long ago; None for others."""
        return self.features.get(key) or self._recent.get(key)

    def note(self, key: str, seen: Seen) -> None:
        """Remembers a picture that stands in no class for a while; does nothing for others."""
        if key not in self.features:
            self._recent.keep(key, seen)

    def put(self, key: str, label: str, seen: Seen | None, burst: str = "") -> Added:
        """Into a class. seen: needed for a picture that is in none; burst: see near_duplicates. Raises InvalidInputError."""
        if self.album.has(key, label):
            return Added(key, label, True, self.features.hash(key))
        self.features.hold(key, seen)
        self.album.add(key, label)
        if burst:
            self._bursts[key] = burst
        self._recent.drop(key)
        return Added(key, label, False, self.features.hash(key))

    def remove(self, key: str, label: str) -> None:
        """Out of a class. Raises InvalidInputError if it is not there."""
        self.album.remove(key, label)
        self._release(key)

    def set_labels(self, labels: list[str]) -> None:
        """See Album.set_labels; the pictures of classes that are gone go with them."""
        for key in self.album.set_labels(labels):
            self._release(key)

    def row(self, key: str) -> np.ndarray:
        """The features of a picture that stands in a class (a view). Raises InvalidInputError for others."""
        seen = self.features.get(key)
        if seen is None:
            raise InvalidInputError(f"There is no picture {key}.")
        return seen.row

    def traits(self, key: str) -> tuple[str, str]:
        """Hash and burst of a picture that stands in a class, "" for none. Raises InvalidInputError for others."""
        self.row(key)
        return self.features.hash(key), self._bursts.get(key, "")

    def groups(self, samples: Sequence[Sample]) -> np.ndarray:
        """One number per sample, the same for near-duplicates and for pictures of one burst: see near_duplicates.group_numbers."""
        keys = [key for key, _ in samples]
        return group_numbers(keys, [self.features.hash(key) for key in keys], [self._bursts.get(key, "") for key in keys])

    def near_duplicates(self) -> list[list[Placed]]:
        """Groups of two or more places whose pictures are the same or nearly, in the order of samples(). A burst alone is none."""
        samples, labels = self.album.samples(), self.album.labels
        numbers = group_numbers([key for key, _ in samples], [self.features.hash(key) for key, _ in samples])
        found: dict[int, list[Placed]] = {}
        for (key, label), number in zip(samples, numbers, strict=True):
            found.setdefault(int(number), []).append(Placed(key, labels[label]))
        return [group for group in found.values() if len(group) > 1]

    def similar(self, row: np.ndarray, count: int) -> list[Similar]:
        """The `count` pictures whose features point most in the direction of `row`, best first; one in two classes counts as two."""
        samples, labels = self.album.samples(), self.album.labels
        rows = self.features.take(self.features.gather([key for key, _ in samples]))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * np.sqrt(row @ row)
        cosines = (rows @ row) / np.maximum(lengths, np.finfo(np.float32).tiny)
        best = np.argsort(-cosines, kind="stable")[:count]
        return [Similar(samples[place][0], labels[samples[place][1]], min(1.0, max(-1.0, float(cosines[place])))) for place in best]

    def _release(self, key: str) -> None:
        self.features.release(key)
        if key not in self.features:
            self._bursts.pop(key, None)
