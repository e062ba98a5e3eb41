"""Every error pagetrain raises on purpose. One sentence each: what happened, where, got and expected, what to do.

PagetrainError
├── FormatError              a file is damaged, cut short, of another kind, or of a version this build does not read
├── UnsupportedOpError       a graph holds ops without a kernel (or, in artifacts_tool, without a gradient): all of them, at once
├── InvalidInputError        a value handed in has the wrong name, type or content
│   └── ShapeMismatchError   ... or the wrong shape
├── StateError               the call is fine, but not now (a nominal state that is not filled yet, one class only, nothing trained)
│   └── NotLoadedError       ... but not before parameters.bin is there
├── TrainingDivergedError    the loss, a gradient or the weights became NaN or infinite; the last good weights are kept
└── PictureError             a file that is not a picture we can use; `code` says why

Types cross to the page by name, with message, code and traceback (bridge.py).
"""

from __future__ import annotations


class PagetrainError(Exception):
    """Base of all errors raised on purpose."""


class FormatError(PagetrainError):
    """A file is damaged, cut short, of another kind, or of a version this build does not read."""


class UnsupportedOpError(PagetrainError):
    """A graph holds ops that cannot be run or differentiated. `ops`: "domain:op_type:since_version" of each, sorted."""

    def __init__(self, message: str, ops: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.ops = ops


class InvalidInputError(PagetrainError, ValueError):
    """A value handed in has the wrong name, type or content."""


class ShapeMismatchError(InvalidInputError):
    """A value handed in has the wrong shape."""


class StateError(PagetrainError, RuntimeError):
    """The call is fine, but not in the present state."""


class NotLoadedError(StateError):
    """The call needs values of parameters.bin, which is not there yet, or not all of it."""


class TrainingDivergedError(PagetrainError):
    """The loss, a gradient or the weights became NaN or infinite."""


class PictureError(PagetrainError):
    """A file that cannot be used as a picture.

    code: "empty", "not-a-picture", "damaged", "too-large", "too-narrow", "unsupported-format". `format` names the format where known
    ("HEIC").
    """

    def __init__(self, code: str, message: str, format: str = "") -> None:  # noqa: A002 - the everyday word, and public
        super().__init__(message)
        self.code = code
        self.format = format
