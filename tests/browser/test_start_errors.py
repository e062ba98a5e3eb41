"""What is said when the files came as their list describes them, and Python still cannot start from them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.hosting import ARTIFACTS, LOAD, entry_of, hosting

pytestmark = pytest.mark.browser
SNAPSHOT = "runtime/python.snapshot"
PACKAGES = "runtime/packages.tar"
PLAIN_HOST = "<!doctype html><html lang='en'><head><title>host</title>{}<link rel='icon' href='data:,'></head><body></body></html>"
POLICY = "<meta http-equiv='Content-Security-Policy' content=\"worker-src 'none'\">"


def _error(page: Page, site: Path, tmp_path: Path, changed: dict[str, bytes], head: str = "") -> dict[str, Any]:
    """What loading rejects with where these files have other contents, listed with their right hashes."""
    list_path = "runtime/files.json"
    files = json.loads((site / list_path).read_text())
    for file in files["files"]:
        content = changed.get(f"runtime/{file['path']}")
        if content is not None:
            file.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    with hosting(site, tmp_path, pages={"/host.html": PLAIN_HOST.format(head)}) as host:
        for number, (name, content) in enumerate({**changed, list_path: json.dumps(files).encode()}.items()):
            host.entries[f"/{name}"] = entry_of(tmp_path / f"changed{number}", content, host.entries[f"/{name}"].mime_type)
        page.goto(host.url + "host.html")
        loading = f"({LOAD})(['./', '{ARTIFACTS}', false])"
        return page.evaluate(f"{loading}.then(() => null, ({{ kind, code, message }}) => ({{ kind, code, message }}))")


def _without_memory(snapshot: bytes) -> bytes:
    """A well-formed snapshot of less memory than Pyodide's WebAssembly asks for."""
    length = int.from_bytes(snapshot[:4], "little")
    head = json.loads(snapshot[4 : 4 + length])
    text = json.dumps(head | {"memoryBytes": 2**23, "runs": 0}).encode()
    return len(text).to_bytes(4, "little") + text


@pytest.mark.parametrize("name, size", [(SNAPSHOT, 1000), (SNAPSHOT, -1), (PACKAGES, 2000)])
def test_a_file_that_is_cut_off_is_named(page: Page, site: Path, tmp_path: Path, name: str, size: int) -> None:
    """In one sentence, with what to do, which is nothing about policies."""
    error = _error(page, site, tmp_path, {name: (site / name).read_bytes()[:size]})
    assert (error["kind"], error["code"]) == ("load", "start")
    assert error["message"].startswith(f"Python could not be started: {Path(name).name} is damaged or of another build: ")
    assert error["message"].endswith(". Reload the page; if it happens again, the site's copy may be incomplete.")


def test_wasm_that_cannot_be_instantiated_is_told_at_once(page: Page, site: Path, tmp_path: Path) -> None:
    """In the browser's words, long before the worker's silence would be noticed."""
    error = _error(page, site, tmp_path, {SNAPSHOT: _without_memory((site / SNAPSHOT).read_bytes())})
    assert (error["kind"], error["code"]) == ("load", "start")
    assert "memory" in error["message"]
    assert "sign of life" not in error["message"]


def test_a_refused_worker_is_told_with_the_policy_it_needs(page: Page, site: Path, tmp_path: Path) -> None:
    """Where the page's policy lets no worker start, and only there, the advice is about the policy."""
    error = _error(page, site, tmp_path, {}, POLICY)
    assert (error["kind"], error["code"]) == ("load", "start")
    assert "must allow `worker-src blob:`" in error["message"]
