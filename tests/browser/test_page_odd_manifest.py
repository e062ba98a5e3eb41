"""Every row of a manifest of odd and hostile files, dropped by the browser: each ends as the row says, and never without a word.

The files are made here (tests/odd_files.py). PAGETRAIN_ODD_FILES names another folder of that layout to be gone through instead.
"""

import json
import math
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests import odd_files
from tests.browser.looks import sideways
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, TRAIN_MS, Studio

pytestmark = pytest.mark.browser

FOLDERS = ("nested", "macos-junk", "odd-class-names", "unbalanced", "mixed-good-and-bad")
ONE_CLASS = ("one-class-only", "no-class-folders")
TWINS = ("same-image-two-classes", "same-image-one-class")
ZIPS = ("class-folders.zip", "class-folders-one-deeper.zip", "macos.zip", "zip-slip.zip", "zip-bomb.zip", "class-folders.tar.gz")
REFUSED_ZIPS = ("nested.zip", "password.zip", "truncated.zip", "empty.zip")
FILES = [*(f"folders/{name}" for name in (*FOLDERS, *ONE_CLASS, *TWINS)), *(f"zips/{name}" for name in (*ZIPS, *REFUSED_ZIPS))]

# What a folder or zip becomes: pictures by class. Of what is not named here only the manifest's word is asserted.
CLASSES = {
    "folders/nested": {"rose": 3, "tulip": 3},
    "folders/macos-junk": {"rose": 3, "tulip": 3},
    "folders/odd-class-names": dict.fromkeys(
        ["__proto__", "constructor", "toString", "<b onmouseover=window.__pwned=1>x", "CON", "ключ"], 2
    ),
    "folders/one-class-only": {"rose": 2},
    "folders/no-class-folders": {"no-class-folders": 2},
    "folders/mixed-good-and-bad": {"rose": 1, "tulip": 1},
    "zips/class-folders.zip": {"rose": 6, "tulip": 6},
    "zips/macos.zip": {"rose": 3, "tulip": 3},
    "zips/zip-bomb.zip": {"rose": 1},
}
# What a person reads beside the name of a file that was left out.
SAYS = {
    "folders/mixed-good-and-bad": {"bad.jpg": "Not a picture.", "cut.jpg": "Damaged", "empty.png": "The file is empty."},
    "folders/no-class-folders": {"readme.md": "Not a picture."},
    "zips/zip-bomb.zip": {"huge.jpg": "Too large."},
    "zips/nested.zip": {"inner.zip": "Unpack it first", "nested.zip": "There are no pictures in it."},
    "zips/password.zip": {"password.zip": "Locked with a password."},
    "zips/truncated.zip": {"truncated.zip": "Damaged or cut off."},
    "zips/empty.zip": {"empty.zip": "There are no pictures in it."},
    "zips/class-folders.tar.gz": {"class-folders.tar.gz": "Unpack it first"},
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    if elsewhere := os.environ.get("PAGETRAIN_ODD_FILES"):
        return odd_files.unpacked(Path(elsewhere), folder)
    odd_files.write(folder)
    return folder


def rows(odd: Path, group: str) -> dict[str, str]:
    """What the manifest expects, by file."""
    listed = json.loads((odd / "manifest.json").read_text(encoding="utf-8"))
    return {row["file"]: row["expect"] for row in listed if row["file"].startswith(group + "/")}


@pytest.fixture(autouse=True)
def harmless(quick: Studio) -> Iterator[None]:
    """Nothing in a file or a name did harm, whatever the test was about."""
    yield
    assert no_harm(quick)


def no_harm(studio: Studio) -> bool:
    """No script of a file or a name ran, nothing became markup, and nothing sticks out of the page."""
    page = studio.page
    marks = page.evaluate("document.querySelectorAll('img[src=\"x\"], body script, [onmouseover], body b b').length")
    return page.evaluate("window.__pwned === undefined") and marks == 0 and sideways(page) == 0


def added(studio: Studio) -> set[str]:
    """Names of the pictures that the trainer holds, and of those it held already."""
    return set(
        studio.page.evaluate(
            """() => [...inside.state.pictures.values()].filter(({ key, reading }) => key && reading === "ready").map(({ name }) => name)
                 .concat(...inside.state.drops.map(({ again }) => again))"""
        )
    )


@pytest.mark.parametrize("group", ["exif", "formats", "broken", "hostile"])
def test_files(quick: Studio, odd: Path, tmp_path: Path, group: str) -> None:
    """All files of a group in one drop with good ones: accepted ones are learnt from, refused ones named with a reason; it trains."""
    wanted = rows(odd, group)
    assert wanted
    good = class_folder(tmp_path, "good", "green", 4)
    quick.drop(odd / group, good)
    quick.wait_read()
    reasons, there = quick.skipped(), added(quick)
    names = {Path(file).name: expect_ for file, expect_ in wanted.items()}
    assert {name for name, word in names.items() if word == "accept"} - there == set()
    assert {name for name, word in names.items() if word == "reject"} - reasons.keys() == set()
    assert names.keys() - there - reasons.keys() == set()
    assert there & reasons.keys() == set()
    assert all(len(reason) > 10 for reason in reasons.values())
    assert quick.class_counts()["good"] == 4
    if quick.class_counts().get(group, 0) > 1:
        quick.train()
        losses = quick.page.evaluate("inside.state.training.curves.map(({ loss }) => loss)")
        assert losses
        assert all(math.isfinite(loss) for loss in losses)


def test_turned_photos_are_upright(quick: Studio, odd: Path) -> None:
    """Each stored turn is the upright picture for the model, within what JPEG does to a flat colour."""
    upright = quick.pixels((odd / "exif/upright.png").read_bytes()).astype(float)
    for file in rows(odd, "exif"):
        if "bad-exif" not in file:
            seen = quick.pixels((odd / file).read_bytes())
            assert np.abs(seen - upright).mean() < 6, file  # of 255; a wrong turn is 40 and more


def test_names(quick: Studio, odd: Path) -> None:
    """Pictures under odd names are added, and their names are text."""
    wanted = {Path(file).name for file in rows(odd, "names")}
    quick.drop(odd / "names")
    quick.wait_read(f"{len(wanted)} added")
    assert {unicodedata.normalize("NFC", name) for name in added(quick)} == {unicodedata.normalize("NFC", name) for name in wanted}
    expect(quick.roll("names").locator("img").first).to_be_visible(timeout=READ_MS)


def test_names_no_disk_takes(quick: Studio, odd: Path) -> None:
    """Names with slashes, of a zero, empty, of thousands of letters: each picture is added or refused by name."""
    names = json.loads((odd / "names-for-buffers.json").read_text(encoding="utf-8"))
    quick.choose([{"name": name, "mimeType": "image/jpeg", "buffer": odd_files.photo(300 + n)} for n, name in enumerate(names)])
    quick.wait_read()
    loose = quick.page.evaluate("inside.state.pictures.size")
    assert loose + len(quick.report.locator(".is-skipped").all()) == len(names)


def test_every_row_has_its_test(odd: Path) -> None:
    """No folder or zip of the manifest is left out below."""
    for group in ("folders", "zips"):
        assert rows(odd, group).keys() == {file for file in FILES if file.startswith(group)}


@pytest.mark.parametrize("file", FILES)
def test_folders_and_zips(quick: Studio, odd: Path, tmp_path: Path, file: str) -> None:
    """Dropped beside good pictures: its classes and counts, its refused files with their reasons, and the good ones in any case."""
    good = class_folder(tmp_path, "good", "green", 4)
    quick.drop(odd / file, *good.iterdir())
    quick.wait_read("added")
    counts = quick.class_counts()
    expect(quick.page.get_by_role("region", name="Unsorted").get_by_role("button", name="Unsorted, picture")).to_have_count(4)
    if file in CLASSES:
        assert {name: n for name, n in counts.items() if n} == CLASSES[file]
    reasons = quick.skipped()
    for name, words in SAYS.get(file, {}).items():
        assert words in reasons[name]
    if file in SAYS:
        assert reasons.keys() == SAYS[file].keys()
    assert not any(".." in name or "MACOSX" in name for name in counts)
    assert sum(counts.values()) > 0 or reasons
    if rows(odd, file.split("/")[0])[file] == "accept":
        assert sum(counts.values()) > 0
    if len([n for n in counts.values() if n]) > 1:
        quick.next.click()
        expect(quick.page.get_by_role("heading", level=1)).to_contain_text("right", timeout=TRAIN_MS)  # of one each nothing is tested


def test_one_deeper(quick: Studio, odd: Path) -> None:
    """The classes of a zip with a folder around them are the inner folders; an empty one is none."""
    quick.drop(odd / "zips/class-folders-one-deeper.zip")
    quick.wait_read()
    assert quick.class_names() == ["rose", "tulip"]


def test_climbing_names(quick: Studio, odd: Path) -> None:
    """Entries whose names lead out of their zip are left out by name; the normal ones are added."""
    quick.drop(odd / "zips/zip-slip.zip")
    quick.wait_read("5 skipped")
    assert quick.class_names() == ["rose", "tulip"]
    assert all("leads out of the zip" in reason for reason in quick.skipped().values())
    assert quick.report.locator(".is-skipped").first.locator("dt").inner_text().split() == ["evil.jpg", "in", "zip-slip.zip"]


def test_one_class_is_not_enough(quick: Studio, odd: Path) -> None:
    """Training one class alone is refused in words."""
    quick.drop(odd / "folders/one-class-only")
    quick.wait_read("2 added")
    expect(quick.next_words).to_contain_text("Needs a second class with pictures.")


def test_few_in_a_class(quick: Studio, odd: Path) -> None:
    """A class of one beside one of sixteen: a hint, and training works."""
    quick.drop(odd / "folders/unbalanced")
    quick.wait_read()
    assert quick.class_counts()["rose"] == 1
    expect(quick.page.get_by_text(re.compile("rose has 1.picture")).first).to_be_visible()
    quick.train()
