"""The page's hash of how a picture looks is Python's."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pagetrain.perceptual_hash import perceptual_hash

pytestmark = pytest.mark.node
PHOTOS = sorted((Path(__file__).parents[1] / "data/trash").rglob("*.jpg"))[::5]


def test_page_and_python_give_the_same_bits() -> None:
    """For photos, noise and flat pictures, of sizes that cells divide and that they do not."""
    node = shutil.which("node")
    assert node, "node is needed for these tests"
    rng = np.random.default_rng(0)
    pictures = [np.asarray(Image.open(path).convert("RGB").resize((224, 224))) for path in PHOTOS]
    pictures += [rng.integers(0, 256, (*shape, 3)).astype(np.uint8) for shape in ((224, 224), (192, 260), (33, 31), (16, 16), (1, 5))]
    pictures += [np.full((224, 224, 3), level, np.uint8) for level in (0, 97, 255)]
    lines = [
        json.dumps({"width": one.shape[1], "height": one.shape[0], "rgb": base64.b64encode(one.tobytes()).decode()}) for one in pictures
    ]
    script = Path(__file__).with_name("hash_pictures.mjs")
    done = subprocess.run([node, script], input="\n".join(lines), capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == [perceptual_hash(one) for one in pictures]
