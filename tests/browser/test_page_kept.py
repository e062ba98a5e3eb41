"""What a person did is kept in the browser as it comes, and is there again after whatever ended the page."""

import hashlib
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from sitebuild import catalog, paths
from tests.browser.hosting import with_tiny_network
from tests.browser.pictures import class_folder
from tests.browser.studio import Studio
from tests.serving import serving

pytestmark = pytest.mark.browser

# Whenever the page has drawn itself and says that all is saved: what it shows then. `said()`: the latest of that.
_RECORD = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  let latest = null;
  modules["page/state.js"].subscribe(({ pictures, classes, training }) => {
    if (!/^Saved/.test(document.querySelector(".bar__saved").textContent)) return;
    const names = new Map(classes.map(({ id, name }) => [id, name]));
    const placed = [...pictures.values()].map(({ name, classId }) => [name, names.get(classId) ?? null]);
    latest = { pictures: placed, classes: [...names.values()], right: training.result?.right ?? null };
  });
  window.said = () => latest;
}"""
# What the page holds: name, class, hash of the file and how far it is read, of each picture.
_HELD = """async () => {
  const { pictures, classes, training, fault } = inside.state;
  const names = new Map(classes.map(({ id, name }) => [id, name]));
  const hex = (bytes) => Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
  const all = [];
  for (const { name, classId, file, reading } of pictures.values()) {
    const bytes = await (file instanceof Blob ? file : await file.open()).arrayBuffer();
    const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    all.push([name, names.get(classId) ?? "?", digest, reading]);
  }
  return { pictures: all, classes: [...names.values()], right: training.result?.right ?? null, fault: fault && String(fault) };
}"""


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[SimpleNamespace]:
    """A trainer that is fast."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, browser_context_args: dict[str, Any], server: SimpleNamespace) -> Iterator[Callable[[], Studio]]:
    """Opens the page in one more tab of the same browser context. At the end the consoles must be silent."""
    context = browser.new_context(**browser_context_args)
    studios: list[Studio] = []

    def new() -> Studio:
        studios.append(Studio(context, server).open())
        studios[-1].page.evaluate(_RECORD)
        return studios[-1]

    yield new
    context.close()
    assert [complaint for studio in studios for complaint in studio.complaints] == []


def wait_saved(studio: Studio) -> None:
    expect(studio.page.locator(".bar__saved")).to_have_text(re.compile("^Saved"), timeout=30_000)


def crash(page: Page) -> None:
    """Ends the tab's process as a crash does."""
    with pytest.raises(PlaywrightError), page.expect_event("crash"):
        page.goto("chrome://crash")
    page.close()


def sha256_of(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.png")}


def test_the_work_is_there_again(visit: Callable[[], Studio], server: SimpleNamespace, tmp_path: Path) -> None:
    """Pictures, classes, result and answers of a visit before; no picture is embedded again, and nothing is asked of the server for it."""
    first = visit().wait_ready()
    assert first.page.locator(".bar__project").is_hidden()
    assert first.page.evaluate("async () => (await indexedDB.databases()).map(({ name }) => name)") == []
    first.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    first.wait_read("12 added")
    first.train()
    first.go("Try")
    first.try_files(tmp_path / "red/red-0.png")
    answers = first.tried()[0]["answers"]
    first.go("Look")
    looked = first.page.locator("main").inner_text()
    wait_saved(first)
    first.page.close()
    again = visit()
    assert again.class_counts() == {"red": 6, "blue": 6}
    assert again.page.evaluate("[...inside.state.pictures.values()].every(({ reading }) => reading === 'ready')")
    again.wait_ready()
    again.go("Look")
    assert again.page.locator("main").inner_text() == looked
    again.go("Try")
    again.try_files(tmp_path / "red/red-0.png")
    assert again.tried()[0]["answers"] == answers
    assert again.page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)") == 12
    held = again.page.evaluate(_HELD)
    assert {name: digest for name, _, digest, _ in held["pictures"]} == sha256_of(tmp_path)
    assert {reading for *_, reading in held["pictures"]} == {"ready"}
    again.go("Collect")
    again.drop(class_folder(tmp_path / "more", "red", "red", 2, 50))
    again.wait_read("2 added")
    again.train()
    expect(again.page.get_by_role("heading", level=1)).to_contain_text("14")


def test_killed_tabs_lose_nothing_that_was_said_to_be_saved(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Twenty-five times: pictures are added and the tab crashes at some moment. What was said to be saved is there, each file whole."""
    choose = random.Random(7)
    said: dict[str, Any] = {"pictures": [], "classes": []}
    digests: dict[str, str] = {}
    for turn in range(25):
        studio = visit()
        held = studio.page.evaluate(_HELD)
        assert held["fault"] is None
        here = {name: (label, digest) for name, label, digest, _ in held["pictures"]}
        assert {name for name, _ in said["pictures"]} <= here.keys(), f"turn {turn}"
        assert all(digests[name] == digest and label != "?" for name, (label, digest) in here.items()), f"turn {turn}"
        colour = "red" if turn % 2 else "blue"
        folder = class_folder(tmp_path / str(turn), colour, colour, choose.randint(1, 12), 100 * turn)
        digests.update(sha256_of(folder))
        studio.drop(folder)
        until = time.monotonic() + choose.random() * 0.6
        while time.monotonic() < until:
            said = studio.page.evaluate("said()") or said
            time.sleep(0.02)
        said = studio.page.evaluate("said()") or said
        crash(studio.page)
        studio.complaints.clear()
    assert len(said["pictures"]) > 20  # some of it was saved: else nothing was tested
