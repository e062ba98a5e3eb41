"""The whole job as somebody hears it who does not see the page: what is said, where the focus is, what things are called."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FirstRun
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Studio
from tests.browser.test_page_keyboard import press_with_files, tab_to

pytestmark = pytest.mark.browser

# Every sentence that comes into a live region: those that are polite, those that interrupt.
_LISTEN = """() => {
  window.heard = [];
  const live = "[role=status], [role=alert], [aria-live]:not([aria-live=off])";
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target)?.closest(live);
      const text = region?.checkVisibility() ? region.textContent.trim() : "";
      if (text && heard.at(-1) !== text) heard.push(text);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def wait_heard(page: Page, words: str) -> None:
    """A live region said these words since this was asked last."""
    page.wait_for_function(
        "(words) => { const at = heard.findIndex((one) => one.includes(words)); return at >= 0 && heard.splice(0, at + 1); }",
        arg=words,
        timeout=READ_MS,
    )


def focused(page: Page) -> str:
    """Role, level or state, and name of what has the focus, as a screen reader says it."""
    return page.locator(":focus").aria_snapshot().splitlines()[0].removeprefix("- ").rstrip(":").strip("'")


def test_the_whole_job(studio: Studio, tmp_path: Path) -> None:
    """Collect, Train, Look, Try, Take and the end: each result is said, each new screen begins at its heading, each control has a name."""
    page = studio.page
    page.evaluate(_LISTEN)
    press = page.keyboard.press
    parent = class_folder(tmp_path / "photos", "red", "red", 6).parent
    class_folder(parent, "blue", "blue", 6, 50)
    press("Tab")
    assert focused(page) == 'link "Go to the content"'
    press("Enter")
    expect(page.locator("main")).to_be_focused()
    press_with_files(studio, "Choose a folder", parent)
    expect(page.get_by_role("heading", name="Collect")).to_be_focused()  # the button went
    wait_heard(page, "12 added")
    studio.wait_ready()
    frame = studio.roll("red").get_by_role("button", name="red, picture 1: red-0.png")
    tab_to(studio, frame)
    press("Space")
    expect(frame).to_have_attribute("aria-pressed", "true")
    press("Delete")
    wait_heard(page, "taken out")
    assert focused(page).startswith('button "red, picture 1: ')
    tab_to(studio, studio.roll("blue").get_by_role("button", name="Remove blue"))
    press("Enter")
    assert focused(page) == 'button "Keep them"'  # what loses nothing
    expect(page.get_by_role("dialog", name="Remove blue and its")).to_be_visible()
    press("Escape")
    assert focused(page) == 'button "Remove blue"'
    tab_to(studio, studio.next)
    press("Enter")
    wait_heard(page, "right")
    studio.wait_trained()
    assert focused(page).startswith('heading "')
    for step, heading in (("Look", " right"), ("Try", "Try")):
        tab_to(studio, studio.next)
        press("Enter")
        wait_heard(page, step)
        assert focused(page).startswith('heading "')
        assert heading in focused(page)
    press_with_files(studio, "Choose", [parent / "red" / "red-1.png"])
    wait_heard(page, "red")
    tab_to(studio, studio.next)
    press("Enter")
    assert focused(page) == 'heading "Take it" [level=1]'
    wait_heard(page, "same answers")
    tab_to(studio, page.get_by_role("button", name="Save the model"))
    with page.expect_download():
        press("Enter")
    wait_heard(page, "my-model.onnx is in your downloads.")
    assert focused(page) == 'heading "It is yours." [level=1]'
    tab_to(studio, page.get_by_role("button", name="Save the project"))
    with page.expect_download():
        press("Enter")
    wait_heard(page, "my-model.pagetrain is in your downloads.")
    expect(page.get_by_role("button", name="Save the project")).to_be_focused()
    tab_to(studio, page.get_by_role("button", name="Start another"))
    press("Enter")
    expect(page.get_by_role("heading", level=1, name="Show it pictures.")).to_be_focused()


@pytest.mark.parametrize("step", ["Collect", "Train", "Look", "Try", "Take"])
def test_headings_and_landmarks(first_run: FirstRun, step: str) -> None:
    """One heading of the first level, none skipped on the way down; banner, navigation, main and contentinfo, once each."""
    page = first_run.studio.page
    first_run.studio.go(step)
    levels = page.evaluate(
        """() => Array.from(document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)"))
             .filter((node) => node.checkVisibility()).map(({ tagName }) => Number(tagName[1]))"""
    )
    assert levels.count(1) == 1
    assert all(level - before <= 1 for before, level in zip([0, *levels], levels, strict=False)), levels
    for role in ("banner", "navigation", "main", "contentinfo"):
        expect(page.get_by_role(role)).to_have_count(1)
