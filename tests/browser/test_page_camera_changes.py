"""What changes while the camera records: its class goes, another camera is taken, one is plugged in or out, no picture comes any more."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, Studio
from tests.browser.test_page_camera import TRACKS, ask_for_camera, bursts, fault, sheet, sign, wait_recorded

pytestmark = pytest.mark.browser

TWO = ("--use-fake-device-for-media-stream=device-count=2", "--use-fake-ui-for-media-stream")
# The camera that is on, by the name that the browser gives it.
DEVICE = "() => inside.state.camera.stream.getVideoTracks()[0].getSettings().deviceId"
SETTLED = "() => inside.state.camera.phase === 'on'"


@pytest.fixture(scope="module")
def browser_with_two(launch: Callable[..., Browser]) -> Browser:
    """It has two cameras, and every page may use them."""
    return launch(*TWO)


@pytest.fixture
def recording(opened: Callable[..., Studio], browser_with_two: Browser) -> Studio:
    """A page that records for the first class, hands-free, and has taken two pictures."""
    studio = opened(browser_with_two)
    ask_for_camera(studio)
    expect(sign(studio.page)).to_have_text("Camera on", timeout=READ_MS)
    studio.page.evaluate("() => { window.track = inside.state.camera.stream.getVideoTracks()[0]; }")
    studio.page.get_by_role("button", name="Record without holding").click()
    wait_recorded(studio.page, 2)
    return studio


def test_its_class_stays_when_folders_come(recording: Studio, tmp_path: Path) -> None:
    """Dropped folders replace the two classes that were offered, but not the one that is being recorded: its pictures reach it."""
    recording.drop(class_folder(tmp_path, "red", "red", 3))
    recording.page.wait_for_function("() => inside.state.drops.length === 1")
    before = recording.page.evaluate("inside.state.camera.burst.files.length")
    wait_recorded(recording.page, before + 1)
    recording.page.get_by_role("button", name="Stop recording").click()
    taken, _ = bursts(recording.page)
    assert taken > before
    recording.page.keyboard.press("Escape")
    assert recording.class_counts() == {"Class 1": taken, "red": 3}


def test_its_class_goes(recording: Studio) -> None:
    """Taken away from under it, as by opening something else: the camera itself ends, and what it had taken waits in Unsorted."""
    page = recording.page
    page.evaluate(
        """async () => {
          const { modules } = await import(new URL("page/main.js", document.baseURI));
          modules["page/classes.js"].removeClass(inside.state.camera.use);
        }"""
    )
    expect(sheet(page)).to_be_hidden()
    assert page.evaluate("[track.readyState, inside.state.camera.phase]") == ["ended", "off"]
    (taken,) = bursts(page)
    assert taken >= 2
    assert recording.class_counts() == {"Class 2": 0}
    expect(recording.report).to_contain_text("They wait in Unsorted")
    assert page.evaluate("[...inside.state.pictures.values()].filter(({ classId }) => classId === null).length") == taken


def test_other_camera(recording: Studio) -> None:
    """By keyboard, in the middle of a recording: what the first one took comes in, the other one shows and records; and back."""
    page = recording.page
    first = page.evaluate(DEVICE)
    other = page.get_by_role("button", name="Other camera")
    other.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # once more before it is there: nothing new
    expect(other).to_be_focused()
    (taken,) = bursts(page)
    page.wait_for_function(SETTLED)
    assert page.evaluate(DEVICE) != first
    assert page.evaluate("track.readyState") == "ended"
    assert page.evaluate(TRACKS) == ["live"]
    expect(other).to_be_focused()
    expect(sheet(page).get_by_role("status")).to_have_text(f"{taken}\u00a0pictures taken. Class 1 has {taken}.")
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 3)
    page.get_by_role("button", name="Stop recording").click()
    again, _ = bursts(page)
    assert again >= 3
    other.click()
    page.wait_for_function(SETTLED)
    assert page.evaluate(DEVICE) == first
    page.keyboard.press("Escape")
    assert recording.class_counts() == {"Class 1": taken + again, "Class 2": 0}


def list_cameras(page: Page, count: int) -> None:
    """The browser lists the first `count` of its cameras from now on, and says that something changed."""
    page.evaluate(
        """(count) => {
          const all = MediaDevices.prototype.enumerateDevices.call(navigator.mediaDevices);
          navigator.mediaDevices.enumerateDevices = async () => (await all).filter(({ kind }) => kind === "videoinput").slice(0, count);
          navigator.mediaDevices.dispatchEvent(new Event("devicechange"));
        }""",
        count,
    )


def test_another_one_goes_and_comes(recording: Studio) -> None:
    """Unplugged, the other one is offered no more; plugged in, it is again; the recording goes on all the while."""
    page = recording.page
    other = page.get_by_role("button", name="Other camera")
    list_cameras(page, 1)
    expect(other).to_be_hidden()
    list_cameras(page, 2)
    expect(other).to_be_visible()
    wait_recorded(page, page.evaluate("inside.state.camera.burst.files.length") + 1)
    assert page.evaluate("track.readyState") == "live"


def test_no_picture_comes(recording: Studio) -> None:
    """Covered or cut off for a while (the browser mutes its track, which is made here): that is said, and nothing is recorded meanwhile."""
    page = recording.page
    mute = """(muted) => {
      Object.defineProperty(track, "muted", { configurable: true, value: muted });
      track.dispatchEvent(new Event(muted ? "mute" : "unmute"));
    }"""
    page.evaluate(mute, True)
    expect(sign(page)).to_have_text("Camera on, but no picture comes from it")
    before = page.evaluate("inside.state.camera.burst.files.length")
    page.wait_for_timeout(700)  # four pictures' time
    assert page.evaluate("inside.state.camera.burst.files.length") <= before + 1  # the one that was under way
    page.evaluate(mute, False)
    wait_recorded(page, before + 2)


def test_taken_away_by_the_browser(opened: Callable[..., Studio], launch: Callable[..., Browser]) -> None:
    """The permission is taken back while it records, so that the browser ends the track: that is said, and what was taken is there."""
    studio = opened(launch("--use-fake-device-for-media-stream"), permissions=["camera"])
    page = studio.page
    ask_for_camera(studio)
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    page.evaluate("() => { window.track = inside.state.camera.stream.getVideoTracks()[0]; }")
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 2)
    page.context.clear_permissions()
    expect(fault(page)).to_contain_text("The camera is gone.")
    assert page.evaluate("track.readyState") == "ended"
    assert bursts(page)[0] >= 2


def test_another_project_is_opened(recording: Studio) -> None:
    """In the middle of a recording: what was taken stays in the project and the class that it was taken for, the new one has none of it."""
    page = recording.wait_ready().page
    kept = page.evaluate(
        """async () => {
          const { modules } = await import(new URL("page/main.js", document.baseURI));
          const { newProject, listProjects } = modules["page/keeping/keeper.js"];
          await newProject();
          await listProjects();
          return inside.state.keeping.projects.map(({ pictures }) => pictures);
        }"""
    )
    expect(sheet(page)).to_be_hidden()
    page.wait_for_timeout(500)  # three pictures' time
    assert len(kept) == 1
    assert kept[0] >= 2
    assert page.evaluate("[track.readyState, inside.state.camera.phase, inside.state.pictures.size]") == ["ended", "off", 0]
