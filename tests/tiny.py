"""A small job for tests: the tiny artifacts, and drawn pictures of classes that their features tell apart."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from pagetrain import Personalizer

FOLDER = Path(__file__).parent / "data" / "tiny_artifacts"
COLOURS = {"red": (200, 40, 40), "green": (40, 180, 60), "blue": (50, 60, 210), "sand": (210, 190, 120)}


def picture(label, number):
    """PNG bytes: noise around the class's colour, another for each number."""
    rng = np.random.default_rng([number, *COLOURS[label]])
    pixels = np.clip(rng.normal(COLOURS[label], 45, (20, 24, 3)), 0, 255).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def files():
    """{key: bytes} of the artifacts but parameters.bin."""
    names = {path.stem: path for path in FOLDER.iterdir()}
    return {
        key: names[key].read_bytes() for key in ("training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model")
    }


def job(labels=("red", "green", "blue"), count=10, seed=0):
    """A Personalizer with `count` pictures in each class."""
    made = Personalizer.load(FOLDER, seed=seed)
    made.set_classes(labels)
    for label in labels:
        for number in range(count):
            made.add(picture(label, number), label)
    return made


def trained(labels=("red", "green", "blue"), count=10, **settings):
    """The same after fit."""
    made = job(labels, count)
    for _ in made.fit(**settings):
        pass
    return made
