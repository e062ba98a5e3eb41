"""Loose pictures wait in Unsorted, but what cannot be read is said at once."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TRASH
from tests.browser.many_pictures import class_folders
from tests.browser.studio import Studio

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).parents[1] / "data" / "pictures"
BROKEN = {"truncated.jpg": "Damaged or cut off.", "drawing.svg": "Save it as JPEG or PNG", "text.jpg": "Not a picture."}

PLACES = "[...inside.state.pictures.values()].map(({ id, name, classId, key }) => [id, name, classId, key])"
COUNT_ASKED = """() => {
  window.asked = 0;
  const ask = DataTransferItem.prototype.webkitGetAsEntry;
  DataTransferItem.prototype.webkitGetAsEntry = function () { window.asked += 1; return ask.call(this); };
}"""


def test_folders_among_hundreds_of_loose_pictures(studio: Studio, tmp_path: Path) -> None:
    """Each is found, even called like a picture or another thing of the drop; the event does not ask for one after another."""
    [glass] = class_folders(tmp_path, ["glass"], 300)
    loose = sorted(glass.iterdir())
    metal, paper = class_folders(tmp_path, ["metal", "paper"], 3)
    twin = shutil.copytree(paper, tmp_path / "elsewhere" / loose[0].name)
    (tmp_path / "empty.jpg").mkdir()
    studio.page.evaluate(COUNT_ASKED)
    studio.drop(*loose, metal.rename(tmp_path / "bottles.png"), twin, paper, tmp_path / "empty.jpg")
    expect(studio.rolls).to_have_count(3)
    counts = studio.class_counts()
    assert {"bottles.png", "paper"} < counts.keys()
    assert set(counts.values()) == {3}
    assert studio.page.evaluate("[...inside.state.pictures.values()].filter(({ classId }) => classId === null).length") == 300
    assert studio.page.evaluate("window.asked") <= 2


def test_loose_pictures_are_looked_at(studio: Studio, tmp_path: Path) -> None:
    """Dropped while loading: good ones wait in Unsorted, each broken one is skipped with its reason; sorted, they are learnt from."""
    good = [TRASH / "train/glass/glass-01.jpg", TRASH / "train/paper/paper-01.jpg"]
    loose = [shutil.copyfile(path, tmp_path / path.name) for path in [*good, *(PICTURES / name for name in BROKEN)]]
    studio.drop(*loose)
    studio.wait_ready()
    studio.wait_read("2 added", "3 skipped")
    reasons = studio.skipped()
    assert reasons.keys() == BROKEN.keys()
    assert all(words in reasons[name] for name, words in BROKEN.items()), reasons
    tray = studio.page.get_by_role("region", name="Unsorted")
    expect(tray.locator("img")).to_have_count(2)
    tray.get_by_role("button", name=re.compile("^Unsorted, picture 1")).click()
    tray.get_by_role("button", name="Select all").click()
    tray.get_by_role("button", name="Move", exact=True).click()
    studio.wait_read("2 added")
    assert sorted(studio.class_counts().values(), reverse=True)[0] == 2
    assert studio.complaints == []


def test_loose_pictures_are_dragged_to_a_class(quick: Studio, tmp_path: Path) -> None:
    """By mouse: one that is not selected goes alone, one that is takes all selected along; dropped beside the classes nothing moves."""
    [glass] = class_folders(tmp_path, ["glass"], 5)
    quick.drop(*sorted(glass.iterdir()))
    quick.wait_read("5 added")
    frames = quick.page.get_by_role("region", name="Unsorted").get_by_role("button", name=re.compile("^Unsorted, picture"))
    expect(frames.locator("img")).to_have_count(5)
    drag(quick, frames.first, quick.page.get_by_role("heading", name="Unsorted"))
    expect(frames).to_have_count(5)
    drag(quick, frames.first, quick.roll("Class 2"))
    expect(frames).to_have_count(4)
    frames.nth(1).click()
    frames.nth(3).click()
    drag(quick, frames.nth(3), quick.roll("Class 1"))
    expect(frames).to_have_count(2)
    quick.wait_read("2 added")
    assert quick.class_counts() == {"Class 1": 2, "Class 2": 1}


def drag(studio: Studio, picture: Locator, to: Locator) -> None:
    """From the middle of the picture to a place near the upper left corner of `to`, in a window that shows both."""
    studio.page.set_viewport_size({"width": 1280, "height": 2000})
    begin, end = picture.bounding_box(), to.bounding_box()
    assert begin
    assert end
    mouse = studio.page.mouse
    mouse.move(begin["x"] + begin["width"] / 2, begin["y"] + begin["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + 4, end["y"] + 4, steps=5)
    mouse.up()


def test_taken_out_and_put_back(quick: Studio, tmp_path: Path) -> None:
    """All of a class and a loose one are put back where they were, each by its Undo, and are learnt from."""
    loose = shutil.copyfile(TRASH / "train/glass/glass-01.jpg", tmp_path / "loose.jpg")
    quick.drop(*class_folders(tmp_path, ["metal", "paper"], 3))
    quick.wait_read("6 added")
    quick.drop(loose)
    quick.wait_read("1 added")
    before = quick.page.evaluate(PLACES)
    tray, metal = quick.page.get_by_role("region", name="Unsorted"), quick.roll("metal")
    for owner in (metal, tray):
        owner.get_by_role("button", name=re.compile("picture 1")).click()
        owner.page.keyboard.press("Control+a")
        owner.get_by_role("button", name=re.compile("^Take (it|them) out")).click()
    assert quick.class_counts() == {"metal": 0, "paper": 3}
    for text in ("1 picture taken out.", "3 pictures taken out."):
        expect(quick.page.locator(".undo")).to_contain_text(text)
        quick.page.get_by_role("button", name="Undo").click()
    expect(quick.page.locator(".undo")).to_be_hidden()
    quick.page.wait_for_function(
        "() => [...inside.state.pictures.values()].every((one) => one.classId === null || one.reading === 'ready')"
    )
    assert quick.page.evaluate(PLACES) == before
    assert quick.page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)") == 6
