"""How each step looks and reads: no sideways scrolling at 360 px, nothing serious for axe, light and dark; and pictures for people."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import odd_zips
from tests.browser.conftest import FirstRun
from tests.browser.looks import SCREENSHOTS, look, sideways, violations
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, START_MS, Opener

pytestmark = pytest.mark.browser

STEPS = ("Collect", "Train", "Look", "Try", "Take")


@pytest.mark.parametrize("step", STEPS)
def test_step(first_run: FirstRun, step: str) -> None:
    """Each step of a finished first run."""
    first_run.studio.go(step)
    if step == "Collect":
        expect(first_run.studio.page.locator(".rolls img").first).to_be_visible(timeout=READ_MS)
    look(first_run.studio.page, step.lower())


def test_privacy_sheet(first_run: FirstRun) -> None:
    """The sheet behind the seal."""
    first_run.studio.seal.click()
    look(first_run.studio.page, "privacy")
    first_run.studio.page.keyboard.press("Escape")


def test_opening_and_failure(new_studio: Opener) -> None:
    """The empty page while it loads; the steps that wait for training; a load that failed."""
    studio = new_studio()
    page = studio.page
    page.route("**/runtime/pyodide.asm.wasm", lambda route: None)
    studio.open()
    look(page, "opening")
    studio.go("Train")
    look(page, "train-not-yet")
    studio.go("Take")
    look(page, "take-not-yet")
    page.unroute("**/runtime/pyodide.asm.wasm")
    page.route("**/runtime/pyodide.asm.wasm", lambda route: route.fulfill(status=404, body="gone"))
    with studio.complaining("404", "could not be loaded"):
        studio.open()
        expect(page.get_by_role("heading", name="Python did not arrive.")).to_be_visible(timeout=START_MS)
    look(page, "load-failed")


def test_report_selection_and_training(new_studio: Opener, tmp_path: Path) -> None:
    """A drop with refused files, selected frames, the question before a class goes, and training under way."""
    studio = new_studio(reduced_motion="reduce").open()
    page = studio.page
    red, blue = class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 4)
    (red / "letter.jpg").write_bytes(b"Dear Sir or Madam")
    (red / "a-long-name-of-a-zip-of-photos.zip").write_bytes(odd_zips.plain({"summer/letter-to-someone.jpg": b"Dear Sir or Madam"}))
    studio.drop(red, blue)
    studio.wait_ready()
    studio.wait_read("10 added", "2 skipped")
    studio.roll("red").get_by_role("button", name="red, picture 2").click()
    look(page, "collect-report")
    page.get_by_role("button", name="Remove red").click()
    look(page, "collect-remove")
    page.get_by_role("button", name="Keep them").click()
    studio.go("Train")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Rounds through all pictures").fill("1000")
    look(page, "train-advanced")
    page.get_by_role("button", name="Train with these").click()
    expect(page.get_by_role("button", name="Stop and keep the best")).to_be_visible()
    assert sideways(page) == 0
    assert violations(page) == []
    page.screenshot(path=SCREENSHOTS / "train-running.png", full_page=True)
    page.get_by_role("button", name="Stop and keep the best").click()
    studio.wait_trained()


def test_screenshots_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Says where the pictures are."""
    with capsys.disabled():
        print(f"\n  {len(list(SCREENSHOTS.glob('*.png')))} screenshots in {SCREENSHOTS}")
    assert any(SCREENSHOTS.glob("*.png"))
