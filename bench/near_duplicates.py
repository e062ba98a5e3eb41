"""Which copies of a photo are found as near-duplicates, and which different photos are taken for one.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.near_duplicates FOLDER

FOLDER: photos, *.jpg somewhere below, none twice. Writes bench/results/near_duplicates.json; python -m docs renews docs/accuracy.md.
"""

import argparse
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance

from bench.accuracy import ARTIFACTS
from bench.results import FOLDER, about
from pagetrain import manifest, preprocess
from pagetrain.near_duplicates import NEAR
from pagetrain.perceptual_hash import perceptual_hash

RESULT = FOLDER / "near_duplicates.json"
LIMITS = (4, 6, 8, NEAR, 12, 14)


def encoded(image: Image.Image, quality: int, kind: str = "JPEG") -> Image.Image:
    stream = io.BytesIO()
    image.save(stream, kind, quality=quality)
    return Image.open(stream).convert("RGB")


def scaled(image: Image.Image, scale: float) -> Image.Image:
    return encoded(image.resize([max(1, round(side * scale)) for side in image.size]), 85)


def cropped(image: Image.Image, share: float, place: float = 0.5) -> Image.Image:
    """A share of each side; place: 0 at the left and top, 0.5 in the middle."""
    width, height = (round(side * share) for side in image.size)
    left, top = round((image.width - width) * place), round((image.height - height) * place)
    return image.crop((left, top, left + width, top + height))


COPIES: Mapping[str, Callable[[Image.Image], Image.Image]] = {
    "JPEG, quality 70": lambda image: encoded(image, 70),
    "JPEG, quality 30": lambda image: encoded(image, 30),
    "WebP, quality 60": lambda image: encoded(image, 60, "WEBP"),
    "half the size": lambda image: scaled(image, 0.5),
    "160 pixels wide": lambda image: scaled(image, 160 / image.width),
    "a fifth brighter": lambda image: ImageEnhance.Brightness(image).enhance(1.2),
    "a fifth darker": lambda image: ImageEnhance.Brightness(image).enhance(0.8),
    "more contrast (1.3)": lambda image: ImageEnhance.Contrast(image).enhance(1.3),
    "turned by 2 degrees": lambda image: image.rotate(2, Image.Resampling.BICUBIC),
    "97 % of each side, middle": lambda image: cropped(image, 0.97),
    "95 % of each side, off the middle": lambda image: cropped(image, 0.95, 0.3),
    "90 % of each side, middle": lambda image: cropped(image, 0.9),
    "90 % of each side, a corner": lambda image: cropped(image, 0.9, 0),
    "mirrored (another picture)": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
}


def found(folder: Path) -> dict[str, Any]:
    """pairs: how many different photos; false: {limit: pairs within it}; copies: {kind: {limit: share of copies within it}}."""
    steps = manifest.parse((ARTIFACTS / "manifest.json").read_bytes()).steps

    def bits(image: Image.Image) -> np.ndarray:
        digits = bytes.fromhex(perceptual_hash(preprocess.pixels(steps, image)))
        return np.unpackbits(np.frombuffer(digits, np.uint8))

    images = [Image.open(path).convert("RGB") for path in sorted(folder.rglob("*.jpg"))]
    own = np.stack([bits(image) for image in images])
    distances = (own[:, np.newaxis] != own).sum(axis=2)[np.triu_indices(len(own), 1)]
    copies = {}
    for name, copy in COPIES.items():
        away = (np.stack([bits(copy(image)) for image in images]) != own).sum(axis=1)
        copies[name] = {str(limit): float((away <= limit).mean()) for limit in LIMITS}
    false = {str(limit): int((distances <= limit).sum()) for limit in LIMITS}
    return {"photos": len(images), "pairs": len(distances), "false": false, "copies": copies, "limit": NEAR}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    result = {**about("near_duplicates"), **found(parser.parse_args().folder)}
    RESULT.write_text(json.dumps(result) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
