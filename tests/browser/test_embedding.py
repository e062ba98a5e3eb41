"""Workers that turn pictures into features: the same bits with and without them, before Python is there, and when they fail."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from pagetrain.picture import Pixels, key_of
from tests.browser.hosting import ARTIFACTS, STRIKE, entry_of, fail_loudly, hand_over, hosting, photos

pytestmark = pytest.mark.browser
LABELS = ["glass", "paper"]
EMBEDDER = "pagetrain embedder"

# Says how many processors there are; workers called `without` cannot be made; Python's worker gets no message before window.release().
WORKERS = """([cores, without, held]) => {
  Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => cores });
  const Real = Worker;
  const waiting = [];
  let isHeld = held;
  window.release = () => { isHeld = false; for (const send of waiting.splice(0)) send(); };
  window.Worker = class extends Real {
    constructor(url, options) {
      if (options.name === without) throw new Error('no such worker here');
      super(url, options);
      this.isPython = options.name === 'pagetrain';
    }
    postMessage(...message) {
      if (this.isPython && isHeld) waiting.push(() => super.postMessage(...message));
      else super.postMessage(...message);
    }
  };
}"""
MAKE_PIXELS = """([count, size]) => {
  window.drawn = Array.from({ length: count }, (_, n) => {
    const data = new Uint8ClampedArray(size * size * 4).map((_, i) => (i % 4 === 3 ? 255 : (i * (n + 3) * 7919 + ((i * i) >> 7)) & 255));
    return { label: n % 2 ? 'paper' : 'glass', pixels: new ImageData(data, size), name: `drawing ${n}` };
  });
}"""
HASHES = """async () => {
  const hash = async (floats) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', floats))).join();
  const all = [];
  for (const one of [...train, ...drawn]) all.push(await hash(await pt.features(one.file ?? one.pixels)));
  return all;
}"""


@pytest.fixture(scope="module")
def host(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    with hosting(site, tmp_path_factory.mktemp("host")) as running:
        yield running


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Any]:
    """new_page(url, cores=, without=, held=): a page with pictures as window.train and window.drawn; page.said: its console."""
    pages: list[Page] = []

    def new(url: str, *, cores: int = 2, without: str = "", held: bool = False) -> Page:
        page = browser.new_page()
        pages.append(page)
        page.said = fail_loudly(page)
        page.add_init_script(f"({WORKERS})({json.dumps([cores, without, held])})")
        page.goto(url + "host.html")
        hand_over(page, "train", photos("train", LABELS, 2))
        page.evaluate(MAKE_PIXELS, [4, 224])
        return page

    yield new
    for page in pages:
        page.close()


def load(page: Page, **options: Any) -> None:
    """window.pt, as Pagetrain.load gives it: Python may not be there yet."""
    page.evaluate(
        """async (options) => {
          const { Pagetrain } = await import('./pagetrain.js');
          window.pt = await Pagetrain.load(options);
        }""",
        {"artifacts": ARTIFACTS, **options},
    )


def test_features_do_not_depend_on_who_makes_them(host: SimpleNamespace, new_page: Any) -> None:
    """Python alone, one worker beside it, and two: the same bits for files and for pixels. numpy's differ by its rounding alone."""
    hashes = {}
    for workers, cores, without in ((0, 2, EMBEDDER), (1, 1, ""), (2, 2, "")):
        page = new_page(host.url, cores=cores, without=without)
        load(page)
        page.evaluate("pt.ready")
        assert len(page.workers) == 1 + workers
        assert page.evaluate("pt.backend") == "relaxed-simd"
        hashes[workers] = page.evaluate(HASHES)
        said = ["embedding worker could not be started (no such worker here)"] * (workers == 0)
        assert len(page.said) == len(said)
        assert all(part in line for part, line in zip(said, page.said, strict=True))
        features = page.evaluate("async () => Array.from(await pt.features(train[0].file))")
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes[0])) == 8
    page = new_page(host.url)
    load(page, backend="numpy")
    page.evaluate("pt.ready")
    assert (page.evaluate("pt.backend"), len(page.workers)) == ("numpy", 1)
    in_numpy = page.evaluate("async () => Array.from(await pt.features(train[0].file))")
    # 50 layers, each with sums of up to 1152 float32 products, added up in another order.
    np.testing.assert_allclose(in_numpy, features, rtol=1e-3, atol=1e-4)


def test_pictures_before_python_is_there(host: SimpleNamespace, new_page: Any) -> None:
    """Classes and pixels are taken while Python starts, told as ever; then training has them, with the keys that Python gives."""
    page = new_page(host.url, held=True)
    load(page)
    early = page.evaluate(
        """async () => {
          const about = { state: pt.state, name: pt.name, featureBytes: pt.featureBytes, backend: pt.backend };
          const classes = await pt.setClasses(['paper', 'glass']);
          const seen = [];
          const report = await pt.add([...drawn, drawn[0]], { onProgress: (progress) => seen.push(progress.done) });
          await pt.setClasses(['glass', 'paper']);
          return { about, classes, report, seen, state: pt.state };
        }"""
    )
    assert early["about"] == {"state": "starting", "name": "efficientnet-lite0", "featureBytes": 5120, "backend": "relaxed-simd"}
    assert (early["state"], early["classes"], early["seen"]) == ("starting", ["paper", "glass"], [1, 2, 3, 4, 5])
    assert early["report"]["added"] == 4
    assert [one["duplicate"] for one in early["report"]["pictures"]] == [False] * 4 + [True]
    assert [one["name"] for one in early["report"]["pictures"]][:2] == ["drawing 0", "drawing 1"]
    data = bytes(page.evaluate("Array.from(drawn[1].pixels.data)"))
    assert early["report"]["pictures"][1]["key"] == key_of(Pixels(224, 224, data, 4))
    late = page.evaluate(
        """async () => {
          const waiting = pt.train({ epochs: 2, validation: 0 });
          window.release();
          const history = await waiting;
          const again = await pt.add(drawn);
          return { state: pt.state, count: history.trainCount, again: again.pictures.map((one) => one.duplicate), labels: pt.labels };
        }"""
    )
    assert late == {"state": "ready", "count": 4, "again": [True] * 4, "labels": ["glass", "paper"]}
    assert page.said == []


def test_names_that_python_has_to_see_wait_for_it(host: SimpleNamespace, new_page: Any) -> None:
    """Whether it was there or not makes no difference: refused in its words, or with the space around a name taken away."""
    page = new_page(host.url, held=True)
    load(page)
    outcome = page.evaluate(
        """async () => {
          const twice = pt.setClasses(['a', 'a']).catch((error) => [error.kind, error.message]);
          const spaces = pt.setClasses([' b ', 'c']);
          window.release();
          return [await twice, await spaces, pt.labels];
        }"""
    )
    assert outcome == [["InvalidInputError", "Class names must differ, but 'a' is there twice."], ["b", "c"], ["b", "c"]]


def test_python_that_cannot_start(host: SimpleNamespace, new_page: Any) -> None:
    """After load is through, `ready` and every call that needs Python reject and say why; asked again, it is tried again."""
    page = new_page(host.url, held=True)
    load(page)
    page.evaluate("() => { window.told = pt.ready.catch(({ kind, code, message }) => ({ kind, code, message })); }")
    page.workers[-1].evaluate(STRIKE)
    outcome = page.evaluate(
        """async () => {
          const ready = await told;
          const state = pt.state;
          window.release();
          await pt.ready;
          await pt.setClasses(['glass', 'paper']);
          return { ready, state, then: pt.state, added: (await pt.add(drawn)).added };
        }"""
    )
    assert (outcome["ready"]["kind"], outcome["ready"]["code"], outcome["state"]) == ("load", "start", "failed")
    assert "struck" in outcome["ready"]["message"]
    assert (outcome["then"], outcome["added"]) == ("ready", 4)


def test_a_worker_that_dies_costs_no_picture(host: SimpleNamespace, new_page: Any) -> None:
    """Struck while pictures are added, one after another: all are there, with the same features; nobody needs to be told."""
    page = new_page(host.url)
    load(page)
    page.evaluate("async () => { await pt.ready; await pt.setClasses(['glass', 'paper']); }")
    before = page.evaluate(HASHES)
    page.evaluate("() => { window.adding = pt.add([...train, ...drawn]); }")
    for worker in page.workers[:2]:
        worker.evaluate(STRIKE)
    report = page.evaluate("adding")
    assert (report["added"], report["skipped"]) == (8, [])
    assert page.evaluate(HASHES) == before
    assert [line for line in page.said if "struck" not in line] == []


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda program: b"{", "Expected property name"),
        (lambda program: json.dumps({**program, "version": 2}).encode(), "its format is pagetrain-embedding 2"),
        (lambda program: json.dumps({**program, "memory": 10**12}).encode(), "asks for 1000000000000 bytes"),
        (lambda program: json.dumps({**program, "outputs": [{}]}).encode(), "reading 'reduce'"),
        (lambda program: json.dumps({**program, "picture": [["format_disk", 1]]}).encode(), "no function format_disk"),
        (lambda program: json.dumps({**program, "picture": [["add", [0], [0], [0], 10**9]]}).encode(), "memory access out of bounds"),
    ],
    ids=["no JSON", "another version", "too much memory", "no shapes", "an unknown function", "calls beyond the memory"],
)
def test_a_damaged_program_leaves_the_work_to_python(site: Path, tmp_path: Path, new_page: Any, change: Any, said: str) -> None:
    """A line on the console says what is wrong with it; pictures are taken as ever."""
    folder = site / ARTIFACTS
    described = json.loads((folder / "manifest.json").read_text())
    content = change(json.loads((folder / "embedding.json").read_text()))
    described["files"]["embedding"] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with hosting(site, tmp_path) as host:
        for name, text in (("embedding.json", content), ("manifest.json", json.dumps(described).encode())):
            host.entries[f"/{ARTIFACTS}{name}"] = entry_of(tmp_path / name, text, "application/json")
        page = new_page(host.url)
        load(page)
        assert (
            page.evaluate("async () => { await pt.setClasses(['glass', 'paper']); return (await pt.add(train.slice(0, 1))).added; }") == 1
        )
        assert len(page.said) == 1
        assert said in page.said[0], page.said
        assert len(page.workers) == 1


def test_other_pixels_are_brought_into_shape(host: SimpleNamespace, new_page: Any) -> None:
    """Of another size, or seen through: resized, cropped and laid on the background as a file without loss is."""
    page = new_page(host.url)
    load(page)
    same = page.evaluate(
        """async () => {
          await pt.ready;
          const same = [];
          for (const size of [[300, 260], [224, 224]]) {
            const data = new Uint8ClampedArray(size[0] * size[1] * 4).map((_, i) => (i * 31 + (i >> 5)) & 255);
            const pixels = new ImageData(data, size[0]);
            const rgba = new Uint8Array(data);
            const seen = await pt.pixels(pixels);
            const rows = await pt.features({ width: seen.width, height: seen.height, data: seen.data });
            const direct = await pt.features(pixels);
            same.push(rows.every((value, index) => value === direct[index]), rgba.length === data.length, [seen.width, seen.height]);
          }
          return same;
        }"""
    )
    assert same == [True, True, [224, 224]] * 2


def test_the_page_takes_a_backend(host: SimpleNamespace, browser: Browser) -> None:
    """?backend=numpy leaves the accelerated kernels out: Python's worker is then the only one."""
    count = {}
    for query in ("", "?backend=numpy"):
        page = browser.new_page()
        page.goto(f"{host.url}{query}")
        phase = page.evaluate(
            """async () => {
              const { state } = (await import('./page/main.js')).modules['page/state.js'];
              while (state.load.phase === 'loading') await new Promise((resolve) => setTimeout(resolve, 50));
              return state.load.phase;
            }"""
        )
        assert phase == "ready"
        count[query] = len(page.workers)
        page.close()
    assert count == {"": 3, "?backend=numpy": 1}
