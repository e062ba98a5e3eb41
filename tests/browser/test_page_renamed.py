"""Classes that get another name after something was said of them."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pictures import class_folder, patterned
from tests.browser.studio import Studio

pytestmark = pytest.mark.browser


def rename(studio: Studio, name: str, wanted: str) -> None:
    studio.go("Collect")
    box = studio.roll(name).get_by_role("textbox", name="Class name")
    box.fill(wanted)
    box.press("Enter")
    expect(studio.roll(wanted)).to_be_visible()


def bars(studio: Studio) -> Locator:
    return studio.page.get_by_role("list", name="All answers").get_by_role("listitem")


def test_answers_go_with_their_class(quick: Studio, tmp_path: Path) -> None:
    """A tried picture's answers are called as their classes are now, also where two classes have exchanged their names."""
    quick.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    quick.wait_read("12 added")
    quick.train()
    quick.go("Try")
    tried = tmp_path / "tried.png"
    tried.write_bytes(patterned("red", 40))
    quick.try_files(tried)
    answer = quick.page.locator(".display--answer")
    expect(answer).to_contain_text("red")  # its bars are of two plain colours: one that does not know them apart has not learnt
    first, second = bars(quick).all_text_contents()
    for name, wanted in (("red", "crimson"), ("blue", "red"), ("crimson", "blue")):
        rename(quick, name, wanted)
    quick.go("Try")
    expect(answer).to_contain_text("blue")
    expect(bars(quick)).to_have_text([first.replace("red", "blue"), second.replace("blue", "red")])
    assert quick.page.get_by_label("The right class").evaluate("(select) => select.selectedOptions[0].text") == "It is red"
