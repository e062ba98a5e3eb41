"""The site, and the contestants' files under /bench/, from one server on a free port that counts the bytes it sends."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench import stages
from sitebuild import catalog, files, mime_types, paths
from sitebuild.catalog import Entry, Representation
from sitebuild.server import SiteHandler, SiteServer

WEB = Path(__file__).parent / "web"
BENCH = (
    "/bench/"  # below it, answers allow shared memory, which threads need, and come without the site's policy, which forbids workers by URL
)
OURS, OTHERS = "/ours.html", f"{BENCH}page.html"  # two empty pages
PICTURES = f"{BENCH}models/pictures/"
SUFFIXES = {"gzip": ".gz", "br": ".br"}


class _Handler(SiteHandler):
    server: "BenchServer"

    def end_headers(self) -> None:
        if not self._path().startswith(BENCH):
            super().end_headers()
            return
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super(SiteHandler, self).end_headers()

    def _send(self, entry: Entry, chosen: Representation, with_body: bool) -> None:
        self.server.sent += 0 if self._path().startswith(PICTURES) else chosen.bytes
        super()._send(entry, chosen, with_body)


class BenchServer(SiteServer):
    """sent: bytes of all bodies so far, compressed as they went, but for the job's pictures."""

    sent = 0

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        super().__init__(entries, "127.0.0.1", 0)
        self.RequestHandlerClass = _Handler
        self.server_activate()


@contextmanager
def serving() -> Iterator[BenchServer]:
    entries = {
        **catalog.load(paths.SITE, paths.VARIANTS),
        OURS: _entry(WEB / "page.html"),
        **_folder(BENCH, WEB),
        **_folder(f"{BENCH}peers/", stages.PEERS.output),
        **_folder(f"{BENCH}stock/", stages.STOCK.output),
        **_folder(f"{BENCH}models/", stages.MODELS.output),
    }
    with BenchServer(entries) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def _folder(prefix: str, folder: Path) -> dict[str, Entry]:
    """What lies in a folder, with its compressed variants where they stand beside it; nothing, if there is none."""
    found = files.files_below(folder) if folder.exists() else []
    return {prefix + path.relative_to(folder).as_posix(): _entry(path) for path in found if path.suffix not in SUFFIXES.values()}


def _entry(path: Path) -> Entry:
    kind = mime_types.of(path.name)
    variants = {encoding: path.with_name(path.name + suffix) for encoding, suffix in SUFFIXES.items()}
    given = {"identity": path, **{encoding: variant for encoding, variant in variants.items() if variant.exists()}}
    return Entry(kind, tuple(Representation(encoding, one, one.stat().st_size, f'"{one.name}"') for encoding, one in given.items()))
