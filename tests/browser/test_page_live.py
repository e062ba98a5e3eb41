"""Try: the camera live, the training pictures an answer reminds of, and "none of these"."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import TRASH, Visiting
from tests.browser.looks import look
from tests.browser.pictures import patterned
from tests.browser.studio import READ_MS, TRAIN_MS, Studio
from tests.browser.test_page_keyboard import tab_to

pytestmark = pytest.mark.browser

# Counts what the page asks its trainer from here on, and how many predictions were ever under way at once.
WATCH = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  if (window.asked) return;
  window.asked = { all: 0, now: 0, most: 0 };
  await modules["page/trainer.js"].enqueue((pt) => {
    const predict = pt.predict.bind(pt);
    pt.predict = async (picture) => {
      asked.all += 1;
      asked.now += 1;
      asked.most = Math.max(asked.most, asked.now);
      try { return await predict(picture); } finally { asked.now -= 1; }
    };
  });
}"""

# A PNG into the system's clipboard.
TO_CLIPBOARD = """(text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
}"""

# Training begins, as at a click on Train.
LEARN = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  modules["page/learning.js"].learn();
}"""


@pytest.fixture(scope="module")
def trained(browser_with_camera: Browser, visiting: Visiting) -> Iterator[Studio]:
    """Has learnt glass and metal from five photos each, and is sealed and offline, with a camera that films another of each."""
    with visiting() as new:
        studio = new(browser_with_camera).open()
        for name in ("glass", "metal"):
            folder = TRASH / "train" / name
            studio.drop(folder)
        studio.wait_ready()
        studio.wait_read()
        studio.train()
        yield studio


@pytest.fixture
def live(trained: Studio) -> Iterator[Page]:
    """Try with the camera on and a first answer."""
    page = trained.page
    trained.go("Try")
    page.evaluate(WATCH)
    page.get_by_role("button", name="Camera", exact=True).click()
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    page.wait_for_function("() => inside.state.tries.live?.answers")
    yield page
    trained.go("Collect")
    page.evaluate("() => { Object.assign(inside.state.tries, { results: [], shown: null, live: null }); inside.state.none.below = null; }")


def sign(page: Page) -> Locator:
    return page.locator(".viewfinder__sign:visible")


def answers(page: Page) -> Locator:
    return page.get_by_role("list", name="All answers").get_by_role("listitem")


def test_bars_follow_the_camera(live: Page) -> None:
    """The film shows a glass, then a metal thing, then the glass again: so does the answer. The bars keep their places meanwhile."""
    expect(live.locator(".viewfinder video")).to_be_visible()
    for name in ("glass", "metal", "glass"):
        expect(live.locator(".answer.is-top")).to_contain_text(name, timeout=READ_MS)
        assert [text.split("\n")[0] for text in answers(live).all_inner_texts()] == ["glass", "metal"]


def test_one_at_a_time_and_calm(live: Page) -> None:
    """Never two predictions at once, and a quarter of a second from one to the next, also when it is frozen and goes on at once."""
    live.evaluate("() => { window.began = performance.now(); asked.all = 0; }")
    live.wait_for_function("() => asked.all >= 8")
    # The first of the eight may come at any moment, so between them lie seven pauses.
    assert live.evaluate("performance.now() - began") > 7 * 250 - 20
    for _ in range(3):
        live.get_by_role("button", name="Freeze").click()
        live.get_by_role("button", name="Go on").click()
        live.wait_for_function("() => inside.state.tries.live?.answers")
    assert live.evaluate("asked.most") == 1


def test_freeze(live: Page) -> None:
    """The picture that was answered stays, with its very answers and what it reminds of; the camera stays on, and goes on when asked."""
    live.get_by_role("button", name="Freeze").click()
    expect(sign(live)).to_have_text("Camera on, view frozen")
    expect(live.locator(".big-print img")).to_be_visible()
    expect(live.get_by_role("region", name="It reminds it of").get_by_role("button")).to_have_count(4)
    kept = live.evaluate("() => inside.state.tries.results[0].answers.map(({ label, probability }) => ({ label, probability }))")
    again = live.evaluate("() => inside.ask('predict', inside.state.tries.results[0].file)")
    assert again == kept
    before = live.evaluate("asked.all")
    live.get_by_role("button", name="Go on").click()
    expect(sign(live)).to_have_text("Camera on")
    live.wait_for_function("(n) => asked.all >= n + 2", arg=before)
    expect(live.get_by_role("heading", name="Pictures you tried")).to_be_hidden()  # one is the one before, two are a list


@pytest.mark.parametrize("leave", ["button", "escape", "step"])
def test_stops(live: Page, trained: Studio, leave: str) -> None:
    """Turned off, by Escape or by another step: the camera ends, and nothing more is asked."""
    live.evaluate("() => { window.track = inside.state.camera.stream.getVideoTracks()[0]; }")
    if leave == "button":
        live.get_by_role("button", name="Turn the camera off").click()
        expect(live.get_by_role("button", name="Camera", exact=True)).to_be_focused()
    elif leave == "escape":
        live.keyboard.press("Escape")
    else:
        trained.go("Train")
    live.wait_for_function("() => inside.state.tries.live === null")
    assert live.evaluate("track.readyState") == "ended"
    live.wait_for_function("() => asked.now === 0")
    count = live.evaluate("asked.all")
    live.evaluate("new Promise((resolve) => setTimeout(resolve, 800))")  # three times the pace
    assert live.evaluate("asked.all") == count


def test_a_dropped_picture_comes_between(live: Page, trained: Studio) -> None:
    """What is dropped is answered and shown while the camera stays on, its view frozen."""
    path = sorted((TRASH / "test" / "glass").glob("*.jpg"))[0]
    trained.try_files(path)
    expect(live.locator(".big-print figcaption")).to_contain_text(path.name)
    expect(sign(live)).to_have_text("Camera on, view frozen")


def test_paste(trained: Studio) -> None:
    """A picture in the system's clipboard, pasted by Ctrl+V, is answered like the same pixels in a file."""
    page = trained.page
    trained.go("Try")
    data = patterned("red", 1)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(TO_CLIPBOARD, base64.b64encode(data).decode())
    before = page.evaluate("() => inside.state.tries.results[0]?.id ?? null")
    page.keyboard.press("Control+V")
    page.wait_for_function("(before) => inside.state.tries.results[0]?.id !== before && inside.state.tries.results[0]?.answers", arg=before)
    pasted, *_ = trained.tried()
    assert pasted["name"] == "image.png"  # Chromium's name for what has none
    assert pasted["answers"] == {one["label"]: one["probability"] for one in trained.ask("predict", data)}


def test_reminds_of(trained: Studio) -> None:
    """A training picture reminds it of itself first; those shown are the nearest by the cosine of the features, and open large."""
    page = trained.page
    trained.go("Try")
    path = sorted((TRASH / "train" / "metal").glob("*.jpg"))[1]
    trained.try_files(path)
    near = page.get_by_role("region", name="It reminds it of")
    expect(near.get_by_role("button")).to_have_count(4)
    names = [button.get_attribute("aria-label") for button in near.get_by_role("button").all()]
    assert names[0] == f"metal: {path.name}"
    assert names == [f"{label}: {name}" for label, name in nearest(trained, path)[:4]]
    near.get_by_role("button").first.click()
    large = page.get_by_role("dialog", name="metal")
    expect(large.get_by_role("img", name=path.name)).to_be_visible()
    look(page, "large")
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(near.get_by_role("button").first).to_be_focused()


def nearest(studio: Studio, path: Path) -> list[tuple[str, str]]:
    """The training pictures by the cosine between their features and the picture's, computed here: class and name, best first."""
    rows, names = studio.features("collected")
    mine = np.array(studio.ask("features", path.read_bytes()), np.float64)
    cosines = rows @ mine / np.linalg.norm(rows, axis=1) / np.linalg.norm(mine)
    classes = studio.page.evaluate(
        "() => [...inside.state.pictures.values()].map(({ classId }) => inside.state.classes.find(({ id }) => id === classId).name)"
    )
    return [(classes[at], names[at]) for at in np.argsort(-cosines)]


def test_none_of_these(trained: Studio) -> None:
    """A value above the best answer makes it "None of these", with the closest class and the way to change it; one below does not."""
    page = trained.page
    trained.go("Try")
    trained.try_files(sorted((TRASH / "test" / "glass").glob("*.jpg"))[1])
    heading = page.locator(".display--answer")
    (label, best), *_ = sorted(trained.tried()[0]["answers"].items(), key=lambda item: -item[1])
    for below, said in ((min(1, best + 0.001), "None of these"), (best - 0.001, label)):
        page.evaluate("(below) => { inside.state.none.below = below; }", below)
        trained.go("Collect")
        trained.go("Try")
        expect(heading).to_contain_text(said)
        expect(page.get_by_text(re.compile('^Below .* it says "none of these"'))).to_be_visible()
        expect(page.get_by_text("Closest is")).to_be_visible(visible=said == "None of these")
    page.evaluate("() => { inside.state.none.below = 1; }")
    trained.go("Collect")
    trained.go("Try")
    look(page, "try-none")
    page.get_by_role("link", name="Change that in Look").click()
    expect(page).to_have_title(re.compile("^Look "))
    page.evaluate("() => { inside.state.none.below = null; }")


def correction(page: Page) -> Locator:
    return page.locator(".correction")


def counts(studio: Studio) -> dict[str, int]:
    """How many pictures each class has, on any step."""
    return studio.page.evaluate(
        """() => Object.fromEntries(inside.state.classes.map(({ id, name }) =>
             [name, [...inside.state.pictures.values()].filter(({ classId }) => classId === id).length]))"""
    )


def labels(studio: Studio) -> set[frozenset[str]]:
    """The classes between which the tried pictures were told apart."""
    return {frozenset(one["answers"]) for one in studio.tried()}


def test_a_wrong_answer_is_put_right(trained: Studio) -> None:
    """By keyboard: a picture of paper becomes a class of its own, and what was tried is answered by the new model. Undo takes both back."""
    page = trained.page
    before = counts(trained)
    trained.go("Try")
    trained.try_files(*sorted((TRASH / "test" / "paper").glob("*.jpg"))[:2])
    tab_to(trained, page.get_by_label("The right class"))
    page.keyboard.type("It is a new")
    page.keyboard.press("Tab")
    page.keyboard.type("paper")
    page.keyboard.press("Enter")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect(correction(page)).to_contain_text("Added to paper. It has learnt from this one now", timeout=TRAIN_MS)
    assert counts(trained) == {**before, "paper": 1}
    page.wait_for_function("() => inside.state.tries.results.every(({ by }) => by === inside.state.training.result)")
    assert labels(trained) == {frozenset({"glass", "metal", "paper"})}
    look(page, "try-added")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Add and learn again")).to_be_focused()
    trained.wait_learnt()
    page.wait_for_function("() => inside.state.tries.results.every(({ by }) => by === inside.state.training.result)")
    assert counts(trained) == before
    assert labels(trained) == {frozenset({"glass", "metal"})}


def test_what_the_camera_sees_is_added(live: Page, trained: Studio) -> None:
    """Its view is held still, and the picture that was answered last goes to the class. The camera goes on when asked."""
    before = counts(trained)
    live.get_by_label("The right class").select_option(label="It is metal")
    live.get_by_role("button", name="Add and learn again").click()
    expect(sign(live)).to_have_text("Camera on, view frozen")
    expect(correction(live)).to_contain_text("Added to metal. It has learnt", timeout=TRAIN_MS)
    assert counts(trained) == {**before, "metal": before["metal"] + 1}
    live.get_by_role("button", name="Undo").click()
    trained.wait_learnt()
    assert counts(trained) == before
    live.get_by_role("button", name="Go on").click()
    live.wait_for_function("() => inside.state.tries.live?.answers")


def test_a_picture_that_is_there_already(trained: Studio) -> None:
    """Given to its own class it is kept once, and nothing is learnt; given to another one, the page says that it is in both."""
    page = trained.page
    path = sorted((TRASH / "train" / "metal").glob("*.jpg"))[1]
    before = counts(trained)
    trained.go("Try")
    trained.try_files(path)
    result = page.evaluate_handle("() => inside.state.training.result")
    page.get_by_label("The right class").select_option(label="It is metal")
    page.get_by_role("button", name="Add and learn again").click()
    expect(correction(page)).to_contain_text(f"metal has {path.name} already.")
    assert counts(trained) == before
    assert page.evaluate("(result) => inside.state.training.result === result && inside.state.look.changes.length === 0", result)
    page.get_by_label("The right class").select_option(label="It is glass")
    page.get_by_role("button", name="Add and learn again").click()
    expect(correction(page)).to_contain_text("The same picture is in metal, too. It cannot learn both answers.")
    trained.wait_learnt()
    page.get_by_role("link", name="Say which one is right").click()
    expect(page.get_by_text("The same picture is in two classes.")).to_be_visible(timeout=READ_MS)
    trained.go("Try")
    page.get_by_role("button", name="Undo").click()
    trained.wait_learnt()
    assert counts(trained) == before


def test_added_while_it_learns(trained: Studio) -> None:
    """Training under way gives way: the picture is read at once, and the next training has it. There is one result, not two."""
    page = trained.page
    before = counts(trained)
    trained.go("Try")
    trained.try_files(sorted((TRASH / "test" / "glass").glob("*.jpg"))[2])
    page.evaluate("() => { inside.state.training.settings.epochs = 2000; }")  # longer than a test may take
    page.evaluate(LEARN)
    page.wait_for_function("() => inside.state.training.progress?.epoch > 0", timeout=TRAIN_MS)
    result = page.evaluate_handle("() => inside.state.training.result")
    page.evaluate("() => { delete inside.state.training.settings.epochs; }")
    page.get_by_label("The right class").select_option(label="It is metal")
    page.get_by_role("button", name="Add and learn again").click()
    expect(correction(page)).to_contain_text("Added to metal. It has learnt", timeout=TRAIN_MS)
    assert page.evaluate("(result) => inside.state.training.result !== result", result)
    assert page.evaluate("() => inside.state.training.judgement.asked") == sum(before.values()) + 1
    page.get_by_role("button", name="Undo").click()
    trained.wait_learnt()


def test_looks(live: Page, trained: Studio) -> None:
    """Live, frozen, and without a camera."""
    look(live, "try-live")
    live.get_by_role("button", name="Freeze").click()
    expect(live.locator(".near img")).to_have_count(4)
    look(live, "try-frozen")
    live.keyboard.press("Escape")
    live.evaluate(
        """() => {
          window.real = MediaDevices.prototype.getUserMedia;
          MediaDevices.prototype.getUserMedia = async () => { throw new DOMException("gone", "NotFoundError"); };
        }"""
    )
    live.get_by_role("button", name="Camera", exact=True).click()
    expect(live.get_by_text("No camera found.")).to_be_visible()
    look(live, "try-no-camera")
    live.evaluate("() => { MediaDevices.prototype.getUserMedia = real; }")
    live.get_by_role("alert").get_by_role("button", name="Close").click()
    expect(live.get_by_role("button", name="Camera", exact=True)).to_be_focused()
