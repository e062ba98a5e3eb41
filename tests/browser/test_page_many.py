"""Hundreds of pictures in a drop: the page holds a window on them, lets go of what it does not show, and loses nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sitebuild import catalog, paths
from tests.browser.conftest import Visiting
from tests.browser.hosting import with_tiny_network
from tests.browser.many_pictures import class_folders
from tests.browser.studio import READ_MS, Studio
from tests.serving import serving

pytestmark = pytest.mark.browser

MOST_FRAMES = 300  # of one strip: some 240 and the first rows
MANY = 620

# Blob URLs that are alive, and every value the progress bar of a drop had.
WATCH = """
window.watched = { urls: new Set(), progress: new Set() };
const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (blob) => { const url = createObjectURL.call(URL, blob); watched.urls.add(url); return url; };
URL.revokeObjectURL = (url) => { watched.urls.delete(url); revokeObjectURL.call(URL, url); };
const note = ({ target }) => target.getAttribute("role") === "progressbar" && watched.progress.add(target.getAttribute("aria-valuenow"));
const observer = new MutationObserver((changes) => changes.forEach(note));
addEventListener("DOMContentLoaded", () => observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuenow"] }));
"""

# Every picture with its class, in their order.
PLACES = "() => [...inside.state.pictures.values()].map(({ name, classId }) => `${classId} ${name}`)"


@pytest.fixture(scope="module")
def full(browser: Browser, visiting: Visiting, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A page with one class of very many pictures and two of a hundred each, on a trainer that is fast."""
    folder = tmp_path_factory.mktemp("many")
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as server, visiting() as new:
        studio = new(browser, server)
        studio.page.add_init_script(WATCH)
        studio.open().wait_ready()
        studio.drop(*class_folders(folder, ["glass", "metal"], 100, whole=1))
        studio.wait_read("200 added")
        yield studio


def heap(page: Page) -> int:
    """Bytes of JavaScript objects, elements and buffers of the page's main thread that are still needed."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    session.detach()
    return int(usage["usedSize"] + usage["embedderHeapUsedSize"] + usage["backingStorageSize"])


def frames(studio: Studio, name: str) -> Locator:
    return studio.roll(name).get_by_role("button", name=re.compile(f"^{name}, picture"))


def press(studio: Studio, roll: str, name: str) -> None:
    studio.roll(roll).get_by_role("button", name=re.compile(name)).click()


def places(studio: Studio, name: str) -> list[int]:
    """The places of the frames that are there, as they are called."""
    return [int(re.search(r"picture (\d+):", label)[1]) for label in frames(studio, name).all_inner_texts()]


def test_pictures_cost_their_features_alone(full: Studio, tmp_path: Path) -> None:
    """Hundreds more in one drop: each is there, the bar moved, and the page keeps of each its features (48 bytes here) and a few words."""
    page = full.page
    page.evaluate("watched.progress.clear()")
    before, elements = heap(page), page.evaluate("document.getElementsByTagName('*').length")
    [folder] = class_folders(tmp_path, ["paper"], MANY, whole=1)
    size = sum(path.stat().st_size for path in folder.iterdir()) / MANY
    full.drop(folder)
    full.wait_read(f"{MANY} added")
    assert full.class_counts() == {"glass": 100, "metal": 100, "paper": MANY}
    names = page.evaluate(
        "[...inside.state.pictures.values()].filter(({ key, reading }) => key && reading === 'ready').map(({ name }) => name)"
    )
    assert {path.name for path in folder.iterdir()} <= set(names)
    assert len(names) == 200 + MANY
    assert page.evaluate("watched.progress.size") >= 3
    assert page.evaluate("document.getElementsByTagName('*').length") - elements < 300  # one class more, a line of frames
    kept = (heap(page) - before) / MANY
    assert kept < 4000 < size / 2  # a record, a File that points to the disk, a key of 64 letters; not the file


def test_strip_is_a_window(full: Studio) -> None:
    """Through all pictures of a class and back: never more frames than fit a window, each under its number, and no print is left over."""
    page = full.page
    few = page.evaluate("watched.urls.size")
    seen = set(places(full, "paper"))
    while (more := full.roll("paper").get_by_role("button", name=re.compile(r"^\d+ more"))).is_visible():
        more.click()
        focused = page.evaluate("document.activeElement.textContent")
        assert int(re.search(r"picture (\d+):", focused)[1]) == max(seen) + 1  # where it goes on
        there = places(full, "paper")
        assert there == list(range(there[0], there[0] + len(there)))
        assert len(there) <= MOST_FRAMES
        seen |= set(there)
    assert seen == set(range(1, MANY + 1))
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(frames(full, "paper").last).to_be_focused()
    press(full, "paper", r"\d+ before")
    assert places(full, "paper")[0] < MANY - MOST_FRAMES
    press(full, "paper", "Fewer")
    assert places(full, "paper") == list(range(1, len(places(full, "paper")) + 1))
    expect(frames(full, "paper").last.locator("img")).to_be_visible(timeout=READ_MS)
    assert page.evaluate("watched.urls.size") <= few + 2 * frames(full, "paper").count()


def test_taken_out_and_put_back_at_once(full: Studio) -> None:
    """Of hundreds of near-duplicates one of each is kept, and all come back: read again, each in its class and in its place."""
    before = full.page.evaluate(PLACES)
    full.page.get_by_role("button", name="Keep one of each").click(timeout=READ_MS)
    expect(full.page.get_by_role("status")).to_have_text(re.compile(r"^\d+\xa0pictures taken out\.$"))
    kept = sum(full.class_counts().values())
    assert kept < 100  # the photos that the files were made of
    assert full.page.evaluate("inside.trainer((pt) => pt.augmentation({ mirror: true })).then(({ missing }) => missing.length)") == kept
    full.page.get_by_role("article").get_by_role("button", name="Undo").click()
    full.page.wait_for_function("() => [...inside.state.pictures.values()].every(({ reading }) => reading === 'ready')", timeout=READ_MS)
    assert full.page.evaluate(PLACES) == before
    assert full.page.evaluate("inside.trainer((pt) => pt.augmentation({ mirror: true })).then(({ missing }) => missing.length)") == len(
        before
    )


def test_selection_reaches_what_is_not_shown(full: Studio) -> None:
    """Selected are all pictures of a class, shown or not; moved away and taken out they are gone from page and trainer."""
    frames(full, "metal").first.click()
    full.roll("metal").get_by_role("button", name="Select all").click()
    expect(full.roll("metal").get_by_text("Move 100 selected to")).to_be_visible()
    full.roll("metal").get_by_role("combobox").select_option("glass")
    full.roll("metal").get_by_role("button", name="Move", exact=True).click()
    expect(frames(full, "metal")).to_have_count(0)
    assert full.class_counts() == {"glass": 200, "metal": 0, "paper": MANY}


def test_cancelled_at_once(full: Studio, tmp_path: Path) -> None:
    """A drop is cancelled while it is read: what was added stays, the account is complete, and no file of the rest is held."""
    folders = class_folders(tmp_path, ["metal"], 800, first=5000)
    full.drop(*folders)
    full.page.get_by_role("button", name="Cancel the rest").click(timeout=READ_MS)
    full.wait_read("cancelled")
    said = full.report.locator("summary").inner_text()
    added, cancelled = (int(number.replace(",", "")) for number in re.search(r"([\d,]+) added, ([\d,]+) cancelled", said).groups())
    assert added + cancelled == 800
    assert full.class_counts()["metal"] == added
    assert full.page.evaluate("inside.state.pictures.size") == 200 + MANY + added
    assert full.page.evaluate("inside.state.drops[0].open.size") == 0


def test_many_that_are_no_pictures(full: Studio, tmp_path: Path) -> None:
    """Hundreds of refused files are listed some at a time, and each is named in the end."""
    for number in range(450):
        (tmp_path / f"letter-{number}.jpg").write_bytes(b"Dear Sir or Madam %d" % number)
    full.drop(*sorted(tmp_path.iterdir()))
    full.wait_read("450 skipped")
    rows = full.report.locator(".is-skipped")
    assert rows.count() < 50
    full.report.get_by_role("button", name="Show 200 more").click()
    expect(rows).to_have_count(212)
    full.report.get_by_role("button", name="Show 200 more").click()
    full.report.get_by_role("button", name="Show all 450").click()
    expect(rows).to_have_count(450)


def test_tried_pictures_show_some_at_a_time(full: Studio, tmp_path: Path) -> None:
    """Of 130 tried pictures all are answered and 60 shown; each click shows up to 60 more and goes on at the first of them."""
    [folder] = class_folders(tmp_path, ["glass"], 130, first=5000)
    full.go("Train")
    full.next.click()
    full.wait_trained()
    full.go("Try")
    full.try_files(*folder.iterdir())
    assert all(one["answers"] for one in full.tried())
    shown = full.page.locator("ul.tried > li")
    expect(shown).to_have_count(60)
    full.page.get_by_role("button", name="Show 60 more").click()
    expect(shown).to_have_count(120)
    expect(shown.nth(60).get_by_role("button")).to_be_focused()
    full.page.get_by_role("button", name="Show 10 more").click()
    expect(shown).to_have_count(130)
    expect(full.page.get_by_role("button", name=re.compile(r"^Show \d+ more"))).to_be_hidden()
