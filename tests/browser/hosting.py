"""Pages without our interface that use pagetrain.js, the site's files beside them, on a server that counts."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from playwright.sync_api import Page, Worker

from sitebuild import catalog, mime_types, paths
from sitebuild.catalog import Entry, Representation
from tests.serving import serving

TRASH = Path(__file__).parents[1] / "data" / "trash"
ARTIFACTS = "artifacts/efficientnet-lite0/"
PLAIN_PAGE = """<!doctype html><html lang="en">
<head><meta charset="utf-8"><title>host</title><link rel="icon" href="data:,"></head>
<body><p>host</p></body></html>"""

# Loads from the page's own folder; `pt` and `loadProgress` stay on the window for the calls that follow.
LOAD = """async ([folder, artifacts, seal]) => {
  const { Pagetrain } = await import(new URL(folder + 'pagetrain.js', document.baseURI));
  window.loadProgress = [];
  const pt = await Pagetrain.load({ artifacts: folder + artifacts, seal, onProgress: (progress) => window.loadProgress.push(progress) });
  await pt.ready;
  window.pt = pt;
}"""
# In a worker: an error that nobody catches, after which it is taken for dead.
STRIKE = "() => { setTimeout(() => { throw new Error('struck'); }); }"
LOAD_HERE = ("./", ARTIFACTS, False)


@contextmanager
def hosting(
    site: Path, folder: Path, *, plain: bool = True, prefix: str = "/", pages: Mapping[str, str] | None = None
) -> Iterator[SimpleNamespace]:
    """Serves the site's files below prefix and pages (path -> html, default host.html) beside them; `entries` may be changed while it runs.

    plain: a host that sends no policy. folder: for the pages.
    """
    entries = {prefix.rstrip("/") + path: entry for path, entry in catalog.load(site).items()}
    for path, html in (pages or {"/host.html": PLAIN_PAGE}).items():
        entries[path] = entry_of(folder / Path(path).name, html.encode())
    with serving(entries, plain=plain) as running:
        running.entries = entries
        yield running


def entry_of(path: Path, content: bytes, mime_type: str = "text/html; charset=utf-8") -> Entry:
    """What the server needs to serve content, which is written to path."""
    path.write_bytes(content)
    return Entry(mime_type, (Representation("identity", path, len(content), f'"{hash(content)}"'),))


def load(page: Page, url: str, *, folder: str = "./", seal: bool = False) -> None:
    """Opens url, loads Pagetrain there and leaves it as window.pt."""
    page.goto(url)
    page.evaluate(LOAD, [folder, ARTIFACTS, seal])


def photos(part: str, labels: Sequence[str], count: int) -> list[tuple[str, Path]]:
    """The first `count` photos of each class: (label, path)."""
    return [(label, path) for label in labels for path in sorted((TRASH / part / label).glob("*.jpg"))[:count]]


def hand_over(page: Page, name: str, items: Sequence[tuple[str, Path]]) -> None:
    """Leaves items as window[name]: [{label, file: File}]."""
    packed = [[label, path.name, base64.b64encode(path.read_bytes()).decode()] for label, path in items]
    page.evaluate(
        """([name, packed]) => {
          const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          window[name] = packed.map(([label, fileName, text]) => ({ label, file: new File([bytes(text)], fileName) }));
        }""",
        [name, packed],
    )


def fail_loudly(page: Page) -> list[Any]:
    """A list that collects what the page's console and its uncaught errors say."""
    said: list[Any] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


def python_worker(page: Page) -> Worker:
    """The worker that Python runs in, among those that embed."""
    return next(worker for worker in page.workers if worker.evaluate("() => typeof Python") == "function")


def with_tiny_network(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The site with the tests' tiny network in the place of the real one: the trainer takes next to no time for a picture."""
    files = list((Path(__file__).parents[1] / "data" / "tiny_artifacts").iterdir())
    index = _without_preloads(entries["/index.html"], {path.name for path in files})
    changed = {"/": index, "/index.html": index, **{f"/{ARTIFACTS}{path.name}": entry_of_file(path) for path in files}}
    return listed({**entries, **changed}, _tests_folder() / "tiny-list.json")


def listed(entries: Mapping[str, Entry], path: Path) -> dict[str, Entry]:
    """The site with the list of the page's files as a build of these very files would write it (to path)."""
    list_of = json.loads(entries["/page/files.json"].representations[0].path.read_bytes())
    for file in list_of["files"]:
        data = entries["/" + file["path"]].representations[0].path.read_bytes()
        file |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**entries, "/page/files.json": entry_of(path, json.dumps(list_of).encode(), "application/json")}


def _without_preloads(index: Entry, names: set[str]) -> Entry:
    """The page, which asks early for no artifact that is not among `names`: a browser complains about what nobody takes then."""
    lines = index.representations[0].path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if ARTIFACTS not in line or any(f'{ARTIFACTS}{name}"' in line for name in names)]
    return entry_of(_tests_folder() / "tiny-index.html", "".join(kept).encode())


def _tests_folder() -> Path:
    folder = paths.CACHE / "tests"
    folder.mkdir(exist_ok=True)
    return folder


def entry_of_file(path: Path) -> Entry:
    """What the server needs to serve a file as it is."""
    kind = mime_types.of(path.name)
    return Entry(kind, (Representation("identity", path, path.stat().st_size, f'"{path.name}"'),))
