"""What a person, or bad luck, does at the wrong moment: nothing is lost, nothing is done twice."""

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
