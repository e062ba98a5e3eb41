"""Names that try to be something else, of files and of class folders: they are text wherever they stand."""

import json
import unicodedata
from pathlib import Path

import onnx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import sideways
from tests.browser.pictures import class_folder, patterned
from tests.browser.studio import Opener, Studio

pytestmark = pytest.mark.browser

FILE_NAMES = [
    "<img src=x onerror=window.__pwned=1>.png",
    "<script>window.__pwned=1</script>.png",
    "javascript:window.__pwned=1.png",
    "&lt;b&gt;entity&amp;.png",
    "日本語の花.png",
    "🌻🐝.png",
    'it\'s "quoted".png',
    "\u202egnp.exe.png",
    "..\\..\\windows\\evil.png",
    "__proto__.png",
    "a" * 300 + ".png",
    "cafe\u0301.png",
    "two  spaces .png",
]
CLASS_NAMES = [
    "__proto__",
    "constructor",
    "<img src=x onerror=window.__pwned=1>",
    "&amp;amp;",
    "123",
    "🌻🐝",
    "\u202eevil",
    "מגדל",
    "n" * 100,
    'it\'s "quoted", with comma',
]


def no_harm(page: Page) -> None:
    """No script ran, no name became markup, nothing sticks out of the page."""
    assert page.evaluate("window.__pwned === undefined")
    assert page.evaluate("document.querySelectorAll('img[src=\"x\"], body script, body b b').length") == 0
    assert sideways(page) == 0


def test_file_names(new_studio: Opener) -> None:
    """Names with markup, emoji, turned writing or 300 letters stand in the frames and in the report of what was refused as they are."""
    studio = new_studio(viewport={"width": 360, "height": 740}).open()
    page = studio.page
    files = [{"name": name, "mimeType": "image/png", "buffer": patterned("red", seed)} for seed, name in enumerate(FILE_NAMES)]
    broken = [{"name": name, "mimeType": "image/png", "buffer": b"not a picture " + name.encode()} for name in FILE_NAMES]
    with page.expect_file_chooser() as chooser:
        studio.rolls.first.get_by_role("button", name="Photos to").click()
    chooser.value.set_files(files + broken)
    studio.wait_ready()
    studio.wait_read(f"{len(FILE_NAMES)} added", f"{len(FILE_NAMES)} skipped")
    assert list(studio.skipped()) == FILE_NAMES
    frames = studio.rolls.first.get_by_role("button", name="Class 1, picture")
    expect(frames.first).to_have_accessible_name("Class 1, picture 1: <img src=x onerror=window.__pwned=1>.png")
    no_harm(page)


def test_class_folder_names(studio: Studio, tmp_path: Path) -> None:
    """Folders named like properties of objects, markup, numbers or turned writing are classes of their own, in the file too."""
    folders = [class_folder(tmp_path / str(index), name, "red", 2, 10 * index) for index, name in enumerate(CLASS_NAMES)]
    studio.drop(*folders)
    studio.wait_ready()
    studio.wait_read(f"{2 * len(CLASS_NAMES)} added")
    assert studio.class_counts() == {unicodedata.normalize("NFC", name): 2 for name in CLASS_NAMES}
    no_harm(studio.page)
    studio.train()
    studio.go("Try")
    studio.try_files(folders[0] / "red-0.png")
    assert sorted(studio.tried()[0]["answers"]) == sorted(unicodedata.normalize("NFC", name) for name in CLASS_NAMES)
    no_harm(studio.page)
    studio.next.click()
    studio.save("Save the model").save_as(tmp_path / "model.onnx")
    about = {one.key: one.value for one in onnx.load(str(tmp_path / "model.onnx")).metadata_props}
    assert sorted(json.loads(about["pagetrain.labels"])) == sorted(unicodedata.normalize("NFC", name) for name in CLASS_NAMES)
    no_harm(studio.page)


def test_names_that_look_the_same(studio: Studio, tmp_path: Path) -> None:
    """Folders whose names differ only in how an é is stored, or in spaces around them, are one class."""
    folders = [
        class_folder(tmp_path / str(index), name, "blue", 2, 10 * index)
        for index, name in enumerate(["caf\u00e9", "cafe\u0301", " caf\u00e9 "])
    ]
    studio.drop(*folders)
    expect(studio.rolls).to_have_count(1)
    assert studio.class_counts() == {"caf\u00e9": 6}
