"""Variants of a picture for training: what the model sees of it, mirrored, or a corner of it enlarged. Pixels in, pixels out; no state.

All of them are made here, from the very pixels that the plain features are made of, so that they are the same whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PIL import Image

from .errors import InvalidInputError

Augment = Mapping[str, bool]  # of KINDS
KINDS = ("mirror", "crop")
CROP = 0.9  # of each side
_MIRROR = "mirrored"
_CORNERS = {"top left": (0, 0), "top right": (0, 1), "bottom left": (1, 0), "bottom right": (1, 1)}  # at the end of which axes


def variants_of(augment: Augment) -> tuple[str, ...]:
    """The variants beside the plain picture: {"mirror": True} has one, {"crop": True} four, both together nine.

    Raises InvalidInputError for what is no mapping of "mirror" and "crop" to bools.
    """
    if not isinstance(augment, Mapping) or not all(name in KINDS and isinstance(value, bool) for name, value in augment.items()):
        raise InvalidInputError(f"augment is {augment!r:.80}, expected {' and '.join(map(repr, KINDS))}, each True or False.")
    crops = tuple(_CORNERS) if augment.get("crop") else ()
    mirrored = (_MIRROR, *(f"{_MIRROR} {corner}" for corner in crops)) if augment.get("mirror") else ()
    return (*crops, *mirrored)


def vary(seen: np.ndarray, variant: str) -> np.ndarray:
    """One variant of what the model sees: uint8 (H, W, 3), in the same size.

    mirrored: out[y, x] = seen[y, W - 1 - x]. A corner: round(0.9 H) x round(0.9 W) pixels of it, enlarged to H x W by Pillow's bicubic
    (Keys 1981, a = -0.5), then mirrored if that is asked for too. Raises InvalidInputError for a variant that there is not.
    """
    check_variant(variant)
    words = variant.removeprefix(_MIRROR).strip()
    made = _corner(seen, *_CORNERS[words]) if words else seen
    return np.ascontiguousarray(made[:, ::-1] if variant.startswith(_MIRROR) else made)


def check_variant(name: str) -> None:
    """Raises InvalidInputError for a variant that there is not."""
    if name not in (known := variants_of(dict.fromkeys(KINDS, True))):
        raise InvalidInputError(f"There is no variant {name!r:.80} of a picture; there are {', '.join(known)}.")


def _corner(seen: np.ndarray, bottom: int, right: int) -> np.ndarray:
    height, width = seen.shape[:2]
    part_height, part_width = round(CROP * height), round(CROP * width)
    top, left = bottom * (height - part_height), right * (width - part_width)
    part = np.ascontiguousarray(seen[top : top + part_height, left : left + part_width])
    return np.asarray(Image.fromarray(part).resize((width, height), Image.Resampling.BICUBIC))
