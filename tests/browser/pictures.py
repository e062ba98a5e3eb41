"""Small pictures and class folders made on the spot."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

HUES = {"red": (200, 40, 40), "blue": (40, 60, 200), "green": (40, 170, 60), "yellow": (220, 200, 50)}


def patterned(colour: str, seed: int, side: int = 48) -> bytes:
    """A PNG in shades of one colour, different for each seed."""
    shades = np.random.default_rng(seed).integers(60, 100, (6, 6, 1)) / 100
    tiles = (np.array(HUES[colour]) * shades).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(tiles).resize((side, side), Image.Resampling.NEAREST).save(stream, "PNG")
    return stream.getvalue()


def class_folder(parent: Path, name: str, colour: str, count: int, first_seed: int = 0) -> Path:
    """A folder `name` with `count` pictures in it."""
    folder = parent / name
    folder.mkdir(parents=True)
    for seed in range(first_seed, first_seed + count):
        (folder / f"{colour}-{seed}.png").write_bytes(patterned(colour, seed))
    return folder
