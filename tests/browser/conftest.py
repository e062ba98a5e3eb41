"""One server for the session, and pages that must end without a complaint of the console."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from sitebuild import catalog, paths
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
