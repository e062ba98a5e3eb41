"""The camera in Collect: off until asked for, hold to record, off again when nobody looks, and what is said when there is none."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sitebuild import catalog
from tests.browser import fake_camera
from tests.browser.conftest import TRASH
from tests.browser.looks import SCREENSHOTS, look
from tests.browser.studio import READ_MS, Opener, Studio
from tests.serving import serving

pytestmark = pytest.mark.browser

# The page's camera as it really is: the tracks that run now.
TRACKS = "() => inside.state.camera.stream?.getTracks().map((track) => track.readyState) ?? []"


@pytest.fixture
def filming(opened: Callable[..., Studio], browser_with_camera: Browser) -> Studio:
    """A page whose camera was turned on for the first class."""
    studio = opened(browser_with_camera)
    ask_for_camera(studio)
    expect(sign(studio.page)).to_have_text("Camera on", timeout=READ_MS)
    return studio


def ask_for_camera(studio: Studio, name: str = "Class 1") -> None:
    studio.roll(name).get_by_role("button", name=f"Camera for {name}").click()


def sheet(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^Camera for"))


def sign(page: Page) -> Locator:
    return page.locator(".viewfinder__sign:visible")


def hold(page: Page) -> Locator:
    return page.get_by_role("button", name="Hold to record")


def wait_recorded(page: Page, count: int) -> None:
    """That many pictures are in the burst."""
    page.wait_for_function("(n) => (inside.state.camera.burst?.files.length ?? 0) >= n", arg=count)


def bursts(page: Page) -> list[int]:
    """Pictures that each intake brought, the newest first, once there is one and all are read."""
    page.wait_for_function(
        "() => !inside.state.camera.burst && inside.state.drops.length > 0 && inside.state.drops.every(({ took }) => took !== null)",
        timeout=READ_MS,
    )
    return page.evaluate("() => inside.state.drops.map(({ total }) => total)")


def test_off_until_asked(opened: Callable[..., Studio], browser_with_camera: Browser) -> None:
    """The page opens without asking for the camera; asked for, it shows its picture and says that it is on."""
    studio = opened(browser_with_camera)
    page = studio.page
    assert page.evaluate("inside.state.camera.phase") == "off"
    assert page.locator("video").count() == 0
    ask_for_camera(studio)
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    view = sheet(page).locator("video")
    expect(view).to_be_visible()
    assert page.evaluate(TRACKS) == ["live"]
    assert view.evaluate("(node) => [node.videoWidth, node.videoHeight]") == list(fake_camera.SIZE)
    expect(hold(page)).to_be_focused()


def test_hold_by_mouse(filming: Studio) -> None:
    """Holding takes one picture after another and letting go ends it: one intake, all in the class, each under its name."""
    page = filming.page
    hold(page).hover()
    page.mouse.down()
    wait_recorded(page, 4)
    expect(sign(page)).to_have_text(re.compile(r"^Camera on, recording, \d+$"))
    page.mouse.move(2, 2)  # the finger may slip off
    wait_recorded(page, 6)
    page.mouse.up()
    (taken,) = bursts(page)
    assert taken >= 6
    expect(sheet(page).get_by_role("status")).to_have_text(f"{taken}\u00a0pictures taken. Class 1 has {taken}.")
    names = page.evaluate("() => [...inside.state.pictures.values()].map(({ name }) => name)")
    assert names == [f"camera 1, {n + 1}.jpg" for n in range(taken)]
    page.keyboard.press("Escape")
    expect(sheet(page)).to_be_hidden()
    filming.wait_read(f"{taken} added")
    assert filming.class_counts() == {"Class 1": taken, "Class 2": 0}


def test_pace(filming: Studio) -> None:
    """Six in a second are asked for, and no two are nearer than that: the times between them never fall short of a sixth of a second."""
    page = filming.page
    hold(page).hover()
    page.mouse.down()
    wait_recorded(page, 8)
    page.mouse.up()
    bursts(page)
    times = page.evaluate("() => [...inside.state.pictures.values()].map(({ file }) => file.lastModified)")
    # A file's time is taken when its JPEG is written, some milliseconds after the frame: the first may be late and the last early.
    assert (times[-1] - times[0]) / (len(times) - 1) > 1000 / 6 - 10


def test_one_picture_for_each_press(filming: Studio) -> None:
    """A click, a tap of Space or Enter, and the click of a screen reader (which presses no key) are one picture each."""
    page = filming.page
    hold(page).click()
    assert bursts(page) == [1]
    for press in (
        lambda: page.keyboard.press("Space"),
        lambda: page.keyboard.press("Enter"),
        lambda: hold(page).evaluate("(node) => node.click()"),
    ):
        page.wait_for_function("() => inside.state.camera.burst === null")
        before = len(bursts(page))
        press()
        page.wait_for_function("(n) => inside.state.drops.length === n + 1", arg=before)
    assert bursts(page) == [1, 1, 1, 1]


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_hold_by_keyboard(filming: Studio, key: str) -> None:
    """A key that is held records until it is let go; the repeats that it makes meanwhile begin nothing new."""
    page = filming.page
    page.keyboard.down(key)
    page.keyboard.down(key)  # a repeat
    wait_recorded(page, 4)
    page.keyboard.down(key)
    wait_recorded(page, 6)
    page.keyboard.up(key)
    (taken,) = bursts(page)
    assert taken >= 6
    expect(sheet(page)).to_be_visible()
    assert page.evaluate(TRACKS) == ["live"]


def test_hold_by_finger(opened: Callable[..., Studio], browser_with_camera: Browser) -> None:
    """The same by touch, on a narrow screen."""
    studio = opened(browser_with_camera, has_touch=True, viewport={"width": 360, "height": 740})
    page = studio.page
    studio.roll("Class 2").get_by_role("button", name="Camera for Class 2").tap()
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    box = hold(page).bounding_box()
    assert box
    touch = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [touch]})
    wait_recorded(page, 4)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    (taken,) = bursts(page)
    assert taken >= 4
    page.keyboard.press("Escape")
    expect(sheet(page)).to_be_hidden()
    assert studio.class_counts() == {"Class 1": 0, "Class 2": taken}


def test_without_holding(filming: Studio) -> None:
    """For those who cannot hold a button: one press begins, the next one ends."""
    page = filming.page
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 3)
    page.get_by_role("button", name="Stop recording").click()
    (taken,) = bursts(page)
    assert taken >= 3
    expect(page.get_by_role("button", name="Record without holding")).to_be_visible()


def test_the_pictures_are_what_the_camera_saw(filming: Studio) -> None:
    """A picture is the middle square of a frame, neither black nor mirrored: one frame of the film is close to it."""
    page = filming.page
    hold(page).click()
    bursts(page)
    data = page.evaluate("async () => Array.from(new Uint8Array(await [...inside.state.pictures.values()][0].file.arrayBuffer()))")
    photos = [sorted((TRASH / "train" / name).glob("*.jpg"))[0] for name in ("glass", "metal")]
    upright, mirrored = fake_camera.distances(bytes(data), photos)
    # Between them lie two JPEGs and the browser's video, whose shades run from 16 to 235: read as 0 to 255, they are off by 16 at most.
    assert upright < 16
    assert mirrored > 1.5 * upright


def test_a_burst_is_one_group(filming: Studio) -> None:
    """The trainer is told which pictures were taken in one go: those of a burst share a group, those of the next one have another."""
    page = filming.wait_ready().page
    page.evaluate(
        """async () => {
          const { modules } = await import(new URL("page/main.js", document.baseURI));
          window.groups = [];
          await modules["page/trainer.js"].enqueue((pt) => {
            const add = pt.add.bind(pt);
            pt.add = (items, options) => { groups.push(...items.map(({ group }) => group)); return add(items, options); };
          });
        }"""
    )
    sizes = []
    for _ in range(2):
        page.get_by_role("button", name="Record without holding").click()
        wait_recorded(page, 3)
        page.get_by_role("button", name="Stop recording").click()
        page.wait_for_function("(n) => inside.state.drops.length === n", arg=len(sizes) + 1)
        sizes.insert(0, bursts(page)[0])
    groups = page.evaluate("groups")
    assert [groups.count(group) for group in dict.fromkeys(groups)] == sizes[::-1]
    assert None not in groups


def close(page: Page) -> None:
    sheet(page).get_by_role("button", name="Close").click()


def go_back(page: Page) -> None:
    page.evaluate("history.back()")


def hide(page: Page) -> None:
    """The tab is hidden: the headless browser shows all of its tabs, so the page is told what it would read there."""
    page.evaluate(
        """() => {
          Object.defineProperty(document, "hidden", { configurable: true, value: true });
          document.dispatchEvent(new Event("visibilitychange"));
          delete document.hidden;
        }"""
    )


@pytest.mark.parametrize(
    "leave", [close, lambda page: page.keyboard.press("Escape"), go_back, hide], ids=["close", "escape", "step", "tab"]
)
def test_goes_off(opened: Callable[..., Studio], browser_with_camera: Browser, leave: Callable[[Page], None]) -> None:
    """Closing, Escape, another step and a hidden tab end the camera itself, in the middle of a burst too; what was taken comes in."""
    studio = opened(browser_with_camera)
    studio.go("Train")
    studio.go("Collect")
    ask_for_camera(studio)
    page = studio.page
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    page.evaluate("() => { window.track = inside.state.camera.stream.getVideoTracks()[0]; }")
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 2)
    leave(page)
    expect(sheet(page)).to_be_hidden()
    assert page.evaluate("[track.readyState, inside.state.camera.phase]") == ["ended", "off"]
    (taken,) = bursts(page)
    assert taken >= 2


def test_taken_back_before_it_was_there(opened: Callable[..., Studio], browser_with_camera: Browser) -> None:
    """Closed while the browser still asks: the camera that comes afterwards is let go at once."""
    studio = opened(browser_with_camera)
    page = studio.page
    page.evaluate(
        """() => {
          const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
          window.late = new Promise((resolve) => {
            navigator.mediaDevices.getUserMedia = async (wanted) => {
              const stream = await ask(wanted);
              await new Promise((answer) => { window.answer = answer; });
              resolve(stream);
              return stream;
            };
          });
        }"""
    )
    ask_for_camera(studio)
    expect(sheet(page).get_by_text("The browser may ask you first")).to_be_visible()
    page.wait_for_function("() => window.answer")
    page.keyboard.press("Escape")
    expect(sheet(page)).to_be_hidden()
    page.evaluate("answer()")
    assert page.evaluate("late.then((stream) => new Promise((resolve) => setTimeout(() => resolve(stream.active))))") is False
    expect(sheet(page)).to_be_hidden()


def test_no_request(browser_with_camera: Browser, opened: Callable[..., Studio]) -> None:
    """Sealed and offline, the camera runs, records and goes off: nothing reaches the server, and the page's own count says so."""
    studio = opened(browser_with_camera).wait_ready()
    at_seal = len(studio.server.requests)
    ask_for_camera(studio)
    page = studio.page
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 5)
    page.keyboard.press("Escape")
    assert bursts(page)[0] >= 5
    assert len(studio.server.requests) == at_seal
    assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]
    studio.seal.click()
    expect(page.get_by_role("dialog")).to_contain_text("The camera is off until you turn it on")


# What is wrong, and what the person reads.


def fault(page: Page) -> Locator:
    return sheet(page).get_by_role("alert")


def test_refused(opened: Callable[..., Studio], launch: Callable[..., Browser]) -> None:
    """The person says no: the page says so, what to do, and the browser's own words behind Details; asking again asks the browser again."""
    studio = opened(launch(*fake_camera.REFUSED))
    ask_for_camera(studio)
    expect(fault(studio.page)).to_contain_text("The camera is not allowed here.")
    expect(fault(studio.page).get_by_role("button", name="Choose photos")).to_be_visible()
    fault(studio.page).get_by_text("Details").click()
    expect(fault(studio.page).locator("code")).to_have_text(
        "NotAllowedError: Permission denied\nstep: getUserMedia({ video })\ncameras listed: 1"
    )
    fault(studio.page).get_by_role("button", name="Try the camera again").click()
    expect(fault(studio.page)).to_contain_text("The camera is not allowed here.")
    studio.page.keyboard.press("Escape")
    expect(sheet(studio.page)).to_be_hidden()


def test_none(new_studio: Opener, tmp_path: Path) -> None:
    """A machine without a camera, as the tests' usually is: photos work as well, from the same place and into the same class."""
    studio = new_studio().open()
    if studio.page.evaluate("navigator.mediaDevices.enumerateDevices().then((all) => all.some(({ kind }) => kind === 'videoinput'))"):
        pytest.skip("this machine has a camera")
    ask_for_camera(studio, "Class 2")
    expect(fault(studio.page)).to_contain_text("No camera found.")
    with studio.page.expect_file_chooser() as chooser:
        fault(studio.page).get_by_role("button", name="Choose photos").click()
    chooser.value.set_files(sorted((TRASH / "train" / "glass").glob("*.jpg"))[:2])
    expect(sheet(studio.page)).to_be_hidden()
    studio.wait_read("2 added")
    assert studio.class_counts() == {"Class 1": 0, "Class 2": 2}


def test_in_use(opened: Callable[..., Studio], browser_with_camera: Browser) -> None:
    """Another program has it (the browser's answer to that is made here; a camera that two programs fight over is not to be had)."""
    studio = opened(browser_with_camera)
    studio.page.evaluate(
        """() => {
          navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("Could not start video source", "NotReadableError"); };
        }"""
    )
    ask_for_camera(studio)
    expect(fault(studio.page)).to_contain_text("Another program or tab may hold it.")


def test_unplugged(filming: Studio) -> None:
    """The camera goes while it records (its track ends by itself): the pictures so far come in, and asking again turns it on."""
    page = filming.page
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 3)
    page.evaluate(
        "() => { const [track] = inside.state.camera.stream.getTracks(); track.stop(); track.dispatchEvent(new Event('ended')); }"
    )
    expect(fault(page)).to_contain_text("The camera is gone.")
    assert bursts(page)[0] >= 3
    fault(page).get_by_role("button", name="Try the camera again").click()
    expect(sign(page)).to_have_text("Camera on", timeout=READ_MS)


def test_not_secure(opened: Callable[..., Studio], launch: Callable[..., Browser], site: Path) -> None:
    """By plain http from another machine browsers have no cameras: the page says why."""
    browser = launch("--host-resolver-rules=MAP pagetrain.test 127.0.0.1")
    with serving(catalog.load(site), host="0.0.0.0") as server:
        studio = opened(browser, SimpleNamespace(url=f"http://pagetrain.test:{server.port}/"))
        assert studio.page.evaluate("isSecureContext") is False
        ask_for_camera(studio)
        expect(fault(studio.page)).to_contain_text("The browser keeps cameras from this page.")
        expect(fault(studio.page).get_by_role("button", name="Choose photos")).to_be_visible()
        studio.page.context.close()


def test_looks(filming: Studio, opened: Callable[..., Studio], launch: Callable[..., Browser]) -> None:
    """The sheet after a burst and while it records; and what is said when the camera is refused."""
    page = filming.page
    page.get_by_role("button", name="Record without holding").click()
    wait_recorded(page, 8)
    page.get_by_role("button", name="Stop recording").click()
    bursts(page)
    expect(sheet(page).locator(".camera__taken img")).to_have_count(6)
    look(page, "camera")
    hold(page).hover()
    page.mouse.down()
    wait_recorded(page, 2)
    page.screenshot(path=SCREENSHOTS / "camera-recording.png")
    page.mouse.up()
    refused = opened(launch(*fake_camera.REFUSED))
    ask_for_camera(refused)
    expect(fault(refused.page)).to_be_visible()
    look(refused.page, "camera-refused")
