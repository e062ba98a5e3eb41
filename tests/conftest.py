"""Fixtures that several folders share. Read in Pyodide too, so what needs a thread, a server or a browser is imported where it is used."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

try:
    import hypothesis
except ImportError:  # only the tests that use it need it
    pass
else:  # the same examples every time, at any speed, and nothing written into the tree
    hypothesis.settings.register_profile("pagetrain", deadline=None, derandomize=True, database=None)
    hypothesis.settings.load_profile("pagetrain")

_NEVER_IN_PYODIDE = re.compile(r"^pytestmark = .*pytest\.mark\.(oracle|browser|node)\b", re.MULTILINE)
_CPYTHON_FOLDERS = {"bench", "browser", "ort_training", "pyodide", "sitebuild", "web"}  # processes, threads, browsers


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """In Pyodide, files that are marked as a whole are not even imported, because what they import does not exist there."""
    if sys.platform != "emscripten":
        return None
    if collection_path.is_dir():
        return collection_path.name in _CPYTHON_FOLDERS or None
    return (collection_path.suffix == ".py" and bool(_NEVER_IN_PYODIDE.search(collection_path.read_text(encoding="utf-8")))) or None


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, made or brought up to date once in a session."""
    from sitebuild import paths, setup
    from sitebuild.report import Report

    setup.prepare(setup.FOR_SITE, Report())
    return paths.SITE


@pytest.fixture
def server(site: Path) -> Iterator[SimpleNamespace]:
    """The site as serve.py serves it. server.requests counts what really reached it, which page events do not."""
    from sitebuild import catalog, paths
    from tests.serving import serving

    with serving(catalog.load(site, paths.VARIANTS)) as running:
        yield running


@pytest.fixture
def bare_server(site: Path) -> Iterator[SimpleNamespace]:
    """The site on a host that sends no policy, no ETags and no variants: only types and lengths."""
    from sitebuild import catalog
    from tests.serving import serving

    with serving(catalog.load(site), plain=True) as running:
        yield running


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one, without features that talk to the network on their own."""
    from sitebuild import chromium

    found = chromium.system_browser()
    return {**browser_type_launch_args, "args": list(chromium.ARGUMENTS), **({"executable_path": found} if found else {})}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """The same language everywhere, whatever the machine speaks."""
    return {**browser_context_args, "locale": "en-US"}


@pytest.fixture
def on_numpy() -> Iterator[None]:
    """For tests of what only numpy's kernels promise: the same bits whatever is joined, and the memory that is told beforehand."""
    from pagetrain import backend

    before = backend.name()
    backend.use("numpy")
    yield
    backend.use(before)
