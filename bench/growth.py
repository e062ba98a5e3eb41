"""Growth: some thousand pictures in one drop, and whether the page stays as quick and as small as it was with the first.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.growth [--pictures 2000] [--photos 0.25] [--network tiny] [--screens FOLDER]

Class folders of distinct JPEGs are dropped by the browser itself, a share of them whole photos of 320 pixels, the others small ones. While
the page reads them it is sampled: long tasks of its main thread, how late a timer comes, JavaScript heap, elements, and the memory of its
renderer (PSS; the workers live in there, too). Then it trains, exports, and the same folders, made anew, are dropped and cancelled.
With the tiny network of the tests a picture costs next to nothing, so what is measured is the page.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench import results
from bench.browser import launched, renderers
from sitebuild import catalog, paths
from tests.browser.dropping import drop
from tests.browser.hosting import with_tiny_network
from tests.browser.many_pictures import CLASSES, class_folders
from tests.serving import serving

NETWORK = "efficientnet-lite0"
SETTLED = 200  # pictures after which memory is to stay as it is
EVERY_S = 0.25

# Before the page's own scripts: long tasks (50 ms and more), and how late a timer of 10 ms comes.
WATCH = """
window.watched = { tasks: [], late: 0 };
new PerformanceObserver((list) => list.getEntries().forEach(({ startTime, duration }) => watched.tasks.push([startTime, duration])))
  .observe({ type: "longtask", buffered: true });
let before = performance.now();
setInterval(() => { const now = performance.now(); watched.late = Math.max(watched.late, now - before - 10); before = now; }, 10);
"""
INSIDE = """async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const [{ state }, { enqueue }] = [modules["page/state.js"], modules["page/trainer.js"]];
  window.inside = { state, enqueue };
}"""
SAMPLE = """() => {
  const intake = inside.state.drops[0];
  return { at: performance.now(), read: intake ? intake.total - intake.open.size : 0, took: intake?.took ?? null };
}"""
TRAIN = """async () => {
  const began = performance.now();
  const history = await inside.enqueue((pt) => pt.train({ epochs: 10, batchSize: 32, seed: 0 }));
  return { seconds: (performance.now() - began) / 1000, validation: history.validationAccuracy };
}"""
EXPORT = """async () => {
  const began = performance.now();
  const model = await inside.enqueue((pt) => pt.exportModel());
  return { ms: performance.now() - began, bytes: model.size };
}"""


class Renderer:
    """What a page takes: by the kernel (PSS of its process, MB) and by the browser (heap in MB, elements and nodes)."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self._ids = renderers(browser)
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def sample(self) -> dict[str, float]:
        metrics = {one["name"]: one["value"] for one in self._session.send("Performance.getMetrics")["metrics"]}
        return {"memory": self._memory(), "heap": metrics["JSHeapUsedSize"] / 1e6, "nodes": metrics["Nodes"]}

    def settled_mb(self) -> float:
        """Memory after the page's garbage is collected."""
        self._session.send("HeapProfiler.collectGarbage")
        return self._memory()

    def _memory(self) -> float:
        return sum(map(_pss_mb, self._ids))


def _pss_mb(process: int) -> float:
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:  # it ended
        return 0.0
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1000


def run(quick: bool) -> dict[str, Any]:
    """The job of python -m bench: 2,000 pictures through the real network; quick: just enough for the table, through the tiny one."""
    return _measured(SETTLED + 60, 0.05, "tiny") if quick else _measured(2000, 0.25, NETWORK)


def _measured(pictures: int, photos: float, network: str, screens: Path | None = None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, served(network) as url, sync_playwright() as playwright, launched(playwright) as browser:
        result = measure(browser, url, Path(folder), pictures, photos, screens)
        return {**results.about("growth"), "browser": f"Chromium {browser.version}", "network": network, **result}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--pictures", type=int, default=2000)
    parser.add_argument("--photos", type=float, default=0.25, help="share of whole photos")
    parser.add_argument("--network", choices=("tiny", NETWORK), default="tiny")
    parser.add_argument("--screens", type=Path, help="where to put screenshots of the page with all pictures")
    options = parser.parse_args(arguments)
    print(table(_measured(options.pictures, options.photos, options.network, options.screens)))


def measure(browser: Browser, url: str, folder: Path, pictures: int, photos: float, screens: Path | None) -> dict[str, Any]:
    """One page, from the drop to the cancelled second drop."""
    page = browser.new_page(locale="en-US")
    page.add_init_script(WATCH)
    page.goto(url)
    page.evaluate(INSIDE)
    page.wait_for_function("() => inside.state.load.phase === 'ready'", timeout=120_000)
    page.wait_for_timeout(1000)
    renderer = Renderer(browser, page)
    page.evaluate("() => { watched.tasks = []; watched.late = 0; }")
    drop(page, class_folders(folder / "first", CLASSES, -(-pictures // len(CLASSES)), whole=photos))
    samples = list(_samples(page, renderer))
    watched = page.evaluate("watched")
    result = {"pictures": pictures, "photos": photos, "samples": samples, "reading": _reading(samples, watched)}
    if screens:
        _look(page, screens)
    result["training"] = page.evaluate(TRAIN)
    before = renderer.settled_mb()
    result["export"] = page.evaluate(EXPORT)
    result["export"]["added"] = renderer.settled_mb() - before
    drop(page, class_folders(folder / "second", CLASSES, -(-pictures // len(CLASSES)), whole=photos, first=pictures))
    result["cancel"] = _cancel(page)
    page.close()
    return result


def _samples(page: Page, renderer: Renderer) -> Iterator[dict[str, Any]]:
    """Until all is read."""
    while True:
        sample = {**page.evaluate(SAMPLE), **renderer.sample()}
        yield sample
        if sample["took"] is not None:
            return
        time.sleep(EVERY_S)


def _reading(samples: Sequence[Mapping[str, Any]], watched: Mapping[str, Any]) -> dict[str, Any]:
    """[first, last]: of the first and the last third of the pictures after those that settle it. Memory and heap, which rise until garbage
    is collected and fall then, as means; nodes at most."""
    settled = [one for one in samples if one["read"] >= SETTLED]
    third = (settled[-1]["read"] - settled[0]["read"]) / 3
    early = [one for one in settled if one["read"] <= settled[0]["read"] + third]
    late = [one for one in settled if one["read"] >= settled[-1]["read"] - third]
    means = {name: [statistics.mean(one[name] for one in part) for part in (early, late)] for name in ("memory", "heap")}
    return {
        "seconds": samples[-1]["took"] / 1000,
        "picture": [_per_picture(early), _per_picture(late)],
        **means,
        "memory_most": max(one["memory"] for one in settled),
        "nodes": [max(one["nodes"] for one in part) for part in (early, late)],
        "long_tasks": [duration for _, duration in watched["tasks"]],
        "latest_timer": watched["late"],
    }


def _per_picture(samples: Sequence[Mapping[str, Any]]) -> float:
    """Milliseconds."""
    return (samples[-1]["at"] - samples[0]["at"]) / max(1, samples[-1]["read"] - samples[0]["read"])


def _cancel(page: Page) -> dict[str, float]:
    """Milliseconds from the click on Cancel to the report that says so."""
    page.wait_for_function("() => inside.state.drops[0].total - inside.state.drops[0].open.size > 50 && inside.state.drops.length > 1")
    began = time.perf_counter()
    page.get_by_role("button", name="Cancel the rest").click()
    page.wait_for_function("() => inside.state.drops[0].took !== null", polling=20)
    took = (time.perf_counter() - began) * 1000
    said = page.locator("section.intake-box summary").first.inner_text()
    return {"ms": took, "said": said}


def _look(page: Page, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((1280, 900), (360, 740)):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme)
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / f"{width}-{theme}.png", full_page=True)


def table(result: Mapping[str, Any]) -> str:
    """The result as a Markdown table."""
    one = result["reading"]
    tasks = one["long_tasks"]
    rows = [
        (f"for each picture, in the first and the last third after {SETTLED}", f"{_both(one['picture'], 1)} ms"),
        ("memory of the tab, mean of the same thirds, and at most", f"{_both(one['memory'])}, {one['memory_most']:.0f} MB"),
        ("JavaScript heap of the page, mean of the same thirds", f"{_both(one['heap'], 1)} MB"),
        ("nodes, at most in these thirds", _both(one["nodes"])),
        ("longest task of the main thread, and how many took over 50 ms", f"{max(tasks, default=0):.0f} ms, {len(tasks)}"),
        ("how late a timer came at most", f"{one['latest_timer']:.0f} ms"),
        ("training, 10 epochs of batch 32", f"{result['training']['seconds']:.1f} s"),
        ("export, and what it added to the tab", f"{result['export']['ms']:.0f} ms, {result['export']['added']:.1f} MB"),
        ("from Cancel to the end of a drop", f"{result['cancel']['ms']:.0f} ms ({result['cancel']['said']})"),
    ]
    title = f"{result['pictures']} pictures, {result['photos']:.0%} of 320 pixels, {result['network']}, {one['seconds']:.1f} s"
    return "\n".join([f"| {title} | |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)])


def _both(values: Sequence[float], digits: int = 0) -> str:
    return " and ".join(f"{value:.{digits}f}" for value in values)


@contextmanager
def served(network: str) -> Iterator[str]:
    """The site, and its address; with the tiny network in the place of the real one."""
    entries = catalog.load(paths.SITE, paths.VARIANTS)
    if network == "tiny":
        entries = with_tiny_network(entries)
    with serving(entries) as server:
        yield server.url


if __name__ == "__main__":
    main()
