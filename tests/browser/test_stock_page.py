"""Other people's pages: Pyodide as its makers pack it, and the wheels by micropip from a site of another origin."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page

from tests.browser.hosting import PLAIN_PAGE, entry_of, entry_of_file
from tests.serving import serving

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1]
ARTIFACTS = TESTS / "data" / "tiny_artifacts"
START = """async ([urls, files]) => {
  await new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: "pyodide.js", onload: resolve, onerror: reject }));
  });
  const pyodide = await loadPyodide({ indexURL: new URL("./", document.baseURI).href, packages: ["numpy", "pillow", "micropip"] });
  await pyodide.pyimport("micropip").install(urls);
  for (const name of files) {
    const place = `/job/${name}`;
    pyodide.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
    pyodide.FS.writeFile(place, new Uint8Array(await (await fetch(name)).arrayBuffer()));
  }
  return pyodide.runPython(`
import sys
sys.path.append("/job")
import pagetrain, tiny
made = tiny.trained()
pagetrain.backend.name() + " " + str([made.predict(tiny.picture(label, 100))[0].label for label in made.labels])
`);
}"""


@pytest.mark.parametrize("accelerated", [False, True], ids=["alone", "with the accelerator"])
def test_a_stock_page_installs_and_trains(page: Page, server: SimpleNamespace, tmp_path: Path, accelerated: bool) -> None:
    """Three colours are told apart; of the site nothing is fetched but the wheels."""
    from sitebuild import byte_code, paths

    names = ["flatbuffers", "pagetrain", *(["pagetrain_accelerator"] if accelerated else [])]
    wheels = [byte_code.wheel(name).name for name in names]
    stock = [*(paths.NODE_MODULES / "pyodide").iterdir(), *paths.PYODIDE_WHEELS.glob("*.whl")]
    job = {"tiny.py": TESTS / "tiny.py", **{f"data/tiny_artifacts/{path.name}": path for path in ARTIFACTS.iterdir()}}
    entries = {f"/{path.name}": entry_of_file(path) for path in stock if path.is_file()}
    entries |= {f"/{name}": entry_of_file(path) for name, path in job.items()} | {
        "/": entry_of(tmp_path / "page.html", PLAIN_PAGE.encode())
    }
    with serving(entries, plain=True) as host:
        page.goto(host.url)
        said = page.evaluate(START, [[f"{server.url}runtime/{wheel}" for wheel in wheels], list(job)])
    backend, _, answers = said.partition(" ")
    assert answers == "['red', 'green', 'blue']"
    assert (backend != "numpy") == accelerated
    # In any order: micropip asks for all at once.
    assert sorted(target for _, target, _ in server.requests) == sorted(f"/runtime/{wheel}" for wheel in wheels)
