"""An hour's work in minutes: pictures come, are learnt from, tried, taken and go again, and nothing is left of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Browser, CDPSession, expect

from bench.browser import renderers
from sitebuild import catalog, paths
from tests.browser.hosting import with_tiny_network
from tests.browser.many_pictures import class_folders
from tests.browser.studio import Opener, Studio
from tests.serving import serving

pytestmark = pytest.mark.browser

WARM_UP, ROUNDS = 4, 14
PICTURES = 30  # of each class in a round
OURS = {"object", "closure", "array", "string", "concatenated string", "regexp"}  # kinds of nodes in a heap snapshot that a script makes
# Blob URLs of pictures that are alive; those of files a person takes away live for a minute.
URLS = """
window.urls = new Set();
const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (blob) => {
  const url = createObjectURL.call(URL, blob);
  if (blob.type.startsWith("image/")) urls.add(url);
  return url;
};
URL.revokeObjectURL = (url) => { urls.delete(url); revokeObjectURL.call(URL, url); };
"""


class Held(NamedTuple):
    """What the page holds when everything that a round brought is gone again, and its garbage is collected.

    objects: bytes of what its own scripts made, without the browser's notes (compiled code, performance entries, requests for the
    inspector), which grow with what anybody does; memory: MB of its process that nobody else has, in which the trainer lives too.
    """

    objects: int
    memory: float
    nodes: int
    listeners: int
    urls: int


@pytest.fixture
def tiny_studio(new_studio: Opener, site: Path) -> Iterator[Studio]:
    """A page on a trainer that is fast."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as server:
        studio = new_studio(server)
        studio.page.add_init_script(URLS)
        yield studio.open().wait_ready()


def held(studio: Studio, browser: Browser, session: CDPSession) -> Held:
    session.send("HeapProfiler.collectGarbage")
    memory = sum(map(_anonymous_mb, renderers(browser)))
    counted = session.send("Memory.getDOMCounters")
    return Held(own_objects(session), memory, counted["nodes"], counted["jsEventListeners"], studio.page.evaluate("urls.size"))


def _anonymous_mb(process: int) -> float:
    """Without what is shared with the browser, where drawn parts of the page are kept."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss_Anon:")) / 1000


def own_objects(session: CDPSession) -> int:
    chunks: list[str] = []

    def keep(event: dict[str, str]) -> None:
        chunks.append(event["chunk"])

    session.on("HeapProfiler.addHeapSnapshotChunk", keep)
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    session.remove_listener("HeapProfiler.addHeapSnapshotChunk", keep)
    heap = json.loads("".join(chunks))
    fields, kinds = heap["snapshot"]["meta"]["node_fields"], heap["snapshot"]["meta"]["node_types"][0]
    nodes = np.array(heap["nodes"]).reshape(-1, len(fields))
    ours = np.isin(nodes[:, fields.index("type")], [kinds.index(kind) for kind in OURS])
    return int(nodes[ours, fields.index("self_size")].sum())


def one_round(studio: Studio, folder: Path, number: int) -> None:
    """Two classes of new pictures, from the drop to the saved model, and out again."""
    page = studio.page
    studio.go("Collect")
    studio.drop(*class_folders(folder, ["glass", "metal"], PICTURES, first=number * PICTURES))
    studio.wait_read(f"{2 * PICTURES} added")
    studio.train()
    studio.go("Try")
    studio.try_files(*sorted((folder / "glass").iterdir())[:20])
    studio.go("Take")
    for label in ("Save the model", "Save the project"):
        studio.save(label).delete()
    studio.go("Collect")
    for name in ("glass", "metal"):
        studio.roll(name).get_by_role("button", name=re.compile("^Remove")).click()
        page.get_by_role("button", name="Remove them").click()
        expect(studio.roll(name)).to_be_hidden()
    studio.report.locator("summary").click()
    page.get_by_role("button", name="Close this report").click()


def test_nothing_is_left(tiny_studio: Studio, browser: Browser, tmp_path: Path) -> None:
    """After the first rounds, which fill what is kept on purpose, nine more leave the page as large as it was."""
    session = tiny_studio.page.context.new_cdp_session(tiny_studio.page)
    seen = []
    for number in range(ROUNDS):
        one_round(tiny_studio, tmp_path / str(number), number)
        seen.append(held(tiny_studio, browser, session))
    first, last = seen[WARM_UP], seen[-1]
    pictures = 2 * PICTURES * (ROUNDS - WARM_UP - 1)
    assert last.objects - first.objects < 250 * pictures  # one that stays is a record, a key, a File; a table that doubles once is 65 KB
    assert last.memory < 1.15 * first.memory  # goes up and down by 5 % with what waits to be collected in the workers
    assert last.nodes < first.nodes + 150  # the last reports and answers, a few more or less
    earlier, later = ([one.listeners for one in some] for some in (seen[WARM_UP : WARM_UP + 3], seen[-3:]))
    assert min(later) <= max(earlier) + 4  # up and down by a few from round to round; one that stays each time makes five at least
    assert last.urls <= first.urls
