"""Pages that must end without a complaint of the console, and without a request since they were ready."""

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, expect

from sitebuild import catalog, paths
from tests.browser import fake_camera
from tests.browser.hosting import with_tiny_network
from tests.browser.pictures import class_folder
from tests.browser.studio import Opener, Studio
from tests.serving import serving

TRASH = Path(__file__).parents[1] / "data" / "trash"

Visiting = Callable[[], AbstractContextManager[Callable[..., Studio]]]


@pytest.fixture(scope="session")
def shared_server(site: Path) -> Iterator[SimpleNamespace]:
    """The site, for pages of which nobody counts the requests."""
    with serving(catalog.load(site, paths.VARIANTS)) as running:
        yield running


@pytest.fixture(scope="session")
def visiting(browser_context_args: dict[str, Any], site: Path) -> Visiting:
    """A block in which pages are made, not opened yet: each in a browser context of its own, and on a server of its own if none is given.

    At its end their consoles must have been silent, and nothing must have reached their servers since they were ready.
    """
    entries = catalog.load(site, paths.VARIANTS)

    @contextmanager
    def visits() -> Iterator[Callable[..., Studio]]:
        studios: list[Studio] = []
        with ExitStack() as servers:

            def new(browser: Browser, server: SimpleNamespace | None = None, **options: Any) -> Studio:
                context = browser.new_context(**{**browser_context_args, **options})
                studios.append(Studio(context, server or servers.enter_context(serving(entries))))
                return studios[-1]

            yield new
            told = [one for studio in studios for one in studio.end()]
        assert told == []

    return visits


@pytest.fixture
def new_studio(browser: Browser, visiting: Visiting) -> Iterator[Opener]:
    """Makes pages, not opened yet."""
    with visiting() as new:
        yield partial(new, browser)


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
    """A page on a trainer that is fast, ready and sealed. Its network is on: a request could reach the server, and none does."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as server:
        yield new_studio(server).open().wait_ready(offline=False)


@pytest.fixture(scope="module")
def quick_server(site: Path) -> Iterator[SimpleNamespace]:
    """The site with a trainer that is fast, for tests of one module: what one of them keeps in the browser goes with its context."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as running:
        yield running


@pytest.fixture
def visit(context: BrowserContext, quick_server: SimpleNamespace) -> Iterator[Callable[[], Studio]]:
    """Opens the page in one more tab of the same browser context. At the end the consoles must be silent."""
    studios: list[Studio] = []

    def new() -> Studio:
        studios.append(Studio(context, quick_server).open())
        return studios[-1]

    yield new
    assert [complaint for studio in studios for complaint in studio.complaints] == []


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
def first_run(browser: Browser, visiting: Visiting, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstRun]:
    """Folders dropped while the page loads, trained, 60 unseen photos tried, both files taken. Tests read it and change nothing of it."""
    folder = tmp_path_factory.mktemp("taken")
    with serving(catalog.load(site, paths.VARIANTS)) as server, visiting() as new:
        studio = new(browser, server).open()
        studio.drop(*sorted((TRASH / "train").iterdir()))
        expect(studio.rolls).to_have_count(6)
        expect(studio.page.get_by_role("region", name=re.compile("Getting ready"))).to_be_visible()
        before_ready = studio.class_counts()
        studio.wait_ready()
        requests_at_seal = len(server.requests)
        studio.wait_read()
        report = studio.report.locator("summary").inner_text()
        studio.train()
        result = studio.page.get_by_role("heading", level=1).inner_text()
        studio.go("Try")
        studio.try_files(*sorted(TRASH.glob("test/*/*.jpg")))
        studio.next.click()
        for label, name in (("Save the model", "model.onnx"), ("Save the project", "model.pagetrain")):
            studio.save(label).save_as(folder / name)
        with zipfile.ZipFile(folder / "model.pagetrain") as archive:
            archive.extract("checkpoint", folder)
        yield FirstRun(
            studio, before_ready, report, result, requests_at_seal, len(server.requests), folder / "model.onnx", folder / "checkpoint"
        )


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
def opened(visiting: Visiting) -> Iterator[Callable[..., Studio]]:
    """Opens the page in one of these browsers."""
    with visiting() as new:
        yield lambda *given, **options: new(*given, **options).open()
