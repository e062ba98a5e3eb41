"""Preprocessing as an exported model's metadata describes it, with native Pillow, written apart from pagetrain's own."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageOps

Description = Mapping[str, Any]


def pixels_of(data: bytes, description: Description) -> np.ndarray:
    """What the model sees before normalisation: uint8 (H, W, 3)."""
    image = Image.open(io.BytesIO(data))
    image.load()
    arguments = {step["op"]: step for step in description["steps"]}
    if "exif-transpose" in arguments:
        image = ImageOps.exif_transpose(image)
    image = _rgb(image, tuple(arguments["to-rgb"]["background"]))
    crop, resize = arguments["center-crop"], arguments["resize-shortest"]
    sides = _sides(image.size, resize["size"], (crop["width"], crop["height"]))
    image = image.resize(sides, Image.Resampling[resize["resample"].upper()])
    left, top = (sides[0] - crop["width"]) // 2, (sides[1] - crop["height"]) // 2
    return np.asarray(image)[top : top + crop["height"], left : left + crop["width"]]


def tensor_of(data: bytes, description: Description) -> np.ndarray:
    """The model's input: float32, a batch of one."""
    arguments = {step["op"]: step for step in description["steps"]}
    mean, std = (np.array(arguments["normalize"][name], np.float32) for name in ("mean", "std"))
    pixels = (pixels_of(data, description).astype(np.float32) - mean) / std
    assert arguments["layout"]["order"] == "NCHW"
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[np.newaxis])


def _rgb(image: Image.Image, background: tuple[int, int, int]) -> Image.Image:
    if image.mode.startswith("I"):  # 16-bit gray: the upper 8 bits
        return Image.fromarray((np.asarray(image) // 256).astype(np.uint8)).convert("RGB")
    if not image.has_transparency_data:
        return image.convert("RGB")
    ground = Image.new("RGBA", image.size, (*background, 255))
    return Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")


def _sides(size: tuple[int, int], short: int, crop: tuple[int, int]) -> tuple[int, int]:
    least = min(size)
    width, height = (
        short if side == least else max(cropped, round(side * short / least)) for side, cropped in zip(size, crop, strict=True)
    )
    return width, height
