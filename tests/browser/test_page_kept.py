"""What a person did is kept in the browser as it comes, and is there again after whatever ended the page."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, BrowserType, expect

from tests.browser.hosting import STRIKE, python_worker
from tests.browser.keeping import RECORD, SAVED, Chromium, Diary, crash, held, plain_page, sha256_of, wait_saved
from tests.browser.pictures import class_folder
from tests.browser.studio import START_MS, Studio

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(visit: Callable[[], Studio]) -> Callable[[], Studio]:
    """As elsewhere, and it is noted what each page says is saved."""

    def new() -> Studio:
        studio = visit()
        studio.page.evaluate(RECORD)
        return studio

    return new


def test_the_work_is_there_again(visit: Callable[[], Studio], quick_server: SimpleNamespace, tmp_path: Path) -> None:
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
    found = held(again)["pictures"]
    assert {name: digest for name, _, digest, _ in found} == sha256_of(tmp_path)
    assert {reading for *_, reading in found} == {"ready"}
    again.go("Collect")
    again.drop(class_folder(tmp_path / "more", "red", "red", 2, 50))
    again.wait_read("2 added")
    again.train()
    expect(again.page.get_by_role("heading", level=1)).to_contain_text("14")


def test_what_is_dropped_before_the_work_is_there_again_comes_to_it(
    context: BrowserContext, visit: Callable[[], Studio], quick_server: SimpleNamespace, tmp_path: Path
) -> None:
    """A folder, as soon as the script runs and while the store does not answer yet: nothing of either is lost."""
    first = visit()
    first.drop(class_folder(tmp_path, "red", "red", 3))
    wait_saved(first, 3)
    first.page.close()
    again = Studio(context, quick_server)
    again.page.add_init_script(
        """const databases = indexedDB.databases.bind(indexedDB);
           indexedDB.databases = () => new Promise((resolve) => { window.answer = () => resolve(databases()); });"""
    )
    again.page.goto(quick_server.url, wait_until="commit")
    again.page.wait_for_function("() => window.answer")
    again.drop(class_folder(tmp_path, "blue", "blue", 2))
    again.page.wait_for_timeout(300)  # the folder is gone through long before
    assert again.page.locator(".rolls").count() == 0
    again.page.evaluate("answer()")
    wait_saved(again, 5)
    again.page.close()
    assert again.complaints == []
    assert visit().class_counts() == {"red": 3, "blue": 2}


# What a script of this origin may do to the records of a store: `change(value)` for each.
_EDIT = """async ([store, change]) => {
  const database = await new Promise((resolve) => {
    const opening = indexedDB.open("pagetrain");
    opening.onsuccess = () => resolve(opening.result);
  });
  const transaction = database.transaction(store, "readwrite");
  const cursor = transaction.objectStore(store).openCursor();
  cursor.onsuccess = () => {
    if (!cursor.result) return;
    const value = cursor.result.value;
    new Function("value", change)(value);
    cursor.result.update(value);
    cursor.result.continue();
  };
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  database.close();
}"""


@pytest.mark.parametrize(
    "store, change, trained",
    [
        ("projects", "value.model.base.fingerprint = 'sha256:another'", False),  # the site has another base model now
        ("features", "value.by = 'something else'", True),
        ("features", "value.features = value.features.slice(1)", True),  # nothing of them can be given
        ("learnt", "value.head = value.head.slice(0, 50)", False),
    ],
    ids=["another base model", "features of another", "features in pieces", "a head in pieces"],
)
def test_what_does_not_fit_any_more_is_made_again(
    visit: Callable[[], Studio],
    context: BrowserContext,
    quick_server: SimpleNamespace,
    tmp_path: Path,
    store: str,
    change: str,
    trained: bool,
) -> None:
    """Pictures are read again from their files; what was learnt goes only where it cannot be used."""
    first = visit().wait_ready()
    first.drop(class_folder(tmp_path, "red", "red", 5), class_folder(tmp_path, "blue", "blue", 5))
    first.wait_read("10 added")
    first.train()
    wait_saved(first)
    first.page.close()
    plain = plain_page(context, quick_server.url)
    plain.evaluate(_EDIT, [store, change])
    plain.close()
    again = visit().wait_ready()
    again.page.wait_for_function("async () => (await inside.trainer((pt) => pt.contents.pictures.length)) === 10", timeout=START_MS)
    again.page.wait_for_function("() => [...inside.state.pictures.values()].every(({ reading }) => reading === 'ready')")
    assert (held(again)["right"] is not None) == trained
    again.page.evaluate("inside.state.training.result && (inside.state.edition += 1)")
    again.train()
    wait_saved(again)


def test_a_picture_whose_file_cannot_be_read_is_told_and_the_others_are_saved(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """It is only in memory, which the page says until it is taken out."""
    studio = visit()
    studio.drop(class_folder(tmp_path, "red", "red", 3))
    wait_saved(studio, 3)
    with studio.complaining("gone with its disk"):
        studio.page.evaluate(
            """() => {
              const [first] = inside.state.pictures.values();
              const open = () => Promise.reject(new Error("gone with its disk"));
              inside.state.pictures.set(9000, { ...first, id: 9000, file: { name: "lost.png", size: 9, type: "", open } });
            }"""
        )
        studio.drop(class_folder(tmp_path, "blue", "blue", 2))
        expect(studio.page.get_by_role("heading", name="1 picture could not be saved.")).to_be_visible()
    studio.page.evaluate("inside.state.pictures.delete(9000)")
    studio.drop(class_folder(tmp_path, "green", "green", 1))
    wait_saved(studio, 6)
    studio.page.close()
    assert visit().class_counts() == {"red": 3, "blue": 2, "green": 1}


def test_killed_tabs_lose_nothing_that_was_said_to_be_saved(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Twenty-five times: pictures are added while Python still loads, and the tab crashes at some moment."""
    choose = random.Random(7)
    diary = Diary()
    for turn in range(25):
        studio = visit()
        diary.check(studio, turn)
        colour = "red" if turn % 2 else "blue"
        diary.drop(studio, class_folder(tmp_path / str(turn), colour, colour, choose.randint(1, 12), 100 * turn))
        diary.watch(studio, choose.random() * 0.5)
        crash(studio.page)
        studio.complaints.clear()
    assert len(diary.said["pictures"]) > 20  # some of it was saved: else nothing was tested


def test_tabs_killed_while_reading_and_training(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Eight times: pictures are read, it trains, the tab crashes at some moment. What was said is there."""
    choose = random.Random(8)
    diary = Diary()
    interrupted = 0
    for turn in range(8):
        studio = visit().wait_ready(offline=False)
        diary.check(studio, turn)
        diary.drop(studio, class_folder(tmp_path / f"{turn}r", "red", "red", 3, 100 * turn))
        diary.drop(studio, class_folder(tmp_path / f"{turn}b", "blue", "blue", 3, 100 * turn))
        notice = studio.page.get_by_text("was training")
        interrupted += notice.is_visible()
        if turn % 2 == 0:
            diary.watch(studio, choose.random() * 0.3)
        else:
            expect(studio.next).to_be_enabled(timeout=START_MS)
            studio.page.evaluate("inside.state.training.settings = { epochs: 3000, folds: 2 }")
            studio.wait_read("3 added")
            studio.next.click()
            diary.watch(studio, choose.random())
        crash(studio.page)
        studio.complaints.clear()
    assert interrupted > 0


def test_a_training_that_was_cut_off_is_begun_again_in_one_click(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """With the same settings; what was learnt before it is kept. The offer goes when it is taken or closed."""
    studio = visit().wait_ready(offline=False)
    studio.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    studio.wait_read("12 added")
    studio.train()
    wait_saved(studio)
    studio.page.evaluate("inside.state.training.settings = { epochs: 4000, folds: 2, learningRate: 0.002 }")
    studio.go("Collect")
    studio.drop(class_folder(tmp_path / "more", "red", "red", 1, 50))
    studio.wait_read("1 added")
    studio.next.click()
    studio.page.wait_for_function("() => inside.state.training.phase === 'running' && inside.state.keeping.phase === 'saved'")
    wait_saved(studio)
    crash(studio.page)
    studio.complaints.clear()
    again = visit()
    offer = again.page.get_by_role("status").filter(has_text="The page closed while blue and red was training")
    expect(offer).to_contain_text("What it had learnt before is kept")
    assert held(again)["right"] is not None
    again.wait_ready(offline=False)
    offer.get_by_role("button", name="Train again").click()
    expect(again.page).to_have_title(re.compile("^Train"))
    again.page.wait_for_function("() => inside.state.training.progress?.epochs === 4000", timeout=START_MS)
    expect(again.page.get_by_text("The page closed while")).to_be_hidden()
    again.page.get_by_role("button", name=re.compile("^Stop")).click()
    again.wait_trained()
    wait_saved(again)
    again.page.close()
    last = visit()
    expect(last.page.locator(".bar__saved")).to_have_text(SAVED)
    expect(last.page.get_by_text("The page closed while")).to_be_hidden()


def test_killed_workers_cost_nothing(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Fourteen times, at some moment of adding, training or saving: another worker goes on, and all is saved in the end."""
    choose = random.Random(9)
    diary = Diary()
    studio = visit().wait_ready()
    for turn in range(14):
        colour = "red" if turn % 2 else "blue"
        diary.drop(studio, class_folder(tmp_path / str(turn), colour, colour, 4, 100 * turn))
        if turn % 3 == 2:
            studio.wait_read("4 added")
            studio.page.evaluate("inside.state.training.settings = { epochs: 200, folds: 2 }")
            expect(studio.next).to_be_enabled(timeout=START_MS)
            studio.next.click()
        diary.watch(studio, choose.random() * 0.3)
        studio.page.wait_for_function("() => trainerState() === 'ready'", timeout=START_MS)
        python_worker(studio.page).evaluate(STRIKE)
        if turn % 3 == 2:
            studio.wait_trained()
            studio.go("Collect")
    studio.page.wait_for_function("() => [...inside.state.pictures.values()].every(({ reading }) => reading === 'ready')", timeout=START_MS)
    wait_saved(studio)
    diary.watch(studio, 0)
    assert len(diary.said["pictures"]) == 14 * 4
    studio.page.close()
    again = visit()
    diary.check(again, "at the end")
    assert {reading for *_, reading in held(again)["pictures"]} == {"ready"}


def test_a_killed_browser_loses_nothing_that_was_said_to_be_saved(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], quick_server: SimpleNamespace, tmp_path: Path
) -> None:
    """Six times the whole browser is killed while pictures are added; the next one has them."""
    command = [browser_type_launch_args.get("executable_path") or browser_type.executable_path, *browser_type_launch_args["args"]]
    profile = tmp_path / "profile"
    profile.mkdir()
    choose = random.Random(10)
    diary = Diary()
    for turn in range(6):
        process = Chromium(command, profile)
        browser = browser_type.connect_over_cdp(process.address)
        try:
            studio = Studio(browser.contexts[0], quick_server).open()
            studio.page.evaluate(RECORD)
            diary.check(studio, turn)
            colour = "red" if turn % 2 else "blue"
            before = len(held(studio)["pictures"])
            count = choose.randint(4, 12)
            diary.drop(studio, class_folder(tmp_path / str(turn), colour, colour, count, 100 * turn))
            if turn == 4:
                wait_saved(studio, before + count)
            diary.watch(studio, choose.random() * 0.5)
        finally:
            process.kill()
            browser.close()
    assert len(diary.said["pictures"]) > 4
