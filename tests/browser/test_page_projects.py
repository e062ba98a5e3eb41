"""Several projects in one browser, several tabs, a store that is full, newer or not there."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.keeping import crash, held, plain_page, wait_saved
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Studio

pytestmark = pytest.mark.browser

# How many records each store of the page's database has.
COUNTS = """async () => {
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open("pagetrain");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = reject;
  });
  const counts = {};
  for (const name of database.objectStoreNames) {
    const asked = database.transaction(name).objectStore(name).count();
    counts[name] = await new Promise((resolve) => { asked.onsuccess = () => resolve(asked.result); });
  }
  database.close();
  return counts;
}"""


def noise(folder: Path, count: int, side: int = 256) -> Path:
    """A class folder of pictures that nothing makes smaller: some 200 KB each."""
    folder.mkdir(parents=True)
    for seed in range(count):
        pixels = np.random.default_rng([seed, *folder.name.encode()]).integers(0, 256, (side, side, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"noise-{folder.name}-{seed}.png")
    return folder


def open_projects(page: Page) -> None:
    page.locator(".bar__project").click()
    expect(page.get_by_role("heading", level=1, name="Projects")).to_be_visible()


def project(page: Page, name: str) -> Locator:
    return page.locator(".project").filter(has=page.get_by_role("heading", name=name, exact=True))


def trained(visit: Callable[[], Studio], folder: Path) -> Studio:
    """A page that learnt two classes of five pictures each, all of it saved."""
    studio = visit().wait_ready()
    studio.drop(class_folder(folder, "red", "red", 5), class_folder(folder, "blue", "blue", 5))
    studio.wait_read("10 added")
    studio.train()
    wait_saved(studio)
    return studio


def test_left_while_it_reads(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Left for a new one while its pictures are read, again and again: nothing stands in the way of that, and each is kept whole."""
    page = (studio := visit().wait_ready()).page
    for n in range(4):
        studio.drop(class_folder(tmp_path / str(n), f"red {n}", "red", 60, 100 * n))
        page.wait_for_function("() => [...inside.state.pictures.values()].filter(({ reading }) => reading === 'ready').length > 3")
        open_projects(page)
        page.get_by_role("button", name="New", exact=True).click()
        expect(page).to_have_title(re.compile("^Collect "))
        expect(studio.rolls).to_have_count(2)  # those that are offered
    open_projects(page)
    for n in range(4):
        expect(project(page, f"red {n}")).to_contain_text("60\u00a0pictures")


def test_projects_are_begun_named_opened_and_deleted(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Each with its own classes and pictures, whatever these are called; deleted, nothing of it is in the store."""
    studio = trained(visit, tmp_path)
    page = studio.page
    expect(page.locator(".bar__name")).to_have_text("blue and red")
    open_projects(page)
    expect(project(page, "blue and red")).to_contain_text("2 classes, 10 pictures, 10 of 10 right")
    page.get_by_role("button", name="New").click()
    expect(page).to_have_title(re.compile("^Collect"))
    assert studio.class_counts() == {"Class 1": 0, "Class 2": 0}
    studio.drop(class_folder(tmp_path / "other", "red", "green", 3))  # a class of the same name
    studio.wait_read("3 added")
    wait_saved(studio)
    assert page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)") == 3
    open_projects(page)
    project(page, "red").get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name of the project").fill("Green things")
    page.get_by_role("button", name="Call it so").click()
    expect(project(page, "Green things")).to_contain_text("1 class, 3 pictures, not trained yet")
    project(page, "blue and red").get_by_role("button", name="Open").click()
    expect(page).to_have_title(re.compile("^Collect"))
    assert studio.class_counts() == {"red": 5, "blue": 5}
    assert page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)") == 10
    studio.go("Look")
    expect(page.get_by_role("heading", level=1)).to_contain_text("10 of 10 right")
    open_projects(page)
    project(page, "Green things").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(project(page, "Green things")).to_be_hidden()
    expect(page.locator(".note", has_text="Green things is deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="blue and red")).to_be_focused()
    assert page.evaluate(COUNTS) == {"projects": 1, "pictures": 10, "files": 10, "features": 10, "learnt": 1}
    project(page, "blue and red").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("Nothing is kept here yet")).to_be_visible()
    expect(page.get_by_role("heading", level=1, name="Projects")).to_be_focused()
    assert set(page.evaluate(COUNTS).values()) == {0}
    studio.go("Collect")
    assert studio.class_counts() == {"Class 1": 0, "Class 2": 0}


def test_what_is_dropped_while_a_project_opens_comes_to_that_one(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """The trainer is busy just then, so that opening takes its time."""
    studio = visit().wait_ready()
    page = studio.page
    studio.drop(class_folder(tmp_path, "red", "red", 3))
    studio.wait_read("3 added")
    wait_saved(studio, 3)
    open_projects(page)
    page.get_by_role("button", name="New").click()
    studio.drop(class_folder(tmp_path, "green", "green", 2))
    studio.wait_read("2 added")
    wait_saved(studio, 2)
    open_projects(page)
    page.evaluate("() => { inside.trainer(() => new Promise((resolve) => { window.letGo = resolve; })); }")
    page.wait_for_function("() => window.letGo")
    project(page, "red").get_by_role("button", name="Open").click()
    page.wait_for_function("() => inside.state.pictures.size === 0")
    studio.drop(class_folder(tmp_path, "blue", "blue", 2))
    page.wait_for_function("() => inside.state.listings.size === 1")
    page.evaluate("letGo()")
    studio.wait_read("2 added")
    assert studio.class_counts() == {"red": 3, "blue": 2}
    wait_saved(studio, 5)
    assert page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)") == 5
    page.close()
    assert visit().class_counts() == {"red": 3, "blue": 2}


def saved_times(page: Page) -> list[tuple[str, float]]:
    """Of the projects in the store."""
    script = """() => new Promise((resolve) => {
      const opening = indexedDB.open("pagetrain");
      opening.onsuccess = () => {
        const asked = opening.result.transaction("projects").objectStore("projects").getAll();
        asked.onsuccess = () => { opening.result.close(); resolve(asked.result.map(({ id, savedAt }) => [id, savedAt])); };
      };
    })"""
    return sorted((str(name), float(at)) for name, at in page.evaluate(script))


def taken(studio: Studio, pictures: int) -> str:
    """The hash of the model that Take offers, after it was asked about so many pictures."""
    studio.go("Take")
    studio.page.wait_for_function("() => inside.state.take.check?.phase === 'same'", timeout=READ_MS)
    assert studio.page.evaluate("inside.state.take.check.outcome.pictures") == pictures
    return str(studio.page.evaluate("inside.state.take.check.outcome.sha256"))


def test_each_project_has_its_own_model_to_take(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Though two projects have the same class names, and both were put back: the file of one is not offered in the other."""
    studio = trained(visit, tmp_path)
    page = studio.page
    open_projects(page)
    page.get_by_role("button", name="New").click()
    studio.drop(class_folder(tmp_path / "more", "red", "red", 3), class_folder(tmp_path / "more", "blue", "blue", 3))
    studio.wait_read("6 added")
    studio.train()
    wait_saved(studio)
    studio.open().wait_ready(offline=False)
    small = taken(studio, 6)
    open_projects(page)
    project(page, "blue and red").filter(has_text="10 pictures").get_by_role("button", name="Open").click()
    expect(page).to_have_title(re.compile("^Collect"))
    assert taken(studio, 10) != small


def test_save_to_disk(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """The project in whose row the button is, whole, whichever is open; it is open then, and the row says when it was saved, also later."""
    studio = trained(visit, tmp_path)
    page = studio.page
    open_projects(page)
    page.get_by_role("button", name="New", exact=True).click()
    studio.drop(class_folder(tmp_path / "more", "cups", "red", 3), class_folder(tmp_path / "more", "pots", "blue", 2))
    studio.wait_read("5 added")
    wait_saved(studio)
    open_projects(page)
    for name, pictures, is_learnt in (("blue and red", 10, True), ("cups and pots", 5, False)):
        row = project(page, name)
        expect(row).to_contain_text("never")
        button = row.get_by_role("button", name=f"Save to disk {name}")
        with page.expect_download() as download:
            button.press("Enter")
        assert download.value.suggested_filename == f"{name.replace(' ', '-')}.pagetrain"
        download.value.save_as(tmp_path / "project.zip")
        with zipfile.ZipFile(tmp_path / "project.zip") as archive:
            assert len(json.loads(archive.read("project.json"))["pictures"]) == pictures
            assert len([one for one in archive.namelist() if one.startswith("photos/")]) == pictures
            assert ("checkpoint" in archive.namelist()) is is_learnt
        expect(row).not_to_contain_text("never")
        expect(row).to_contain_text("is in your downloads")
        expect(row.get_by_role("button", name="Open now")).to_be_visible()
        expect(button).to_be_focused()
    studio.open()
    open_projects(page)
    expect(page.locator(".project")).to_have_count(2)
    expect(page.locator(".project").filter(has_text="never")).to_have_count(0)


def test_opening_saves_nothing(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """A project that is opened and left is not saved anew."""
    studio = trained(visit, tmp_path)
    page = studio.page
    open_projects(page)
    page.get_by_role("button", name="New").click()
    studio.drop(class_folder(tmp_path / "other", "green", "green", 3))
    studio.wait_read("3 added")
    wait_saved(studio)
    before = saved_times(page)
    for name in ("blue and red", "green"):
        open_projects(page)
        expect(project(page, name)).to_contain_text("just now")
        project(page, name).get_by_role("button", name="Open").click()
        expect(page).to_have_title(re.compile("^Collect"))
        page.evaluate("inside.trainer((pt) => pt.contents.pictures.length)")
        page.wait_for_timeout(1000)  # to be written, if anything were
        wait_saved(studio)
    assert saved_times(page) == before


def test_the_answer_to_the_promise_stands_there(context: BrowserContext, visit: Callable[[], Studio], tmp_path: Path) -> None:
    """The browser that does not promise is said to where the button was, and the focus goes there."""
    context.add_init_script("StorageManager.prototype.persist = StorageManager.prototype.persisted = async () => false")
    studio = visit()
    studio.drop(class_folder(tmp_path, "red", "red", 2))
    wait_saved(studio, 2)
    open_projects(studio.page)
    studio.page.get_by_role("button", name="Ask for that promise").click()
    answer = studio.page.locator(".promise").get_by_text("The browser did not promise it.")
    expect(answer).to_be_visible()
    expect(answer).to_be_focused()
    expect(studio.page.get_by_role("button", name="Ask for that promise")).to_be_hidden()


def test_what_is_deleted_gives_its_room_back(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """The browser itself says that the bytes of the pictures are gone."""
    studio = visit()
    page = studio.page
    usage = "async () => (await navigator.storage.estimate()).usageDetails?.indexedDB ?? 0"
    studio.drop(noise(tmp_path / "noise", 20))
    wait_saved(studio, 20)
    full = page.evaluate(usage)
    assert full > 3_000_000  # 20 pictures of about 200 KB
    open_projects(page)
    project(page, "noise").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("Nothing is kept here yet")).to_be_visible()
    page.wait_for_function(f"async () => (await ({usage})()) < 1_000_000", timeout=20_000)


def test_one_project_is_open_in_one_tab(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """The second tab says so and begins a new one; it opens the first once that is closed, and cannot delete it before."""
    first = visit()
    first.drop(class_folder(tmp_path, "red", "red", 3))
    wait_saved(first, 3)
    second = visit()
    notice = second.page.get_by_role("status").filter(has_text="red is open in another tab")
    expect(notice).to_contain_text("So this tab begins with another one, which is empty.")
    assert second.class_counts() == {"Class 1": 0, "Class 2": 0}
    open_projects(second.page)
    project(second.page, "red").get_by_role("button", name="Open").click()
    expect(second.page.get_by_role("alert")).to_contain_text("Close it there first")
    project(second.page, "red").get_by_role("button", name="Delete").click()
    second.page.get_by_role("button", name="Delete it").click()
    expect(second.page.get_by_role("alert")).to_contain_text("Close it there first")
    notice.get_by_role("button", name="Open it here").click()
    expect(notice).to_contain_text("as soon as it is closed there")
    first.drop(class_folder(tmp_path, "blue", "blue", 2))
    wait_saved(first, 5)
    first.page.close()
    expect(notice).to_be_hidden()
    second.go("Collect")
    assert second.class_counts() == {"red": 3, "blue": 2}


def test_a_full_store_is_said_and_nothing_is_lost_while_the_page_is_open(
    visit: Callable[[], Studio], tmp_path: Path, quick_server: SimpleNamespace
) -> None:
    """What fitted is whole; what did not is only in memory and says so; training goes on; with room again it is saved by itself."""
    studio = visit()
    page = studio.page
    session = page.context.new_cdp_session(page)
    quota = {"origin": quick_server.url.rstrip("/")}
    session.send("Storage.overrideQuotaForOrigin", {**quota, "quotaSize": 12_000_000})
    studio.drop(noise(tmp_path / "old", 3))
    wait_saved(studio, 3)
    open_projects(page)
    page.get_by_role("button", name="New").click()
    expect(page).to_have_title(re.compile("^Collect"))
    studio.drop(noise(tmp_path / "first", 40), noise(tmp_path / "second", 40))
    fault = page.get_by_role("heading", name="This browser has no room left.")
    expect(fault).to_be_visible(timeout=20_000)
    expect(page.locator(".bar__saved")).to_have_text(re.compile(r"^Not saved since \d\d:\d\d"))
    expect(page.get_by_text("only in memory")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile(r"Make room: 2 projects"))).to_be_visible()
    studio.wait_ready()
    studio.wait_read("80 added")
    studio.train()
    kept = page.evaluate(COUNTS)
    assert 3 < kept["files"] < 83  # 80 are 16 MB
    assert kept["pictures"] == kept["files"]
    session.send("Storage.overrideQuotaForOrigin", quota)
    open_projects(page)
    project(page, "old").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    studio.go("Collect")
    wait_saved(studio)
    expect(fault).to_be_hidden()
    page.close()
    again = visit()
    found = held(again)
    assert (len(found["pictures"]), found["right"] is not None) == (80, True)


def test_what_was_saved_before_the_store_was_full_is_whole_after_a_crash(
    visit: Callable[[], Studio], tmp_path: Path, quick_server: SimpleNamespace
) -> None:
    """The tab ends while the store is full: what had fitted is there, each file whole."""
    studio = visit()
    session = studio.page.context.new_cdp_session(studio.page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": quick_server.url.rstrip("/"), "quotaSize": 10_000_000})
    studio.drop(noise(tmp_path / "all", 80))
    expect(studio.page.get_by_role("heading", name="This browser has no room left.")).to_be_visible(timeout=20_000)
    kept = studio.page.evaluate(COUNTS)["files"]
    crash(studio.page)
    studio.complaints.clear()
    found = held(visit())["pictures"]
    assert 0 < len(found) == kept < 80
    assert all((tmp_path / "all" / name).exists() for name, *_ in found)


@pytest.mark.parametrize(
    "script, said",
    [
        ("Object.defineProperty(window, 'indexedDB', { value: undefined });", "as in a private window"),
        (
            "indexedDB.open = () => { throw new DOMException('not here', 'SecurityError'); }; indexedDB.databases = undefined;",
            "as in a private window",
        ),
        ("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });", "plain http from another machine"),
    ],
    ids=["no database", "refused", "no locks"],
)
def test_a_browser_that_keeps_nothing(context: BrowserContext, visit: Callable[[], Studio], tmp_path: Path, script: str, said: str) -> None:
    """It is said once there is something to lose, and once; everything else works."""
    context.add_init_script(script)
    studio = visit().wait_ready()
    page = studio.page
    notice = page.get_by_role("status").filter(has_text="Your work is not kept in this browser.")
    expect(notice).to_be_hidden()
    expect(page.locator(".bar__project")).to_be_hidden()
    studio.drop(class_folder(tmp_path, "red", "red", 5), class_folder(tmp_path, "blue", "blue", 5))
    studio.wait_read("10 added")
    expect(notice).to_contain_text(said)
    expect(page.locator(".bar__saved")).to_have_text("Not kept here")
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_be_hidden()
    studio.train()
    expect(notice).to_be_hidden()


def test_a_store_of_a_newer_page_is_left_alone(
    context: BrowserContext, visit: Callable[[], Studio], quick_server: SimpleNamespace, tmp_path: Path
) -> None:
    """The page says that a newer one was here, works, and writes nothing."""
    page = plain_page(context, quick_server.url)
    version = """() => new Promise((resolve) => {
      const opening = indexedDB.open("pagetrain", 99);
      opening.onsuccess = () => { opening.result.close(); resolve(); };
    })"""
    page.evaluate(version)
    page.close()
    studio = visit()
    studio.drop(class_folder(tmp_path, "red", "red", 2))
    expect(studio.page.get_by_role("status").filter(has_text="a newer version of this page")).to_be_visible()
    assert studio.page.evaluate("async () => (await indexedDB.databases()).map(({ version }) => version)") == [99]
