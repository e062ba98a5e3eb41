"""Projects to which other tabs, or the person, do what nobody expects: what is on the page stays, and says what it is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.keeping import wait_saved
from tests.browser.pictures import class_folder
from tests.browser.studio import Studio

pytestmark = pytest.mark.browser


def go_to_projects(studio: Studio) -> None:
    studio.page.evaluate("() => { location.hash = 'projects'; }")
    expect(studio.page.get_by_role("heading", level=1)).to_have_text("Projects")


def project(studio: Studio, name: str) -> Locator:
    return studio.page.locator(".project").filter(has=studio.page.get_by_role("heading", name=name, exact=True))


def settings(studio: Studio) -> dict[str, str | bool]:
    """What the fields of Advanced show."""
    return studio.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".settings input")].map((one) =>
             [one.name, one.type === "checkbox" ? one.checked : one.value]))"""
    )


def test_settings_are_shown_as_they_are_kept(quick: Studio, tmp_path: Path) -> None:
    """After a reload Advanced shows with what it will train; another project begins with none of it."""
    page = quick.page
    quick.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    quick.wait_read("12 added")
    quick.go("Train")
    page.get_by_text("Advanced", exact=True).click()
    untouched = settings(quick)
    page.get_by_label("Rounds through all pictures").fill("7")
    page.get_by_label("Or one share kept aside, in %").fill("29")  # 0.29 of a hundred is no whole number of binary fractions
    page.get_by_label(re.compile("^Mirrored")).check()
    quick.next.click()
    quick.wait_trained()
    quick.go("Take")
    page.get_by_label("File name").fill("leaves")
    page.wait_for_timeout(300)  # until it begins to save
    wait_saved(quick)
    quick.open().wait_ready(offline=False)
    quick.go("Train")
    page.get_by_text("Advanced", exact=True).click()
    assert settings(quick) == {**untouched, "epochs": "7", "validation": "29", "mirror": True}
    quick.go("Take")
    expect(page.get_by_label("File name")).to_have_value("leaves")
    go_to_projects(quick)
    page.get_by_role("button", name="New", exact=True).click()
    expect(page).to_have_title(re.compile("^Collect"))
    quick.go("Train")
    assert settings(quick) == untouched


def test_numbers_that_no_setting_takes(quick: Studio, tmp_path: Path) -> None:
    """Once the field is left it shows the nearest number that it takes, or none: the one that it trains with."""
    quick.drop(class_folder(tmp_path, "red", "red", 3))
    quick.wait_read("3 added")
    quick.go("Train")
    quick.page.get_by_text("Advanced", exact=True).click()
    kept = {}
    for name, typed, shown in (
        ("epochs", "0", "1"),
        ("batchSize", "1e9", "4096"),
        ("learningRate", "-1", "0.00001"),
        ("folds", "2.6", "3"),
        ("seed", "e", ""),
    ):
        box = quick.page.locator(f".settings input[name={name}]")
        box.press_sequentially(typed)
        box.press("Tab")
        expect(box).to_have_value(shown)
        kept |= {name: float(shown)} if shown else {}
    assert quick.page.evaluate("inside.state.training.settings") == kept


def test_opened_after_it_was_deleted_elsewhere(quick: Studio, tmp_path: Path) -> None:
    """The page says so; the project that is open stays open, and is kept."""
    page = quick.page
    quick.drop(class_folder(tmp_path, "red", "red", 3))
    quick.wait_read("3 added")
    wait_saved(quick)
    go_to_projects(quick)
    page.get_by_role("button", name="New", exact=True).click()
    expect(page).to_have_title(re.compile("^Collect"))
    quick.drop(class_folder(tmp_path, "green", "green", 4))
    quick.wait_read("4 added")
    wait_saved(quick)
    go_to_projects(quick)
    expect(project(quick, "red")).to_be_visible()
    other = Studio(page.context, quick.server).open()
    go_to_projects(other)
    project(other, "red").get_by_role("button", name=re.compile("^Delete")).click()
    other.page.get_by_role("button", name="Delete it").click()
    expect(project(other, "red")).to_be_hidden()
    project(quick, "red").get_by_role("button", name=re.compile("^Open")).click()
    expect(page.get_by_text("It was deleted in another tab.").first).to_be_visible()
    expect(project(quick, "red")).to_be_hidden()
    quick.go("Collect")
    assert quick.class_counts() == {"green": 4}
    assert other.complaints == []
    other.page.close()
    quick.open()
    assert quick.class_counts() == {"green": 4}
