"""One server for the session, and pages that must end without a complaint of the console."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect

from sitebuild import catalog, paths
from tests.browser import fake_camera
from tests.browser.hosting import with_tiny_network
from tests.browser.pictures import class_folder
from tests.browser.studio import Opener, Studio
from tests.serving import serving

TRASH = Path(__file__).parents[1] / "data" / "trash"


@pytest.fixture(scope="session")
def shared_server(site: Path) -> Iterator[SimpleNamespace]:
    """The site, for pages of which nobody counts the requests."""
    with serving(catalog.load(site, paths.VARIANTS)) as running:
        yield running


@pytest.fixture
def new_studio(browser: Browser, browser_context_args: dict[str, Any], shared_server: SimpleNamespace) -> Iterator[Opener]:
    """Makes pages (not opened yet), each in a browser context of its own. At the end their consoles must be silent."""
    contexts: list[BrowserContext] = []
    studios: list[Studio] = []

    def new(server: SimpleNamespace = shared_server, **options: Any) -> Studio:
        context = browser.new_context(**{**browser_context_args, **options})
        contexts.append(context)
        studios.append(Studio(context, server))
        return studios[-1]

    yield new
    complaints = [complaint for studio in studios for complaint in studio.complaints]
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def studio(new_studio: Opener) -> Studio:
    """An opened page."""
    return new_studio().open()


@pytest.fixture
def two(studio: Studio, tmp_path: Path) -> Studio:
    """Two classes of six pictures each, read."""
    studio.wait_ready()
    studio.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    studio.wait_read("12 added")
    return studio


@pytest.fixture
def quick(new_studio: Opener, site: Path) -> Iterator[Studio]:
    """A page on a trainer that is fast, ready and sealed; to the end it makes no request."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as server:
        studio = new_studio(server).open().wait_ready()
        before = len(server.requests)
        yield studio
        assert len(server.requests) == before
        assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]


@dataclass(frozen=True)
class FirstRun:
    """A whole first run on six classes of real photos, offline from the moment the page is ready, and what was seen on the way."""

    studio: Studio
    before_ready: dict[str, int]  # classes and pictures on the page while Python was still loading
    report: str
    result: str
    requests_at_seal: int
    requests_at_end: int
    model: Path
    checkpoint: Path


@pytest.fixture(scope="session")
def first_run(
    browser: Browser, browser_context_args: dict[str, Any], site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FirstRun]:
    """Folders dropped while the page loads, trained, 60 unseen photos tried, both files taken. Tests read it and change nothing of it."""
    folder = tmp_path_factory.mktemp("taken")
    with serving(catalog.load(site, paths.VARIANTS)) as server:
        context = browser.new_context(**browser_context_args)
        studio = Studio(context, server).open()
        studio.drop(*sorted((TRASH / "train").iterdir()))
        expect(studio.rolls).to_have_count(6)
        expect(studio.page.get_by_role("region", name=re.compile("Getting ready"))).to_be_visible()
        before_ready = studio.class_counts()
        studio.wait_ready()
        context.set_offline(True)
        requests_at_seal = len(server.requests)
        studio.wait_read()
        report = studio.report.locator("summary").inner_text()
        studio.train()
        result = studio.page.get_by_role("heading", level=1).inner_text()
        studio.go("Try")
        studio.try_files(*sorted(TRASH.glob("test/*/*.jpg")))
        studio.next.click()
        for label, name in (("Save the model", "model.onnx"), ("Save the checkpoint", "model.ckpt")):
            studio.save(label).save_as(folder / name)
        yield FirstRun(
            studio, before_ready, report, result, requests_at_seal, len(server.requests), folder / "model.onnx", folder / "model.ckpt"
        )
        context.close()
    assert studio.complaints == []


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.fixture(scope="session")
def launch(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[Callable[..., Browser]]:
    """Starts browsers with more arguments."""
    started: list[Browser] = []

    def start(*arguments: str) -> Browser:
        more = {**browser_type_launch_args, "args": [*browser_type_launch_args["args"], *arguments]}
        started.append(browser_type.launch(**more))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture(scope="session")
def browser_with_camera(launch: Callable[..., Browser], tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Its camera plays a film of a glass and a metal thing, and every page may use it."""
    photos = [sorted((TRASH / "train" / name).glob("*.jpg"))[0] for name in ("glass", "metal")]
    return launch(*fake_camera.ALLOWED, fake_camera.film(tmp_path_factory.mktemp("film") / "film.mjpeg", photos))


@pytest.fixture
def opened(shared_server: SimpleNamespace, browser_context_args: dict[str, Any]) -> Iterator[Callable[..., Studio]]:
    """Opens the page in one of these browsers. At the end the consoles must be silent, as in new_studio."""
    studios: list[Studio] = []

    def make(browser: Browser, server: SimpleNamespace = shared_server, **options: Any) -> Studio:
        studios.append(Studio(browser.new_context(**{**browser_context_args, **options}), server).open())
        return studios[-1]

    yield make
    for studio in studios:
        studio.page.context.close()
    assert [complaint for studio in studios for complaint in studio.complaints] == []
