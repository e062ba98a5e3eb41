"""Classes that go after, or while, something was learnt of them."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pictures import class_folder, patterned
from tests.browser.studio import TRAIN_MS, Studio

pytestmark = pytest.mark.browser

# Removes the first class as soon as the trainer gets pictures ready for training. A person would need a steady hand for that.
REMOVE_WHILE_PREPARING = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const { removeClass } = modules["page/classes.js"];
  const { state } = inside;
  const timer = setInterval(() => {
    if (!state.training.preparing) return;
    clearInterval(timer);
    removeClass(state.classes[0].id);
  }, 1);
}"""


def remove(studio: Studio, name: str) -> None:
    studio.go("Collect")
    studio.page.get_by_role("button", name=f"Remove {name}").click()
    studio.page.get_by_role("dialog").get_by_role("button", name="Remove them").click()
    expect(studio.roll(name)).to_be_hidden()


@pytest.mark.parametrize("what", ["variants", "layers"])
def test_goes_while_it_gets_ready(two: Studio, what: str) -> None:
    """With one class left there is nothing to learn: the training ends without a fault, and the page says what it needs."""
    two.go("Train")
    two.page.get_by_text("Advanced", exact=True).click()
    if what == "variants":
        two.page.get_by_label(re.compile("^Cropped")).check()
    else:
        two.page.get_by_label("What learns").select_option("last-block")
    two.page.evaluate(REMOVE_WHILE_PREPARING)
    two.page.get_by_role("button", name="Train with these").click()
    two.page.wait_for_function("() => inside.state.classes.length === 1", timeout=TRAIN_MS)
    expect(two.page.get_by_role("heading", level=1)).to_have_text(re.compile("^Not yet."), timeout=TRAIN_MS)
    expect(two.page.locator(".run__words")).to_contain_text("Needs a second class with pictures.")
    expect(two.page.get_by_text("Training broke off.")).to_be_hidden()


def test_all_of_them_go(two: Studio, tmp_path: Path) -> None:
    """Nothing is left of what it learnt: no step acts as if there were, not even with new classes, until it has learnt these."""
    two.train()
    remove(two, "red")
    remove(two, "blue")
    two.drop(class_folder(tmp_path, "green", "green", 6), class_folder(tmp_path, "yellow", "yellow", 6))
    two.wait_read("12 added")
    for step in ("Look", "Try", "Take"):
        two.go(step)
        expect(two.page.get_by_role("heading", level=1)).to_have_text("It has not learnt anything yet.")
    two.go("Train")
    expect(two.page.get_by_role("heading", level=1)).to_have_text(re.compile("^Ready when you are."))
    two.train()
    two.next.click()
    assert two.page.locator(".facts--class tbody th").all_inner_texts() == ["green", "yellow"]


def test_no_picture_is_moved_to_it(two: Studio, tmp_path: Path) -> None:
    """What it took for pictures of that class can be confirmed or taken out, not moved where no class is."""
    stray = tmp_path / "stray.png"
    stray.write_bytes(patterned("blue", 90))
    two.drop(class_folder(tmp_path, "green", "green", 6))
    two.wait_read("6 added")
    two.drop(stray, onto=two.roll("red"))
    two.wait_read("1 added")
    two.train()
    two.next.click()
    move = two.page.get_by_role("button", name="Move to blue: stray.png")
    expect(move).to_be_visible()
    cell = two.page.get_by_role("button", name=re.compile(r"^\d+ red taken for blue$"))
    cell.click()
    expect(move).to_have_count(2)
    remove(two, "blue")
    two.go("Look")
    expect(two.page.get_by_role("button", name="Take out: stray.png").first).to_be_visible()
    expect(move).to_have_count(0)


def test_comes_back_under_its_name(two: Studio, tmp_path: Path) -> None:
    """It is another class then: the cells of the matrix open its pictures, though names, their order and counts are those of before."""
    two.train()
    two.next.click()
    cell = two.page.get_by_role("button", name=re.compile(r"^6 blue, right$"))
    expect(cell).to_be_visible()
    remove(two, "blue")
    two.drop(tmp_path / "blue")
    two.wait_read("6 added")
    two.train()
    two.next.click()
    cell.click()
    expect(two.page.get_by_role("region", name="blue, right: 6")).to_be_visible()


def test_one_is_left(two: Studio) -> None:
    """With one class it can give one answer only: Train says why that is not enough, and Try what its answers are worth."""
    two.train()
    two.go("Try")
    stale = two.page.locator(".try .note--stale")
    expect(stale).to_be_hidden()
    remove(two, "red")
    two.go("Train")
    expect(two.next).to_have_accessible_description("Needs a second class with pictures. With one it can give only one answer.")
    two.go("Try")
    expect(stale).to_have_text("It has one class left, so it can give only one answer. Add a second one and train again.")
