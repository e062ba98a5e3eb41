"""Album: classes and the pictures in them, by content key. No features, no weights."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import InvalidInputError
from .manifest import MAX_CLASSES

MAX_LABEL = 100


def clean_labels(labels: Iterable[str]) -> list[str]:
    """The names without space around them. Raises InvalidInputError for one that is empty, too long, there twice or not UTF-8."""
    cleaned = [_clean(label) for label in labels]
    if twice := sorted({label for label in cleaned if cleaned.count(label) > 1}):
        raise InvalidInputError(f"Class names must differ, but {twice[0]!r} is there twice.")
    if len(cleaned) > MAX_CLASSES:
        raise InvalidInputError(f"At most {MAX_CLASSES} classes can be told apart, got {len(cleaned)}.")
    return cleaned


def _clean(label: object) -> str:
    text = label.strip() if isinstance(label, str) else ""
    if not 1 <= len(text) <= MAX_LABEL:
        raise InvalidInputError(f"A class name has 1 to {MAX_LABEL} characters, got {label!r:.120}.")
    if any("\ud800" <= character <= "\udfff" for character in text):  # half an emoji, as cutting a JavaScript string makes
        raise InvalidInputError(f"The class name {text!r} cannot be saved as UTF-8; remove the lone surrogate.")
    return text


class Album:
    """Keys by class, in the classes' order. A key may stand in several classes, but once in each."""

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, None]] = {}

    @property
    def labels(self) -> list[str]:
        """Class names in class order."""
        return list(self._keys)

    def keys(self, label: str) -> list[str]:
        """The pictures of one class. Raises InvalidInputError for an unknown class."""
        return list(self._of(label))

    def check(self, label: str) -> None:
        """Raises InvalidInputError for an unknown class."""
        self._of(label)

    def has(self, key: str, label: str) -> bool:
        """Whether the class has this picture. Raises InvalidInputError for an unknown class."""
        return key in self._of(label)

    def count(self) -> int:
        """Pictures in all classes; one that stands in two counts twice."""
        return sum(map(len, self._keys.values()))

    def samples(self) -> list[tuple[str, int]]:
        """(key, class index) of all pictures, in an order that does not depend on when they were added."""
        return [(key, index) for index, keys in enumerate(self._keys.values()) for key in sorted(keys)]

    def set_labels(self, labels: list[str]) -> list[str]:
        """New classes in the given order; classes with the same name keep their pictures. Returns the keys that fell out."""
        dropped = [key for label, keys in self._keys.items() if label not in labels for key in keys]
        self._keys = {label: self._keys.get(label, {}) for label in labels}
        return dropped

    def rename(self, old: str, new: str) -> None:
        """The class keeps its place and pictures."""
        self._of(old)
        labels = clean_labels(new if label == old else label for label in self._keys)
        self._keys = dict(zip(labels, self._keys.values(), strict=True))

    def add(self, key: str, label: str) -> bool:
        """False if the class has this picture already."""
        keys = self._of(label)
        if key in keys:
            return False
        keys[key] = None
        return True

    def remove(self, key: str, label: str) -> None:
        """Raises InvalidInputError if the picture is not there."""
        if key not in self._of(label):
            raise InvalidInputError(f"Class {label!r} has no picture {key}.")
        del self._keys[label][key]

    def _of(self, label: str) -> dict[str, None]:
        if label not in self._keys:
            raise InvalidInputError(
                f"There is no class {label!r:.120}; the classes are {', '.join(map(repr, self._keys))[:300] or 'not set yet'}."
            )
        return self._keys[label]
