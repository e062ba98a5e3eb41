"""Try: the camera live, the training pictures an answer reminds of, and "none of these"."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sitebuild import catalog, paths
from tests.browser.conftest import TRASH
from tests.browser.studio import READ_MS, Studio
from tests.browser.test_page_looks import look
from tests.serving import serving

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


@pytest.fixture(scope="module")
def trained(browser_with_camera: Browser, browser_context_args: dict[str, Any], site: Path) -> Iterator[Studio]:
    """Has learnt glass and metal from five photos each, and is sealed and offline, with a camera that films another of each."""
    with serving(catalog.load(site, paths.VARIANTS)) as server:
        studio = Studio(browser_with_camera.new_context(**browser_context_args), server).open()
        for name in ("glass", "metal"):
            folder = TRASH / "train" / name
            studio.drop(folder)
        studio.wait_ready()
        studio.page.context.set_offline(True)
        studio.at_seal = len(server.requests)  # type: ignore[attr-defined]
        studio.wait_read()
        studio.train()
        yield studio
        assert len(server.requests) == studio.at_seal  # type: ignore[attr-defined]
        assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]
        studio.page.context.close()
    assert studio.complaints == []


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
    kept = live.evaluate("() => inside.state.tries.results[0].answers")
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
