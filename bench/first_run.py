"""The first run, measured in Chromium: start, time per picture, training, export. Stock Pyodide's start runs beside it as the yardstick.

    .cache/venv/bin/python -m bench.first_run [--repetitions 5] [--pictures 24] [--write]

Every repetition opens two new browser contexts (cold caches): one loads pagetrain and does the job, one runs the stock
`loadPyodide({packages: ["numpy"]})` in a worker, from the same server. Medians of all repetitions are printed as a table; --write keeps
them in bench/results/. A quiet machine is needed: `calibration`, a fixed Python loop that is timed before each repetition, tells whether
it was one.
"""

import argparse
import base64
import datetime
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from sitebuild import catalog, chromium, files, paths
from sitebuild.catalog import Entry, Representation
from tests.serving import serving

PICTURES = paths.ROOT / "tests/data/trash/train"
RESULTS = Path(__file__).parent / "results"
MEASURES = {  # key: (what it is, unit, digits)
    "load": ("cold start: fetch, Python, model opened", "s", 2),
    "stock": ("stock loadPyodide with numpy, same browser and server", "s", 2),
    "load_ratio": ("cold start / stock", "", 2),
    "picture": ("decode, preprocess and frozen network, per picture (photos of 320 pixels)", "ms", 0),
    "train": ("training the last layer on the cached features, 10 epochs, batch 8", "s", 2),
    "export": ("export of the inference model", "ms", 0),
    "bytes": ("sent by the server in a cold visit, with brotli", "MB", 1),
    "calibration": ("a fixed Python loop, natively", "ms", 0),
}

JOB = """
async ({pictures, epochs}) => {
  const started = performance.now();
  const { Pagetrain } = await import(new URL("pagetrain.js", document.baseURI).href);
  const pt = await Pagetrain.load({ artifacts: "./artifacts/efficientnet-lite0/" });
  await pt.ready;
  const loaded = performance.now();
  const bytes = performance.getEntriesByType("resource").reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  await pt.setClasses([...new Set(pictures.map(({ label }) => label))]);
  const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const items = pictures.map(({ label, name, data }) => ({ label, file: new File([bytesOf(data)], name) }));
  const before = performance.now();
  const report = await pt.add(items);
  const added = performance.now();
  await pt.train({ epochs, batchSize: 8, validation: 0, seed: 0 });
  const trained = performance.now();
  const model = await pt.exportModel();
  const exported = performance.now();
  pt.dispose();
  if (report.added !== pictures.length) throw new Error("pictures were skipped");
  return { load: (loaded - started) / 1000, picture: (added - before) / pictures.length, train: (trained - added) / 1000,
           export: exported - trained, bytes: bytes / 1e6 };
}
"""
STOCK = """
async () => {
  const started = performance.now();
  const source = `importScripts("${location.origin}/stock/pyodide.js");
    loadPyodide({ indexURL: "${location.origin}/stock/", packages: ["numpy"] })
      .then((pyodide) => { pyodide.runPython("import numpy"); postMessage("ready"); }, (error) => postMessage(String(error)));`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const answer = await new Promise((resolve) => { worker.onmessage = (event) => resolve(event.data); });
  worker.terminate();
  if (answer !== "ready") throw new Error(answer);
  return (performance.now() - started) / 1000;
}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and with --write keeps."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="keep the result in bench/results/")
    options = parser.parse_args(arguments)
    pictures = _pictures(options.pictures)
    with _served() as url, _browser() as browser:
        rows = [_repetition(browser, url, {"pictures": pictures, "epochs": options.epochs}) for _ in range(options.repetitions)]
        version = browser.version
    result = _summary(rows, version, {"pictures": len(pictures), "epochs": options.epochs, "repetitions": options.repetitions})
    print(table(result))
    if options.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{result['date']}-first-run.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def table(result: Mapping[str, Any]) -> str:
    """The result as a Markdown table: median (minimum to maximum)."""
    lines = ["| what | median | range |", "|---|---|---|"]
    for key, (what, unit, digits) in MEASURES.items():
        low, middle, high = (f"{result['measures'][key][name]:.{digits}f}" for name in ("minimum", "median", "maximum"))
        lines.append(f"| {what} | {middle} {unit}".rstrip() + f" | {low} to {high} |")
    return "\n".join(lines)


def _repetition(browser: Browser, url: str, job: Mapping[str, Any]) -> dict[str, float]:
    row = {"calibration": _calibration()}
    row["stock"] = _in_new_page(browser, url, STOCK, None)
    row |= _in_new_page(browser, url, JOB, job)
    row["load_ratio"] = row["load"] / row["stock"]
    return row


def _in_new_page(browser: Browser, url: str, script: str, argument: object) -> Any:
    context = browser.new_context()
    try:
        page: Page = context.new_page()
        page.goto(f"{url}bench.html")
        return page.evaluate(script, argument)
    finally:
        context.close()


def _summary(rows: Sequence[Mapping[str, float]], browser: str, job: Mapping[str, int]) -> dict[str, Any]:
    measures = {key: [row[key] for row in rows] for key in MEASURES}
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "browser": f"Chromium {browser}",
        "job": dict(job),
        "measures": {
            key: {"median": statistics.median(values), "minimum": min(values), "maximum": max(values)} for key, values in measures.items()
        },
    }


def _commit() -> str:
    """The checkout's commit; "" outside of one."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=paths.ROOT)
    return found.stdout.strip()


def _calibration() -> float:
    """Milliseconds of a fixed loop."""
    started = time.perf_counter()
    sum(i * i for i in range(1_000_000))
    return (time.perf_counter() - started) * 1000


def _pictures(count: int) -> list[dict[str, str]]:
    """The first `count` photos, classes in turn."""
    by_class = [sorted(folder.iterdir()) for folder in sorted(PICTURES.iterdir()) if folder.is_dir()]
    files = [path for group in zip(*by_class, strict=False) for path in group][:count]
    if len(files) < count:
        raise SystemExit(f"error: there are {len(files)} photos in {PICTURES}; asked for {count}")
    return [{"label": path.parent.name, "name": path.name, "data": base64.b64encode(path.read_bytes()).decode()} for path in files]


@contextmanager
def _served() -> Iterator[str]:
    """The site, an empty page beside it, and Pyodide as its makers pack it under /stock/."""
    entries = catalog.load(paths.SITE, paths.VARIANTS)
    blank = paths.CACHE / "bench.html"
    blank.write_text("<!doctype html><title>bench</title>", encoding="utf-8")
    official = [*(paths.NODE_MODULES / "pyodide").iterdir(), *paths.PYODIDE_WHEELS.glob("*.whl")]
    by_content = {entry.representations[0].etag: entry for entry in entries.values()}
    for path in official:
        entries[f"/stock/{path.name}"] = by_content.get(f'"{files.sha256_of(path)}"') or _plain(path)
    entries["/bench.html"] = _plain(blank)
    with serving(entries) as server:
        yield server.url


def _plain(path: Path) -> Entry:
    kind = catalog.MIME_TYPES.get(path.suffix, "application/octet-stream")
    return Entry(kind, (Representation("identity", path, path.stat().st_size, f'"{path.name}"'),))


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.system_browser(), args=list(chromium.ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    main()
