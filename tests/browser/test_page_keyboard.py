"""Everything by keyboard alone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pictures import class_folder
from tests.browser.studio import Studio

pytestmark = pytest.mark.browser


def tab_to(studio: Studio, target: Locator) -> None:
    """Presses Tab until `target` has the focus."""
    expect(target).to_be_visible()
    for _ in range(80):
        studio.page.keyboard.press("Tab")
        if target.evaluate("(node) => node === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {target}")


def press_with_files(studio: Studio, name: str, files: Path | list[Path]) -> None:
    """Goes to the button and presses Enter, which opens the browser's file dialog."""
    tab_to(studio, studio.page.get_by_role("button", name=name).first)
    with studio.page.expect_file_chooser() as chooser:
        studio.page.keyboard.press("Enter")
    chooser.value.set_files(files)


def test_whole_job(studio: Studio, tmp_path: Path) -> None:
    """From the first picture to the saved model: Tab, Enter, Space, arrows and letters are enough."""
    parent = class_folder(tmp_path / "photos", "red", "red", 4).parent
    class_folder(parent, "blue", "blue", 4, 50)
    press = studio.page.keyboard.press
    press_with_files(studio, "Choose a folder", parent)
    expect(studio.page.get_by_role("heading", level=1, name="Collect")).to_be_focused()  # the button went
    studio.wait_ready()
    studio.wait_read("8 added")
    assert studio.class_counts() == {"red": 4, "blue": 4}
    expect(studio.next).to_have_text("Train")
    tab_to(studio, studio.next)
    press("Enter")
    studio.wait_trained()
    for step in ("Look", "Try"):
        tab_to(studio, studio.next)
        press("Enter")
        expect(studio.page).to_have_title(re.compile(f"^{step} "))
    press_with_files(studio, "Choose", [parent / "red" / "red-0.png"])
    expect(studio.page.get_by_role("list", name="All answers").get_by_role("listitem").first).to_contain_text("red")
    tab_to(studio, studio.next)
    press("Enter")
    save = studio.page.get_by_role("button", name="Save the model")
    expect(save).not_to_have_attribute("aria-disabled", "true")
    tab_to(studio, save)
    with studio.page.expect_download() as download:
        press("Enter")
    assert download.value.suggested_filename == "my-model.onnx"
    expect(studio.page.get_by_role("heading", level=1, name="It is yours.")).to_be_focused()
    expect(studio.page.get_by_text("my-model.onnx is in your downloads.").first).to_be_visible()


def test_loose_pictures_are_sorted_by_number(quick: Studio, tmp_path: Path) -> None:
    """In Unsorted a number moves the picture under the focus, or all selected, to the class of that number; the words beside it say so."""
    reds, blues = class_folder(tmp_path, "red", "red", 3), class_folder(tmp_path, "blue", "blue", 3, 50)
    quick.drop(*sorted(reds.iterdir()), *sorted(blues.iterdir()))
    quick.wait_read("6 added")
    press = quick.page.keyboard.press
    frames = quick.page.get_by_role("region", name="Unsorted").get_by_role("button", name=re.compile("^Unsorted, picture"))
    expect(frames).to_have_count(6)
    tab_to(quick, frames.first)
    press("1")
    expect(frames).to_have_count(5)
    assert quick.page.evaluate("document.activeElement.classList.contains('frame')")
    quick.wait_read("1 added")
    press("9")
    expect(quick.page.get_by_role("status").get_by_text("There is no class 9, only 2")).to_be_attached()
    press("Space")
    press("ArrowRight")
    press("Space")
    expect(quick.page.get_by_text("Or press a number: 1\u00a0Class 1, 2\u00a0Class 2.").first).to_be_visible()
    press("1")
    expect(frames).to_have_count(3)
    press("Control+a")
    press("2")
    expect(frames).to_have_count(0)
    assert quick.page.evaluate("document.activeElement !== document.body")
    expect(quick.roll("Class 2").get_by_role("button", name=re.compile("^Class 2, picture"))).to_have_count(3)
    assert quick.class_counts() == {"Class 1": 3, "Class 2": 3}
    quick.train()


def test_pictures_are_moved_and_taken_out(studio: Studio, tmp_path: Path) -> None:
    """Arrows go from frame to frame, Space selects, Escape undoes that; what is selected is moved or taken out; the focus stays."""
    studio.drop(class_folder(tmp_path, "red", "red", 4), class_folder(tmp_path, "blue", "blue", 2))
    studio.wait_ready()
    studio.wait_read("6 added")
    press = studio.page.keyboard.press
    frames = studio.roll("red").get_by_role("button", name=re.compile("^red, picture"))
    tab_to(studio, frames.first)
    press("Space")
    press("ArrowRight")
    expect(frames.nth(1)).to_be_focused()
    press("Space")
    expect(studio.roll("red").get_by_text("Move 2 selected to")).to_be_visible()
    press("Escape")
    expect(studio.roll("red").get_by_text("selected to")).to_be_hidden()
    press("Space")
    press("ArrowLeft")
    press("Space")
    tab_to(studio, studio.roll("red").get_by_role("combobox"))
    studio.page.keyboard.type("blue")
    tab_to(studio, studio.roll("red").get_by_role("button", name="Move", exact=True))
    press("Enter")
    expect(studio.roll("blue").get_by_role("button", name=re.compile("^blue, picture"))).to_have_count(4)
    assert studio.class_counts() == {"red": 2, "blue": 4}
    assert studio.page.evaluate("document.activeElement !== document.body")
    tab_to(studio, frames.first)
    press("Delete")
    expect(frames).to_have_count(1)
    assert studio.class_counts() == {"red": 1, "blue": 4}
    press("Control+z")
    expect(frames).to_have_count(2)
    press("Delete")
    expect(frames).to_have_count(1)
    assert studio.page.evaluate("document.activeElement !== document.body")
    studio.train()


def test_class_name(studio: Studio) -> None:
    """Enter leaves the focus in the name; one that is not free stays to be changed, with the reason until something else is done."""
    names = studio.page.get_by_role("textbox", name="Class name")
    note = studio.rolls.nth(1).locator(".note--error")
    tab_to(studio, names.nth(1))
    studio.page.keyboard.type("cups")
    studio.page.keyboard.press("Enter")
    expect(studio.roll("cups")).to_be_visible()
    expect(names.nth(1)).to_be_focused()
    names.nth(1).select_text()
    studio.page.keyboard.type("Class 1")
    studio.page.keyboard.press("Enter")
    expect(note).to_have_text("There is a class Class 1 already.")
    expect(names.nth(1)).to_be_focused()
    expect(names.nth(1)).to_have_value("Class 1")
    assert studio.page.evaluate("getSelection().toString()") == "Class 1"
    studio.page.keyboard.type("pots")
    expect(note).to_be_empty()
    studio.page.keyboard.press("Enter")
    expect(studio.roll("pots")).to_be_visible()
    names.nth(1).select_text()
    studio.page.keyboard.type("Class 1")
    studio.page.keyboard.press("Enter")
    expect(note).not_to_be_empty()
    studio.page.keyboard.press("Tab")
    expect(note).to_be_empty()
    expect(names.nth(1)).to_have_value("pots")


def test_class_name_that_is_left(studio: Studio) -> None:
    """Who leaves a name that is not free, without Enter, finds the old one and the reason beside it, until they do something else."""
    names = studio.page.get_by_role("textbox", name="Class name")
    note = studio.rolls.first.locator(".note--error")
    names.first.fill("Class 2")
    studio.page.get_by_role("heading", level=1).click()
    expect(note).to_have_text("There is a class Class 2 already.")
    expect(names.first).to_have_value("Class 1")
    studio.page.get_by_role("heading", level=1).click()
    expect(note).to_be_empty()
