"""What a visit fetched lies in the browser's cache storage for the next: nothing big is fetched twice, and damage there does not last."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from sitebuild import catalog, paths
from tests.browser.hosting import fail_loudly
from tests.serving import serving

pytestmark = pytest.mark.browser

LISTS = {"files.json", "manifest.json"}
LOAD = """async () => {
  const { Pagetrain } = await import('/pagetrain.js');
  window.pt = await Pagetrain.load({ artifacts: '/artifacts/efficientnet-lite0/' });
  await pt.ready;
}"""
KEPT = """async (count) => {
  const cache = await caches.open('pagetrain');
  while ((await cache.keys()).length < count) await new Promise((resolve) => setTimeout(resolve, 100));
}"""


@pytest.fixture
def server(site: Any) -> Iterator[SimpleNamespace]:
    with serving(catalog.load(site, paths.VARIANTS)) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: SimpleNamespace) -> Iterator[Any]:
    """Opens one more page of the same browser, and loads the trainer there."""
    context = browser.new_context()

    def opened() -> Page:
        page = context.new_page()
        fail_loudly(page)
        page.goto(server.url + "favicon.svg")
        return page

    yield opened
    context.close()


def fetched(server: SimpleNamespace, before: int) -> set[str]:
    return {target.rsplit("/", 1)[-1] for _, target, _ in server.requests[before:] if "/runtime/" in target or "/artifacts/" in target}


def test_a_second_visit_fetches_the_lists_alone(server: SimpleNamespace, visit: Any) -> None:
    """And trains as the first one would."""
    first = visit()
    first.evaluate(LOAD)
    files = fetched(server, 0) - LISTS
    assert len(files) > 15
    first.evaluate(KEPT, len(files))
    second, before = visit(), len(server.requests)
    second.evaluate(LOAD)
    assert fetched(server, before) <= LISTS
    answers = second.evaluate(
        """async () => {
          const noise = (seed) => new ImageData(new Uint8ClampedArray(224 * 224 * 4).map((_, i) => (i * seed * 7919) & 255), 224);
          await pt.setClasses(['a', 'b']);
          await pt.add([1, 2, 3, 4].map((seed) => ({ label: seed % 2 ? 'a' : 'b', pixels: noise(seed) })));
          await pt.train({ epochs: 2, seed: 1 });
          return [(await pt.predict(noise(1))).length, (await pt.exportModel()).size > 1e6];
        }"""
    )
    assert answers == [2, True]


def test_a_damaged_file_is_fetched_anew_on_the_next_try(server: SimpleNamespace, visit: Any) -> None:
    """A snapshot of the right length and other content: the start fails and says so; after that it is fetched, and works."""
    page = visit()
    page.evaluate(LOAD)
    page.evaluate(KEPT, len(fetched(server, 0) - LISTS))
    page.evaluate(
        """async () => {
          const cache = await caches.open('pagetrain');
          const [key] = (await cache.keys()).filter(({ url }) => url.includes('python.snapshot'));
          const size = (await (await cache.match(key)).blob()).size;
          await cache.put(key, new Response(new Blob([new Uint8Array(size)])));
        }"""
    )
    page = visit()
    code = page.evaluate(f"() => ({LOAD})().then(() => 'none', ({{ code }}) => code)")
    assert code == "start"
    page.close()
    visit().evaluate(LOAD)
