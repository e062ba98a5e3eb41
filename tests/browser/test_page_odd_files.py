"""Odd, broken and hostile files in one drop with good ones: each ends as the right picture or in one clear message."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import TRASH
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Studio

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).parents[1] / "data" / "pictures"
INDEX = json.loads((PICTURES / "index.json").read_text(encoding="utf-8"))["files"]
GOOD = {name for name, facts in INDEX.items() if facts["group"] in ("good", "turned")}

# What a person reads, by what is wrong with the file.
WORDS = {
    "empty": "The file is empty.",
    "not-a-picture": "Not a picture.",
    "damaged": "Damaged or cut off.",
    "too-large": "Too large.",
    "too-narrow": "A strip too narrow to learn from.",
    "archive": "Unpack it first, then drop the folder.",
    "unsupported-format": "Save it as JPEG or PNG and drop it again.",
}

# Small copies of the thumbnails, as numbers.
PRINTS = """async () => Promise.all([...document.querySelectorAll(".roll img")].map(async (image) => {
  await image.decode();
  const context = new OffscreenCanvas(44, 44).getContext("2d");
  context.drawImage(image, 0, 0, 44, 44);
  return [...context.getImageData(0, 0, 44, 44).data];
}))"""


def odd_folder(parent: Path) -> tuple[Path, dict[str, str]]:
    """A folder of every odd file, and by name what is wrong with those that are refused."""
    folder = parent / "odd"
    folder.mkdir()
    for name in INDEX:
        shutil.copyfile(PICTURES / name, folder / name)
    wrong = {name: facts.get("judged_code") or facts["code"] for name, facts in INDEX.items() if name not in GOOD}
    for name, code in {
        "photos.zip": "damaged",
        "photos.tar.gz": "archive",
        "notes.txt": "not-a-picture",
        "tool.exe": "not-a-picture",
    }.items():
        (folder / name).write_bytes(b"PK\3\4 anything")
        wrong[name] = code
    with (folder / "weighs-65-MB.jpg").open("wb") as file:
        file.truncate(65 * 2**20)
    return folder, wrong | {"weighs-65-MB.jpg": "too-large"}


def junk(folder: Path) -> int:
    """What macOS and Windows leave beside pictures; says how many files."""
    (folder / "__MACOSX").mkdir()
    names = ["__MACOSX/._1.jpg", "__MACOSX/2.jpg", "._3.jpg", ".DS_Store", "Thumbs.db", "desktop.ini"]
    for name in names:
        (folder / name).write_bytes(b"junk")
    return len(names)


def test_one_drop_of_everything(studio: Studio, tmp_path: Path) -> None:
    """Every refused file is named with its reason, every good one is added, system files are counted, and the page trains on as before."""
    odd, wrong = odd_folder(tmp_path)
    phone = Image.linear_gradient("L").resize((4032, 3024)).convert("RGB")
    phone.save(odd / "12-megapixels.jpg", quality=60)
    shutil.copyfile(TRASH / "train/glass/glass-02.jpg", odd / "no-extension")
    twins = len(GOOD) - len({INDEX[name]["sha256"] for name in GOOD})
    left_out = junk(class_folder(tmp_path, "blue", "blue", 4).parent / "blue")
    studio.wait_ready()
    studio.drop(odd, tmp_path / "blue")
    studio.wait_read(f"{len(GOOD) - twins + 2 + 4} added", f"{len(wrong)} skipped", f"{twins} was there already")
    expect(studio.report).to_contain_text(f"{left_out} left out")
    reasons = studio.skipped()
    assert reasons.keys() == wrong.keys()
    assert {name: reason for name, reason in reasons.items() if WORDS[wrong[name]] not in reason} == {}
    for name, kind in {"phone.heic": "HEIC", "drawing.svg": "SVG", "photo.jp2": "JPEG 2000"}.items():
        assert f"This browser cannot read {kind}." in reasons[name]
    assert studio.class_counts() == {"odd": len(GOOD) - twins + 2, "blue": 4}
    studio.train()
    assert studio.page.evaluate("window.__pwned === undefined")


def test_turned_photos_are_shown_and_judged_upright(studio: Studio) -> None:
    """All eight EXIF orientations: one thumbnail, and one picture for the model."""
    studio.drop(*(PICTURES / f"exif-{turn}.jpg" for turn in range(1, 9)), onto=studio.rolls.first)
    studio.wait_ready()
    studio.wait_read("8 added")
    expect(studio.rolls.first.locator("img")).to_have_count(8, timeout=READ_MS)
    prints = studio.page.evaluate(PRINTS)
    for turned in prints[1:]:
        assert np.abs(np.array(turned) - prints[0]).mean() < 4  # of 255, as JPEG's noise is; a wrong turn is 60 and more
