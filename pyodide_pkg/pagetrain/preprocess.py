"""Pillow image -> tensor, exactly as the manifest's preprocessing steps (version 1) say. The same description travels in exported models.

Sizes use Python's round, resampling is Pillow's, arithmetic is float32: a Python user who follows the description gets the same numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from .errors import FormatError

VERSION = 1

Step = Mapping[str, Any]
_ORIENTATION = 0x0112  # EXIF tag
_UPRIGHT = {  # EXIF orientation -> what undoes it (Exif 2.32, table of tag 274)
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_RESAMPLE = {one.name.lower(): one for one in Image.Resampling}
_MAX_SIDE = 4096


def steps_of(description: Mapping[str, Any]) -> tuple[Step, ...]:
    """The checked steps of a `preprocessing` object.

    Raises: FormatError for a version above 1, an unknown or misplaced op, a missing or absurd argument.
    """
    if not isinstance(description, Mapping) or not isinstance(description.get("steps"), list):
        raise FormatError("preprocessing: expected an object with a list of steps.")
    if (version := description.get("version")) != VERSION:
        raise FormatError(f"preprocessing: version {version!r} is not one this build reads ({VERSION}); use a newer pagetrain.")
    steps = tuple(description["steps"])
    for index, step in enumerate(steps):
        _check(step, f"preprocessing step {index}")
    names = [step["op"] for step in steps]
    if names not in (list(_OPS), [name for name in _OPS if name != "exif-transpose"]):
        raise FormatError(f"preprocessing: got steps {names}, expected {list(_OPS)} in this order (exif-transpose may be left out).")
    shortest = next(step["size"] for step in steps if step["op"] == "resize-shortest")
    crop = next(step for step in steps if step["op"] == "center-crop")
    if shortest < max(crop["width"], crop["height"]):
        raise FormatError(f"preprocessing: a short side of {shortest} leaves nothing to crop {crop['width']} x {crop['height']} from.")
    return steps


def shape_of(steps: Sequence[Step]) -> tuple[int, int, int]:
    """Of one preprocessed picture: (3, H, W) or (H, W, 3). steps: checked by steps_of."""
    width, height = crop_of(steps)
    return (3, height, width) if steps[-1]["order"] == "NCHW" else (height, width, 3)


def crop_of(steps: Sequence[Step]) -> tuple[int, int]:
    """(width, height) of what the model sees."""
    crop = next(step for step in steps if step["op"] == "center-crop")
    return crop["width"], crop["height"]


def apply(steps: Sequence[Step], image: Image.Image) -> np.ndarray:
    """The picture as a batch of one: float32, (1, 3, H, W) for layout NCHW, (1, H, W, 3) for NHWC.

    image: as picture.decode or Image.open gives it; not changed. steps: checked by steps_of.
    """
    return tensor(steps, pixels(steps, image))


def tensor(steps: Sequence[Step], seen: np.ndarray) -> np.ndarray:
    """What `pixels` returned as a batch of one: float32, (1, 3, H, W) for layout NCHW, (1, H, W, 3) for NHWC."""
    value: Any = seen
    for step in steps:
        if step["op"] in ("normalize", "layout"):
            value = _OPS[step["op"]](value, step, steps)
    return np.ascontiguousarray(value, dtype=np.float32)


def pixels(steps: Sequence[Step], image: Image.Image) -> np.ndarray:
    """The cropped picture before normalisation: uint8 (H, W, 3). What to compare with another decoder."""
    return _done(steps, image, _OF_PICTURE)


def upright(steps: Sequence[Step], image: Image.Image) -> np.ndarray:
    """The picture turned and made RGB, in its own size: uint8 (H, W, 3). What a model with preprocessing inside takes."""
    return _done(steps, image, _BEFORE_RESIZE)


def _done(steps: Sequence[Step], image: Image.Image, ops: Sequence[str]) -> np.ndarray:
    value: Any = image
    for step in steps:
        if step["op"] in ops:
            value = _OPS[step["op"]](value, step, steps)
    return np.asarray(value)


def orientation_of(image: Image.Image) -> int:
    """EXIF orientation, 1 to 8; 1 for none or unreadable EXIF. XMP is not asked: neither browsers nor all Pillows do."""
    exif = Image.Exif()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow tells of damaged EXIF
            exif.load(image.info.get("exif", b""))
            found = exif.get(_ORIENTATION, 1)
    except Exception:  # the parser raises nearly every built-in exception on damaged EXIF
        return 1
    return found if found in _UPRIGHT else 1


def _exif_transpose(image: Image.Image, step: Step, steps: Sequence[Step]) -> Image.Image:
    turn = _UPRIGHT.get(orientation_of(image))
    return image if turn is None else image.transpose(turn)


def _to_rgb(image: Image.Image, step: Step, steps: Sequence[Step]) -> Image.Image:
    """RGB; transparency composed onto `background`; 16-bit gray keeps its upper 8 bits (Pillow's own conversion would turn it white)."""
    if image.mode.startswith("I"):
        return Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)).convert("RGB")
    if not image.has_transparency_data:
        return image.convert("RGB")
    above = image.convert("RGBA")
    ground = Image.new("RGBA", image.size, (*step["background"], 255))
    return Image.alpha_composite(ground, above).convert("RGB")


def _resize_shortest(image: Image.Image, step: Step, steps: Sequence[Step]) -> Image.Image:
    """Short side becomes `size`, the other max(crop's side, round(side * size / short))."""
    crop = next(later for later in steps if later["op"] == "center-crop")
    width, height = image.size
    scale_to, short = step["size"], min(width, height)
    new_width = scale_to if width == short else max(crop["width"], round(width * scale_to / short))
    new_height = scale_to if height == short else max(crop["height"], round(height * scale_to / short))
    return image.resize((new_width, new_height), _RESAMPLE[step["resample"]])


def _center_crop(image: Image.Image, step: Step, steps: Sequence[Step]) -> Image.Image:
    left, top = (image.width - step["width"]) // 2, (image.height - step["height"]) // 2
    return image.crop((left, top, left + step["width"], top + step["height"]))


def _normalize(seen: np.ndarray, step: Step, steps: Sequence[Step]) -> np.ndarray:
    """(x - mean) / std on 0..255, per channel, in float32."""
    return (np.asarray(seen, np.float32) - np.asarray(step["mean"], np.float32)) / np.asarray(step["std"], np.float32)


def _layout(value: Any, step: Step, steps: Sequence[Step]) -> np.ndarray:
    array = np.asarray(value, np.float32)[np.newaxis]
    return array.transpose(0, 3, 1, 2) if step["order"] == "NCHW" else array


_OPS: Mapping[str, Callable[[Any, Step, Sequence[Step]], Any]] = {  # in the order in which they may stand
    "exif-transpose": _exif_transpose,
    "to-rgb": _to_rgb,
    "resize-shortest": _resize_shortest,
    "center-crop": _center_crop,
    "normalize": _normalize,
    "layout": _layout,
}
_OF_PICTURE = tuple(_OPS)[:4]
_BEFORE_RESIZE = tuple(_OPS)[:2]


def _is_side(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_SIDE


def _is_triple(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 1e6 for x in value)
    )


def _is_color(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(type(x) is int and 0 <= x <= 255 for x in value)


_SIDE = (_is_side, f"a whole number from 1 to {_MAX_SIDE}")
_ARGUMENTS: Mapping[str, Mapping[str, tuple[Callable[[Any], bool], str]]] = {  # op: {argument: (what fits, in words)}
    "exif-transpose": {},
    "to-rgb": {"background": (_is_color, "three whole numbers from 0 to 255")},
    "resize-shortest": {
        "size": _SIDE,
        "resample": (lambda value: isinstance(value, str) and value in _RESAMPLE, f"one of {', '.join(_RESAMPLE)}"),
    },
    "center-crop": {"width": _SIDE, "height": _SIDE},
    "normalize": {
        "mean": (_is_triple, "three numbers, for values from 0 to 255"),
        "std": (lambda value: _is_triple(value) and all(x > 0 for x in value), "three numbers above 0, for values from 0 to 255"),
    },
    "layout": {"order": (lambda value: value in ("NCHW", "NHWC"), "NCHW or NHWC")},
}


def _check(step: object, where: str) -> None:
    """Raises FormatError unless step is a known op whose arguments are all there and sensible."""
    if not isinstance(step, Mapping) or not isinstance(step.get("op"), str) or step["op"] not in _ARGUMENTS:
        op = step.get("op") if isinstance(step, Mapping) else step
        raise FormatError(f"{where}: {op!r} is not an op of preprocessing version {VERSION}: {', '.join(_ARGUMENTS)}.")
    for name, (fits, expected) in _ARGUMENTS[step["op"]].items():
        if not fits(step.get(name)):
            raise FormatError(f"{where} ({step['op']}): {name} is {step.get(name)!r:.80}, expected {expected}.")
