"""What the page says is saved, what it holds when it is opened again, and ways to end it."""

import hashlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests.browser.studio import Studio

SAVED = re.compile("^Saved")

# At once, and whenever the page has drawn itself, if it says that all is saved: what it shows then. `said()`: the latest of that.
RECORD = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  let latest = null;
  const { state, subscribe } = modules["page/state.js"];
  const look = ({ pictures, classes, training }) => {
    if (!/^Saved/.test(document.querySelector(".bar__saved").textContent)) return;
    const names = new Map(classes.map(({ id, name }) => [id, name]));
    const placed = [...pictures.values()].map(({ name, classId }) => [name, names.get(classId) ?? null]);
    latest = { pictures: placed, classes: [...names.values()], right: training.result?.right ?? null };
  };
  subscribe(look);
  look(state);
  window.said = () => latest;
  window.trainerState = () => modules["page/trainer.js"].trainerNow()?.state;
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


def wait_saved(studio: Studio, pictures: int | None = None) -> None:
    """The page says that all is saved, and shows that many pictures when it does."""
    expect(studio.page.locator(".bar__saved")).to_have_text(SAVED, timeout=30_000)
    if pictures is not None:
        studio.page.wait_for_function(
            """(wanted) => {
              const counts = Array.from(document.querySelectorAll(".rolls .roll__count b"), (one) => Number(one.textContent));
              const isSaved = document.querySelector(".bar__saved").textContent.startsWith("Saved");
              return isSaved && counts.reduce((sum, one) => sum + one, 0) === wanted;
            }""",
            arg=pictures,
        )


def plain_page(context: BrowserContext, url: str) -> Page:
    """A page of that site that has none of our code and no policy, for scripts that look into the browser's store."""
    page = context.new_page()
    page.route(url + "plain", lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>plain</title>"))
    page.goto(url + "plain")
    return page


def crash(page: Page) -> None:
    """Ends the tab's process as a crash does."""
    with pytest.raises(PlaywrightError), page.expect_event("crash"):
        page.goto("chrome://crash")
    page.close()


def sha256_of(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.png")}


def held(studio: Studio) -> dict[str, Any]:
    """What the page holds; nothing of it may be in pieces."""
    found: dict[str, Any] = studio.page.evaluate(_HELD)
    assert found["fault"] is None
    assert all(label != "?" for _, label, _, _ in found["pictures"])
    return found


def said(studio: Studio) -> dict[str, Any] | None:
    """The latest of what the page showed while it said that all was saved."""
    latest: dict[str, Any] | None = studio.page.evaluate("said()")
    return latest


class Diary:
    """What was dropped, and what the page said last that it had saved: no more than that may be missing afterwards."""

    def __init__(self) -> None:
        self.said: dict[str, Any] = {"pictures": [], "classes": [], "right": None}
        self.digests: dict[str, str] = {}

    def drop(self, studio: Studio, folder: Path) -> None:
        self.digests.update(sha256_of(folder))
        studio.drop(folder)

    def watch(self, studio: Studio, seconds: float) -> None:
        """Reads for so long what the page says."""
        until = time.monotonic() + seconds
        while True:
            self.said = said(studio) or self.said
            if time.monotonic() > until:
                return
            time.sleep(0.02)

    def check(self, studio: Studio, when: object) -> None:
        """All that was said to be saved is there, in the class where it was; each file is whole; a result that was there is."""
        found = held(studio)
        here = {name: (label, digest) for name, label, digest, _ in found["pictures"]}
        missing = [name for name, label in self.said["pictures"] if here.get(name, ("", ""))[0] != label]
        assert missing == [], when
        assert all(self.digests[name] == digest for name, (_, digest) in here.items()), when
        assert set(self.said["classes"]) <= set(found["classes"]), when
        assert self.said["right"] is None or found["right"] is not None, when


class Chromium:
    """A browser of its own process group, which can be killed at once, as when the power goes."""

    def __init__(self, command: Sequence[str], profile: Path) -> None:
        port = profile / "DevToolsActivePort"
        port.unlink(missing_ok=True)
        headless = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen([*command, *headless], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not port.exists() or not port.read_text().strip():
            assert time.monotonic() < until, "the browser did not start"
            time.sleep(0.05)
        self.address = f"http://127.0.0.1:{port.read_text().split()[0]}"

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
