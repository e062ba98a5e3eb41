"""The page from right to left, as Arabic and Hebrew are written: everything mirrored, nothing outside the window."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import looks
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Studio

pytestmark = pytest.mark.browser

# Boxes that hold the page together, each with its distance from the left and from the right edge of the window.
EDGES = """(selector) => Array.from(document.querySelectorAll(selector)).filter((one) => one.checkVisibility()).map((element) => {
  const { left, right } = element.getBoundingClientRect();
  return [element.className, left, document.documentElement.clientWidth - right];
})"""
# Where the filled part of each bar begins and ends, from the bar's left and right edge.
FILLED = """() => Array.from(document.querySelectorAll(".level")).filter((one) => one.checkVisibility())
  .map((bar) => getComputedStyle(bar, "::before")).map(({ left, right }) => ["level::before", parseFloat(left), parseFloat(right)])"""
BOXES = ".bar__mark, .step, .rolls .roll, .frame, .level, .matrix td, .answer, .receipt, .next .button, .foot p, main h1"


def turn(page: Page, direction: str) -> None:
    page.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)


def not_mirrored(before: list[Any], after: list[Any]) -> list[Any]:
    """What is not as far from the right as it was from the left, and the other way round, to a pixel."""
    pairs = zip(before, after, strict=True)
    return [(one, other) for one, other in pairs if abs(one[1] - other[2]) > 1 or abs(one[2] - other[1]) > 1]


def check_mirrored(page: Page, name: str) -> None:
    """In both sizes: the boxes are where they were, seen in a mirror; arrows point on; bars fill from the right."""
    for size, viewport in looks.SIZES.items():
        page.set_viewport_size(viewport)
        turn(page, "ltr")
        before = page.evaluate(EDGES, BOXES) + page.evaluate(FILLED)
        turn(page, "rtl")
        where = f"{name}, {size}"
        looks.check(page, where)
        assert not_mirrored(before, page.evaluate(EDGES, BOXES) + page.evaluate(FILLED)) == [], where
        arrows = page.locator("use[href='#arrow']").evaluate_all("(all) => all.map((use) => getComputedStyle(use.parentElement).scale)")
        assert set(arrows) == {"-1 1"}, where
        tall = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({**viewport, "height": tall})
        looks.SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=looks.SCREENSHOTS / f"rtl-{name}-{size}.png")
    turn(page, "ltr")


def test_every_step_from_right_to_left(quick: Studio, tmp_path: Path) -> None:
    """Empty, with pictures and hints, trained, looked at, tried, taken."""
    page = quick.page
    check_mirrored(page, "opening")
    red, blue = class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 4)
    (red / "letter.jpg").write_bytes(b"Dear Sir or Madam")
    quick.drop(red, blue)
    quick.wait_read("10 added", "1 skipped")
    quick.roll("red").get_by_role("button", name="red, picture 2").click()
    check_mirrored(page, "collect")
    page.keyboard.press("Escape")
    quick.train()
    check_mirrored(page, "train")
    quick.go("Look")
    check_mirrored(page, "look")
    quick.go("Try")
    quick.try_files(red / "red-1.png")
    check_mirrored(page, "try")
    turn(page, "rtl")
    numbers = page.locator(".answer__n, .display__soft").evaluate_all("(all) => all.map((one) => getComputedStyle(one).direction)")
    assert set(numbers) == {"ltr"}  # else ">99 %" would be read from behind
    quick.go("Take")
    expect(page.get_by_role("button", name="Save the model")).to_be_enabled(timeout=READ_MS)
    check_mirrored(page, "take")
    page.goto(page.url.split("#")[0] + "#projects")
    expect(page.get_by_role("button", name=re.compile("^Delete"))).to_be_visible()
    check_mirrored(page, "projects")
    quick.seal.click()
    check_mirrored(page, "privacy")


def test_arrow_keys_go_where_they_point(quick: Studio, tmp_path: Path) -> None:
    """From right to left, the key to the left goes on to the next picture."""
    page = quick.page
    quick.drop(class_folder(tmp_path, "red", "red", 6))
    quick.wait_read("6 added")
    turn(page, "rtl")
    frames = [quick.roll("red").get_by_role("button", name=f"red, picture {n}") for n in (1, 2)]
    frames[0].focus()
    page.keyboard.press("ArrowLeft")
    expect(frames[1]).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(frames[0]).to_be_focused()
