"""Augmentation: further rows of added pictures, made of their variants, among which training draws. Judging never sees them.

for path in Path("photos").glob("*/*.jpg"):
    job.augmentation.add(path.read_bytes(), {"mirror": True, "crop": True})
for progress in job.fit(augment={"mirror": True, "crop": True}):
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import InvalidInputError, StateError
from .features import FeatureTable
from .picture import Pixels, Source
from .variants import Augment, check_variant, variants_of, vary


@dataclass(frozen=True, slots=True)
class Makers:
    """Of what rows are made: a picture's key, what the model sees of it, and the features of that."""

    key: Callable[[Source], str]
    pixels: Callable[[Source, Pixels | None], np.ndarray]
    embed: Callable[[np.ndarray], np.ndarray]


class Augmentation:
    """The further rows of a Personalizer's pictures: each `feature_bytes`, kept until its picture is in no class any more."""

    def __init__(self, table: FeatureTable, makers: Makers) -> None:
        self._table, self._makers = table, makers

    def add(self, data: Source, augment: Augment, pixels: Pixels | None = None) -> int:
        """Makes the rows of an added picture that are not there yet; how many they were. data, pixels: as Personalizer.add takes them.

        Raises: InvalidInputError for a picture that was not added or another `augment`, PictureError, StateError as Personalizer.add.
        """
        key = self._makers.key(data)
        made = [(variant, self._makers.embed(seen)) for variant, seen in self.seen(key, data, augment, pixels)]
        for variant, row in made:
            self._table.attach(key, variant, row)
        return len(made)

    def seen(self, key: str, data: Source, augment: Augment, pixels: Pixels | None = None) -> Iterator[tuple[str, np.ndarray]]:
        """(variant, what the model sees of it: uint8 (H, W, 3)) for each row of the picture that is not there yet. Raises as `add`."""
        self._check(key)
        wanted = [variant for variant in variants_of(augment) if variant not in self._table.further(key)]
        if wanted:
            plain = self._makers.pixels(data, pixels)
            yield from ((variant, vary(plain, variant)) for variant in wanted)

    def restore(self, key: str, variant: str, features: np.ndarray) -> None:
        """Puts back a row that was made before, or elsewhere. Raises InvalidInputError for a picture or a variant that there is not."""
        self._check(key)
        check_variant(variant)
        self._table.attach(key, variant, features)

    def missing(self, keys: Sequence[str], augment: Augment) -> list[str]:
        """Those of `keys` that lack a row: training draws among fewer rows of them, or takes the plain one."""
        wanted = set(variants_of(augment))
        return [key for key in dict.fromkeys(keys) if not wanted <= self._table.further(key).keys()]

    def drawn(self, keys: Sequence[str], augment: Augment, seed: int) -> Callable[[np.ndarray], np.ndarray]:
        """rows(indices): for each picture one of its rows, the plain one as probable as each other; of a missing one the plain one instead.

        Same seed and calls, same rows. Raises StateError if none of the pictures has any of these rows.
        """
        wanted, plain = variants_of(augment), self._table.gather(keys)
        further = [self._table.further(key) for key in keys]
        if wanted and not any(variant in one for one in further for variant in wanted):
            raise StateError("No picture has mirrored or cropped rows to draw from; make them first, with the pictures' files.")
        places = np.array([[own, *(one.get(variant, own) for variant in wanted)] for own, one in zip(plain, further, strict=True)], np.intp)
        generator = np.random.default_rng([seed, len(wanted)])  # not the stream that the batches are drawn from
        return lambda indices: self._table.take(places[indices, generator.integers(places.shape[1], size=len(indices))])

    def _check(self, key: str) -> None:
        if key not in self._table:
            raise InvalidInputError(f"There is no picture {key}: further rows are made of pictures that were added.")
