"""What a person, or bad luck, does at the wrong moment: nothing is lost, nothing is done twice."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import TRASH
from tests.browser.hosting import STRIKE, python_worker
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Opener, Studio

pytestmark = pytest.mark.browser


# Entries of drops through which the page sees a slow disk, or one that refuses what is called "shut".
DISK = """() => {
  const real = DataTransferItem.prototype.webkitGetAsEntry;
  const wrap = (entry) => ({
    name: entry.name, isFile: entry.isFile, isDirectory: entry.isDirectory,
    file: (got, failed) => entry.file(got, failed),
    createReader() {
      const reader = entry.createReader();
      const read = (got, failed) => reader.readEntries((inner) => got(inner.map(wrap)), failed);
      const isShut = entry.name === "shut";
      return { readEntries: (got, failed) => (isShut ? failed(new Error("shut")) : window.disk.then(() => read(got, failed))) };
    },
  });
  DataTransferItem.prototype.webkitGetAsEntry = function () { return wrap(real.call(this)); };
  window.disk = new Promise((resolve) => { window.diskTurns = resolve; });
}"""

# Drops a picture that is there already onto its own class, and takes the copy out at the moment it is read.
TAKE_OUT_WHILE_READ = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const [{ takeIn }, { drop }] = [modules["page/intake.js"], modules["page/pictures.js"]];
  const { pictures } = inside.state;
  const [first] = pictures.values();
  takeIn({ found: [{ file: first.file, path: [] }], leftOut: 0 }, first.classId);
  const copy = [...pictures.values()].at(-1);
  await new Promise((resolve) => {
    let reading = copy.reading;
    const set = (now) => { reading = now; if (now === "reading") setTimeout(resolve); };
    Object.defineProperty(copy, "reading", { get: () => reading, set });
  });
  drop([copy]);
}"""

# Takes a picture out, back, and while it is read anew out and back once more: `back` "before" it is read to its end or "after".
OUT_AND_BACK = """async (back) => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const [{ putBack }, { drop }] = [modules["page/intake.js"], modules["page/pictures.js"]];
  const [picture] = inside.state.pictures.values();
  const places = [{ picture, classId: picture.classId }];
  drop([picture]);
  putBack(places);
  let reading = picture.reading;
  await new Promise((resolve) => {
    const set = (now) => {
      reading = now;
      if (now === "reading") setTimeout(() => { drop([picture]); if (back === "before") { putBack(places); resolve(); } });
      else if (now === "ready" && back === "after") queueMicrotask(() => { putBack(places); resolve(); });
    };
    Object.defineProperty(picture, "reading", { get: () => reading, set, configurable: true });
  });
  Object.defineProperty(picture, "reading", { value: reading, writable: true });
}"""
# What the page and what the trainer holds, as class and key of each picture.
HELD = """async () => {
  const { classes, pictures } = inside.state;
  const nameOf = new Map(classes.map(({ id, name }) => [id, name]));
  const shown = [...pictures.values()].map(({ classId, key }) => `${nameOf.get(classId)} ${key}`).sort();
  return [shown, await inside.trainer((pt) => pt.contents.pictures.map(({ label, key }) => `${label} ${key}`).sort())];
}"""


def test_train_is_pressed_twice(two: Studio) -> None:
    """Two clicks before the button is gone are one training."""
    two.next.evaluate("(button) => { button.click(); button.click(); }")
    two.wait_trained()
    progress = two.page.evaluate("inside.state.training.progress")
    assert two.page.evaluate("inside.state.training.curves.length") == progress["epochs"]


def test_copy_is_taken_out_while_it_is_read(two: Studio) -> None:
    """The picture that was there before stays with the trainer, too."""
    two.page.evaluate(TAKE_OUT_WHILE_READ)
    two.wait_read()
    assert two.class_counts() == {"red": 6, "blue": 6}
    two.train()
    progress = two.page.evaluate("inside.state.training.progress")
    assert progress["trainCount"] == 12  # and each was tested on in its turn


def test_two_clicks_at_once_in_look(quick: Studio, tmp_path: Path) -> None:
    """The second click finds done what it asks for: a picture goes out once, and comes back once."""
    quick.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    quick.wait_read("12 added")
    quick.train()
    quick.next.click()
    quick.page.get_by_role("button", name=re.compile("red, right$")).click()
    twice = "(button) => { button.click(); button.click(); }"
    quick.page.get_by_role("button", name=re.compile("^Take out: red")).first.evaluate(twice)
    quick.wait_learnt()
    assert quick.page.evaluate("inside.state.look.changes.length") == 1
    quick.page.get_by_role("button", name="Undo").first.evaluate(twice)
    quick.wait_learnt()
    shown, held = quick.page.evaluate(HELD)
    assert len(shown) == 12
    assert held == shown
    assert quick.page.evaluate("inside.state.fault") is None


@pytest.mark.parametrize("back", ["before", "after"])
def test_out_and_back_again_while_it_is_read(two: Studio, back: str) -> None:
    """Two takings out and two undoings in quick turns: page and trainer both have the picture, in its class."""
    two.page.evaluate(OUT_AND_BACK, back)
    two.page.wait_for_function("() => [...inside.state.pictures.values()].every(({ reading }) => reading === 'ready')", timeout=READ_MS)
    shown, held = two.page.evaluate(HELD)
    assert len(shown) == 12
    assert held == shown


def test_class_goes_while_the_disk_is_slow(two: Studio, tmp_path: Path) -> None:
    """A folder dropped on a class that is removed before all was listed: its pictures are not lost. A folder that stays shut is named."""
    two.page.evaluate(DISK)
    folder = class_folder(tmp_path, "green", "green", 3)
    (folder / "shut").mkdir()
    two.page.get_by_role("button", name="Add a class").click()
    two.drop(folder, onto=two.roll("Class 3"))
    two.page.get_by_role("button", name="Remove Class 3").click()
    two.page.evaluate("diskTurns()")
    two.wait_read("3 added", "1 skipped")
    assert two.skipped() == {"shut": "This folder could not be opened, so its files were left out."}
    assert two.class_counts() == {"red": 6, "blue": 6, "green": 3}


def test_files_after_a_drag_without_an_end(two: Studio) -> None:
    """Of a frame that vanishes while it is dragged no end is heard; files that are dropped next are taken in."""
    start = "new DragEvent('dragstart', { bubbles: true, dataTransfer: new DataTransfer() })"
    two.page.evaluate(f"() => {{ document.querySelector('.frame').dispatchEvent({start}); }}")
    two.drop(TRASH / "test/glass")
    two.wait_read("10 added")
    assert two.class_counts() == {"red": 6, "blue": 6, "glass": 10}


def test_what_has_the_focus_goes(two: Studio) -> None:
    """A report, or a notice, that is closed by keyboard takes the focus with it: it goes to the heading, from where Tab goes on."""
    heading = two.page.get_by_role("heading", level=1)
    two.report.locator("summary").press("Enter")
    two.report.get_by_role("button", name="Close this report").press("Enter")
    expect(heading).to_be_focused()
    python_worker(two.page).evaluate(STRIKE)
    notice = two.page.get_by_role("alert").filter(has_text="The trainer stopped and was started again.")
    notice.get_by_role("button", name="Close").press("Enter")
    expect(notice).to_be_hidden()
    expect(heading).to_be_focused()


def test_copy_where_there_is_no_clipboard(two: Studio) -> None:
    """By plain http from another machine: the code is copied all the same."""
    two.train()
    two.go("Take")
    two.page.evaluate("() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); window.copied = ''; }")
    two.page.evaluate("() => document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    two.page.get_by_role("button", name="Copy").last.click()
    expect(two.page.get_by_role("button", name="Copied")).to_be_visible()
    assert "onnxruntime" in two.page.evaluate("copied")


def test_trainer_dies_while_it_makes_files(two: Studio) -> None:
    """Its successor makes them; nobody has to ask again."""
    two.train()
    python_worker(two.page).evaluate(f"() => {{ Handlers.prototype.exportModel = () => new Promise({STRIKE}); }}")
    two.go("Take")
    expect(two.page.get_by_role("alert").filter(has_text="The trainer stopped and was started again.")).to_be_visible(timeout=READ_MS)
    expect(two.page.get_by_role("button", name="Save the model")).not_to_have_attribute("aria-disabled", "true", timeout=READ_MS)
    expect(two.page.get_by_role("button", name="Try again")).to_be_hidden()


def test_files_that_cannot_be_made(two: Studio) -> None:
    """It says so, tries again when it is asked to and not by itself, and then they are there."""
    two.train()
    two.page.evaluate("""() => inside.trainer((pt) => {
      window.asked = 0;
      pt.exportModel = async () => { window.asked += 1; throw new Error("no room"); };
      window.makeRoom = () => { delete pt.exportModel; };
    })""")
    again = two.page.get_by_role("button", name="Try again")
    with two.complaining("no room"):
        two.go("Take")
        expect(again).to_be_visible()
        two.page.get_by_role("textbox").first.fill("a name")  # the page is drawn again
        two.page.wait_for_timeout(300)
    assert two.page.evaluate("asked") == 1
    two.page.evaluate("makeRoom()")
    again.click()
    expect(again).to_be_hidden()
    expect(two.page.get_by_role("button", name="Save the model")).not_to_have_attribute("aria-disabled", "true", timeout=READ_MS)


def test_trainer_dies_while_it_is_asked(new_studio: Opener, tmp_path: Path) -> None:
    """Pictures that are tried are all answered although the worker dies meanwhile, and the page says that it did."""
    studio = new_studio().open().wait_ready()
    studio.drop(class_folder(tmp_path, "red", "red", 4), class_folder(tmp_path, "blue", "blue", 4))
    studio.wait_read("8 added")
    studio.train()
    studio.go("Try")
    studio.drop(*sorted((TRASH / "test/glass").iterdir())[:4])
    studio.page.wait_for_function("() => inside.state.tries.results.some(({ answers }) => answers)", timeout=READ_MS)
    studio.page.workers[-1].evaluate(STRIKE)
    studio.page.wait_for_function("() => inside.state.tries.results.every(({ answers, error }) => answers || error)", timeout=READ_MS)
    assert [one["error"] for one in studio.tried()] == [None] * 4
    expect(studio.page.get_by_role("alert").filter(has_text="The trainer stopped and was started again.")).to_be_visible()
