"""What the model in the page sees: the very pixels that native Pillow makes of the same file, for every photo and every format."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.browser.conftest import TRASH, FirstRun
from tests.browser.described import pixels_of

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).parents[1] / "data" / "pictures"
INDEX = json.loads((PICTURES / "index.json").read_text(encoding="utf-8"))["files"]
GOOD = [name for name, facts in INDEX.items() if facts["group"] in ("good", "turned")]

# Another decoder than native Pillow's, so the pixels may differ a little: Pyodide's own libjpeg for CMYK, the browser's for AVIF.
OTHER_DECODER = {"cmyk.jpg", "drawn.avif"}


@pytest.fixture(scope="module")
def description(site: Path) -> dict:
    """The preprocessing that the site's model declares."""
    (manifest,) = site.glob("artifacts/*/manifest.json")
    return json.loads(manifest.read_text(encoding="utf-8"))["preprocessing"]


def test_photos(first_run: FirstRun, description: dict) -> None:
    """All 132 photos: the same hash."""
    paths = sorted(TRASH.glob("*/*/*.jpg"))
    assert len(paths) == 132
    assert [path.name for path in paths if not same_pixels(first_run, path.read_bytes(), description)] == []


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow tells of EXIF that cannot be used
@pytest.mark.parametrize("name", sorted(set(GOOD) - OTHER_DECODER))
def test_formats(first_run: FirstRun, description: dict, name: str) -> None:
    """Every format, bit depth, transparency, animation and turn: the same hash."""
    assert same_pixels(first_run, (PICTURES / name).read_bytes(), description)


@pytest.mark.parametrize("name", sorted(OTHER_DECODER))
def test_other_decoders(first_run: FirstRun, description: dict, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where another decoder works, its pixels are near: the right picture, in the right colours."""
    data = (PICTURES / name).read_bytes()
    difference = np.abs(first_run.studio.pixels(data).astype(int) - pixels_of(data, description))
    with capsys.disabled():
        print(f"\n  {name}: pixels differ from native Pillow's by {difference.max()} at most, {difference.mean():.2f} on average")
    assert difference.mean() < 2  # of 255; a swapped or inverted channel is 40 and more on these drawings


def test_turned_photos_look_alike(first_run: FirstRun) -> None:
    """The eight EXIF orientations of one drawing: the model sees one picture, but for what JPEG makes of it in another direction."""
    seen = [first_run.studio.pixels((PICTURES / f"exif-{turn}.jpg").read_bytes()).astype(int) for turn in range(1, 9)]
    for turned in seen[1:]:
        assert np.abs(turned - seen[0]).mean() < 3  # of 255; a wrong turn is 60 and more


def same_pixels(run: FirstRun, data: bytes, description: dict) -> bool:
    page, native = run.studio.pixels(data), pixels_of(data, description)
    return hashlib.sha256(page.tobytes()).digest() == hashlib.sha256(native.tobytes()).digest() and page.shape == native.shape
