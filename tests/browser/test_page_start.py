"""How the page starts: what it asks for, and what it does not load before it is needed."""

from types import SimpleNamespace

import pytest

from sitebuild import paths, visit
from sitebuild.pins import BACKBONE
from tests.browser.studio import Opener

pytestmark = pytest.mark.browser


def test_each_file_is_fetched_once_and_counted(new_studio: Opener, server: SimpleNamespace) -> None:
    """What the head asks for early is what the page takes later: nothing comes twice, and all is in the build's table of bytes.

    The icon is asked for by the browser itself and by the page, which keeps it for after the seal. The trainer asks anew for its two lists,
    which the page keeps, too.
    """
    studio = new_studio(server).open()
    studio.wait_ready()
    asked = [target.removeprefix("/") or "index.html" for _, target, _ in server.requests]
    assert sorted(set(asked)) == sorted(visit.fetched(paths.SITE))
    assert {name for name in asked if asked.count(name) > 1} <= {"favicon.svg", "runtime/files.json", f"artifacts/{BACKBONE}/manifest.json"}


def test_the_page_is_usable_before_the_trainer_is_fetched(new_studio: Opener) -> None:
    """It marks the moment from which drops are taken, and that comes before Python is started."""
    studio = new_studio().open()
    studio.wait_ready()
    usable, started = studio.page.evaluate(
        """async () => {
          const { modules } = await import(new URL("page/main.js", document.baseURI).href);
          const { state } = modules["page/state.js"];
          return [performance.getEntriesByName("pagetrain-usable")[0].startTime, state.load.startedAt];
        }"""
    )
    assert 0 < usable < started
