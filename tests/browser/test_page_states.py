"""States of the page that no other test looks at: loading, reading, stopped, what is said about the keeping, questions, the end."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import TRASH, FirstRun, Visiting
from tests.browser.keeping import wait_saved
from tests.browser.looks import look
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, START_MS, Opener, Studio

pytestmark = pytest.mark.browser

CLASSES = ("cardboard", "glass", "metal", "paper")

# Sets what the page knows of its keeping, and draws it. How it comes to be so is tested elsewhere, with stores that are full or taken.
_SAY = """async (now) => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const { keeping, training } = inside.state;
  const before = { ...keeping };
  window.unsay = () => { Object.assign(keeping, before); modules["page/state.js"].changed(); };
  Object.assign(keeping, now);
  modules["page/state.js"].changed();
}"""
# The store refuses to write, with an error of that name, until it is mended.
_BREAK = """(name) => {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = () => { throw new DOMException("as a test wants it", name); };
  window.mend = () => { IDBObjectStore.prototype.put = put; };
}"""


def frames_seen(studio: Studio) -> None:
    """Pictures that are to be seen are drawn."""
    studio.page.wait_for_function(
        """() => Array.from(document.querySelectorAll("main .frame")).every((node) => {
             const { top } = node.getBoundingClientRect();
             return top > innerHeight || node.querySelector("img, .frame__name") || node.matches(".frame--more") || !node.checkVisibility();
           })""",
        timeout=READ_MS,
    )


def test_while_it_loads(new_studio: Opener) -> None:
    """Pictures are in, the trainer is not: they wait. And files that are held over the page."""
    studio = new_studio()
    page = studio.page
    page.route("**/runtime/pyodide.asm.wasm", lambda route: None)
    studio.open()
    studio.drop(*(TRASH / "train" / name for name in CLASSES))
    expect(studio.rolls).to_have_count(len(CLASSES))
    frames_seen(studio)
    look(page, "loading-collecting")
    page.evaluate("document.documentElement.classList.add('is-dragging')")
    look(page, "drag")


@pytest.fixture(scope="module")
def kept(browser: Browser, visiting: Visiting, quick_server: SimpleNamespace) -> Iterator[Studio]:
    """One page on the quick trainer, which goes from state to state in the order of the tests."""
    with visiting() as new:
        yield new(browser, quick_server).open().wait_ready()


def test_ready_and_empty(kept: Studio) -> None:
    """Nothing yet, all loaded; and no project yet."""
    look(kept.page, "empty")
    kept.page.evaluate("location.hash = 'projects'")
    expect(kept.page.get_by_text("Nothing is kept here yet.")).to_be_visible()
    look(kept.page, "projects-none")
    kept.go("Collect")


def test_reading(kept: Studio) -> None:
    """Pictures are being read; loose ones wait in Unsorted; then all are in, and some files were skipped."""
    page = kept.page
    page.evaluate("inside.trainer(() => new Promise((resolve) => { window.letGo = resolve; })); 0")
    loose = sorted((TRASH / "test" / "glass").glob("*.jpg"))[:3]
    kept.drop(*(TRASH / "train" / name for name in CLASSES), *loose, TRASH / "README.md", TRASH / "LICENSE")
    expect(kept.report).to_contain_text("0 of", timeout=READ_MS)
    frames_seen(kept)
    look(page, "collecting")
    page.evaluate("letGo()")
    kept.wait_read("51 added", "2 skipped")
    kept.report.locator("summary").click()
    frames_seen(kept)
    look(page, "collected")


@pytest.fixture
def filled(kept: Studio) -> Studio:
    """The same page, with pictures if it has none."""
    if kept.page.evaluate("inside.state.pictures.size") == 0:
        kept.drop(*(TRASH / "train" / name for name in CLASSES))
        kept.wait_read()
    return kept


def test_training_and_stopped(filled: Studio) -> None:
    """It trains, and was stopped."""
    page = filled.page
    page.evaluate("inside.state.training.settings = { epochs: 9000, folds: 5 }")
    filled.next.click()
    page.wait_for_function("() => inside.state.training.curves.length > 20", timeout=READ_MS)
    frames_seen(filled)
    look(page, "training")
    page.get_by_role("button", name="Stop and keep the best").click()
    filled.wait_trained()
    look(page, "stopped")


def test_looking_and_trying(filled: Studio, tmp_path: Path) -> None:
    """Nothing tried yet; an answer; a file that is no picture; one that gets no answer."""
    page = filled.page
    filled.go("Look")
    look(page, "look-stopped")
    filled.go("Try")
    look(page, "try-empty")
    (tmp_path / "letter.jpg").write_bytes(b"Dear Sir or Madam")
    filled.try_files(sorted((TRASH / "test" / "metal").glob("*.jpg"))[0], tmp_path / "letter.jpg")
    frames_seen(filled)
    look(page, "try-file-refused")


@pytest.mark.parametrize("name, error", [("keep-full", "QuotaExceededError"), ("keep-failed", "UnknownError")])
def test_what_cannot_be_saved(filled: Studio, name: str, error: str) -> None:
    """The browser has no room, or says something else, when a change is to be saved."""
    page = filled.page
    filled.go("Collect")
    wait_saved(filled)
    names = page.get_by_role("textbox", name="Class name")
    page.evaluate(_BREAK, error)
    with filled.complaining(*([] if name == "keep-full" else [error])):
        names.first.fill("boxes")
        names.first.press("Enter")
        expect(page.locator(".fault").filter(visible=True)).to_have_count(1)
        look(page, name)
        page.evaluate("mend()")
        page.wait_for_timeout(2000)  # as long as it leaves a store alone that refused something
        names.first.fill("cardboard")
        names.first.press("Enter")
        wait_saved(filled)
    expect(page.locator(".fault").filter(visible=True)).to_have_count(0)


NOTICES = {
    "keep-off": {"phase": "off", "why": "none"},
    "keep-elsewhere": {"elsewhere": {"id": "another", "name": None, "shownName": "Bottles and boxes", "waits": False}},
    "keep-interrupted": {"interrupted": True},
}


@pytest.mark.parametrize("name", NOTICES)
def test_notices(filled: Studio, name: str) -> None:
    """What is said about the keeping of the work where nothing failed."""
    page = filled.page
    filled.go("Collect")
    wait_saved(filled)
    page.evaluate(_SAY, NOTICES[name])
    expect(page.locator(".notice").filter(visible=True)).to_have_count(1)
    look(page, name)
    page.evaluate("unsay()")
    expect(page.locator(".notice").filter(visible=True)).to_have_count(0)


def test_faults(filled: Studio) -> None:
    """A trainer that died and lives again; and an error that nobody has words for."""
    page = filled.page
    page.evaluate("Object.assign(inside.state, { restarted: true, fault: new TypeError('what nobody thought of') }); 0")
    page.evaluate(_SAY, {})
    expect(page.get_by_role("heading", name="The trainer stopped and was started again.")).to_be_visible()
    expect(page.get_by_role("heading", name="Something went wrong here.")).to_be_visible()
    look(page, "faults")
    for _ in range(2):
        page.get_by_role("alert").get_by_role("button", name="Close").first.click()


def test_projects(filled: Studio, tmp_path: Path) -> None:
    """Several projects, a long name among them, and the questions before one is renamed or deleted."""
    page = filled.page
    page.evaluate("location.hash = 'projects'")
    page.get_by_role("button", name="New", exact=True).click()
    expect(page).to_have_title(re.compile("^Collect"))
    filled.drop(
        class_folder(tmp_path, "A rather long name of a class that goes on and on", "red", 3), class_folder(tmp_path, "blue", "blue", 2)
    )
    filled.wait_read("5 added")
    wait_saved(filled)
    page.evaluate("location.hash = 'projects'")
    expect(page.locator(".project")).to_have_count(2)
    expect(page.locator(".project img")).to_have_count(8, timeout=READ_MS)
    look(page, "projects")
    for name, label, no in (("rename", "Rename", "Leave it"), ("delete", "Delete", "Leave it")):
        page.get_by_role("button", name=re.compile(f"^{label} ")).first.click()
        look(page, f"projects-{name}")
        page.get_by_role("dialog").get_by_role("button", name=no).click()


def test_not_enough(filled: Studio) -> None:
    """One class alone: the page says why it cannot train."""
    page = filled.page
    filled.go("Collect")
    page.get_by_role("button", name=re.compile("^Remove A rather")).click()
    page.get_by_role("button", name="Remove them").click()
    expect(filled.next_words).to_contain_text("Needs a second class")
    look(page, "too-few")
    filled.go("Train")
    look(page, "train-too-few")


def test_done(first_run: FirstRun) -> None:
    """The model is taken."""
    studio = first_run.studio
    studio.go("Take")
    expect(studio.page.locator(".receipt__claim")).to_have_text("same answers as here", timeout=START_MS)
    studio.save("Save the model")
    expect(studio.page.get_by_role("heading", level=1)).to_have_text("It is yours.")
    frames_seen(studio)
    look(studio.page, "done")
    studio.page.get_by_role("button", name="Back to the files").click()
    expect(studio.page.locator(".receipt__claim")).to_be_visible()
