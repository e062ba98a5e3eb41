"""Importing pagetrain in a stock Pyodide in Chromium, once numpy is loaded, and the size of its wheel.

    .cache/venv/bin/python -m bench.import_time [--repetitions 7] [--write]

Every repetition is a new browser with a new Pyodide in a worker, as another person's page starts it: its packages come from the folder
that Pyodide's makers pack, the wheels of flatbuffers and pagetrain from their own addresses. --write keeps the result in bench/results/.
"""

import argparse
import statistics
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Playwright, sync_playwright

from bench import results
from bench.browser import launched
from sitebuild import byte_code, paths
from tests.browser.hosting import entry_of_file
from tests.serving import serving

STEPS = {  # one after the other, in one Pyodide: milliseconds of each
    "import": "import pagetrain",
    "classes": "from pagetrain import CheckpointState, Module, Optimizer",
    "personalizer": "from pagetrain import Personalizer",
    "kernels": "list(pagetrain.kernels.all_kernels())",
}
WORKER = """
importScripts(`${origin}/pyodide.js`);
(async () => {
  const pyodide = await loadPyodide({ indexURL: `${origin}/`, packages: ["numpy", "pillow"] });
  for (const wheel of wheels) {
    const bytes = await (await fetch(`${origin}/${wheel}`)).arrayBuffer();
    pyodide.unpackArchive(bytes, "wheel", { extractDir: "/lib/python3.12/site-packages" });
  }
  pyodide.runPython("import numpy");
  const times = {};
  for (const [name, code] of Object.entries(steps)) {
    const started = performance.now();
    pyodide.runPython(code);
    times[name] = performance.now() - started;
  }
  postMessage({ times });
})().catch((error) => postMessage({ error: String(error) }));
"""
PAGE = """
async ([source, given]) => {
  const text = `const { origin, wheels, steps } = ${JSON.stringify({ origin: location.origin, ...given })}; ${source}`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const { times, error } = await new Promise((resolve) => { worker.onmessage = (event) => resolve(event.data); });
  worker.terminate();
  if (error) throw new Error(error);
  return times;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="keep the result in bench/results/")
    options = parser.parse_args()
    with sync_playwright() as playwright, _served() as url:
        calibrations, rounds = [], []
        for _ in range(options.repetitions):
            calibrations.append(results.calibrate())
            times, version = _times(playwright, url)
            rounds.append({"pagetrain": times})
    result = results.found("import", {"wheel_bytes": _pagetrain().stat().st_size}, version, rounds, calibrations)
    for name, code in STEPS.items():
        values = [one["pagetrain"][name] for one in rounds]
        print(f"{statistics.median(values):6.0f} ms ({min(values):.0f} to {max(values):.0f})  {code}")
    print(f"{result['sizes']['wheel_bytes']} bytes  {_pagetrain().name}")
    if options.write:
        results.write(results.FOLDER, result)


def _times(playwright: Playwright, url: str) -> tuple[Mapping[str, float], str]:
    """Milliseconds of each step in a browser of its own, and the browser's version."""
    with launched(playwright) as browser:
        page = browser.new_page()
        page.goto(f"{url}page.html")
        given = {"wheels": [wheel.name for wheel in _wheels()], "steps": STEPS}
        times: Mapping[str, Any] = page.evaluate(PAGE, [WORKER, given])
        return times, browser.version


def _pagetrain() -> Path:
    return byte_code.wheel("pagetrain")


def _wheels() -> list[Path]:
    return [byte_code.wheel(name) for name in ("flatbuffers", "pagetrain")]


@contextmanager
def _served() -> Iterator[str]:
    """Pyodide as its makers pack it, the wheels, and an empty page."""
    page = paths.ROOT / "bench" / "web" / "page.html"
    files = [*(paths.NODE_MODULES / "pyodide").iterdir(), *paths.PYODIDE_WHEELS.glob("*.whl"), *_wheels()]
    entries = {"/page.html": entry_of_file(page), **{f"/{path.name}": entry_of_file(path) for path in files if path.is_file()}}
    with serving(entries) as server:
        yield server.url


if __name__ == "__main__":
    main()
