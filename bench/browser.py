"""One contestant's script in a Chromium of its own, with nothing cached, and the memory of its tab."""

import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from bench.contestants import Contestant
from bench.served import BENCH, BenchServer
from sitebuild import chromium

RUN = """([script, call, job]) => Promise.race([
  import(script).then((module) => module[call](job)),
  new Promise((_, reject) => setTimeout(() => reject(new Error("no answer after four minutes")), 240000)),
])"""
MARK = 'performance.getEntriesByName("pagetrain-usable")'
SAMPLE_SECONDS = 0.2
STAY_MS = 6000


def run(playwright: Playwright, server: BenchServer, contestant: Contestant, call: str, job: Mapping[str, Any]) -> dict[str, Any]:
    """What the script's function `call` answers, and: bytes, megabytes that the server sent; memory, megabytes of the largest renderer."""
    with profile(playwright) as context:
        return in_page(context, server, contestant, call, job)


def twice(playwright: Playwright, server: BenchServer, contestant: Contestant, call: str, job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answers of a first visit, and of a second one in the browser started anew with what the first has left in its caches.

    Each stays as long as a person would at least, because browsers and pages keep things when the work is done.
    """
    answers = []
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        for _ in range(2):
            with profile(playwright, folder) as context:
                answers.append(in_page(context, server, contestant, call, job, STAY_MS))
    return answers


def usable(playwright: Playwright, server: BenchServer) -> float:
    """Milliseconds from the navigation to the mark that the playground sets when it takes what is dropped; in a new browser."""
    with profile(playwright) as context:
        page = context.new_page()
        page.goto(server.url)
        page.wait_for_function(f"() => {MARK}.length > 0")
        return float(page.evaluate(f"() => {MARK}[0].startTime"))


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium that keeps nothing, and is closed in the end."""
    browser = playwright.chromium.launch(executable_path=chromium.system_browser(), args=list(chromium.ARGUMENTS))
    try:
        yield browser
    finally:
        browser.close()


def renderers(browser: Browser) -> list[int]:
    """The processes that show its pages; workers live in them, too."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return [process["id"] for process in processes if process["type"] == "renderer"]


@contextmanager
def profile(playwright: Playwright, folder: str | None = None) -> Iterator[BrowserContext]:
    """A started Chromium; its caches are in `folder`, or new and thrown away."""
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as temporary:
        started = playwright.chromium.launch_persistent_context(
            folder or temporary, executable_path=chromium.system_browser(), args=list(chromium.ARGUMENTS)
        )
        try:
            yield started
        finally:
            started.close()


def in_page(
    context: BrowserContext, server: BenchServer, contestant: Contestant, call: str, job: Mapping[str, Any], stay_ms: float = 0
) -> dict[str, Any]:
    page = context.new_page()
    page.goto(server.url.rstrip("/") + contestant.page)
    asked = {**job, "threads": contestant.threads, "options": contestant.options}
    before = server.sent
    with _Memory(page) as memory:
        answer: dict[str, Any] = page.evaluate(RUN, [f"{BENCH}{contestant.script}.js", call, asked])
    page.wait_for_timeout(stay_ms)
    page.close()
    return {**answer, "bytes": (server.sent - before) / 1e6, "memory": memory.megabytes}


class _Memory:
    """The largest resident size of any renderer, looked at again and again; None where the system does not tell (it is Linux's /proc)."""

    def __init__(self, page: Page) -> None:
        self._files = [Path(f"/proc/{process}/status") for process in renderers(page.context.browser)]
        self._kilobytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def megabytes(self) -> float | None:
        return self._kilobytes / 1024 if self._kilobytes else None

    def __enter__(self) -> "_Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(SAMPLE_SECONDS):
            self._look()
        self._look()

    def _look(self) -> None:
        for file in self._files:
            try:
                lines = file.read_text(encoding="ascii").splitlines()
            except OSError:
                continue
            self._kilobytes = max([self._kilobytes, *(int(line.split()[1]) for line in lines if line.startswith(("VmHWM", "VmRSS")))])
