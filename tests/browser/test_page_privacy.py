"""What reaches the server: before the seal the build's own files, from the seal on nothing at all."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Locator, expect

from sitebuild.policy import CONTENT_SECURITY_POLICY
from tests.browser.conftest import FirstRun
from tests.browser.keeping import wait_saved
from tests.browser.pictures import class_folder
from tests.browser.studio import Opener, Studio

pytestmark = pytest.mark.browser

KEPT = """async () => [
  ...(await indexedDB.databases()).map(({ name }) => name),
  ...await caches.keys(),
  ...(await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL.split("/").at(-1)),
  ...Object.keys(localStorage),
]"""


def asked_beside_the_list(server: SimpleNamespace, site: Path) -> list[tuple[str, str]]:
    """Requests that are anything else than a GET, without query and body, for a file of the build's list."""
    listed = {"/" + file["path"] for file in json.loads((site / "pagetrain-site.json").read_text(encoding="utf-8"))["files"]} | {"/"}
    return [
        (method, target)
        for method, target, headers in server.requests
        if method != "GET" or target not in listed or headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in headers
    ]


def test_before_the_seal(first_run: FirstRun, site: Path) -> None:
    """Photos were dropped while the page still loaded: only GETs without query or body for files in the build's list were made."""
    assert len(first_run.studio.server.requests) > 20
    assert asked_beside_the_list(first_run.studio.server, site) == []


def test_after_the_seal(first_run: FirstRun) -> None:
    """No request from the seal on, through adding, training, trying and taking, all of it offline; and the page says so."""
    assert first_run.requests_at_end == first_run.requests_at_seal
    assert first_run.studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]


def test_on_a_host_that_sends_no_headers(new_studio: Opener, bare_server: SimpleNamespace, site: Path, tmp_path: Path) -> None:
    """The same with the policy of the page alone: the whole job works, and nothing is asked for after the seal."""
    folders = [class_folder(tmp_path, name, colour, 4) for name, colour in (("warm", "red"), ("cold", "blue"))]
    studio = new_studio(bare_server).open()
    studio.drop(*folders)
    studio.wait_ready()
    at_seal = len(bare_server.requests)
    studio.wait_read("8 added")
    studio.train()
    studio.go("Try")
    studio.try_files(class_folder(tmp_path, "unseen", "red", 1, 90) / "red-90.png")
    studio.next.click()
    studio.save("Save the model").save_as(tmp_path / "model.onnx")
    studio.save("Save the project").save_as(tmp_path / "model.pagetrain")
    assert (tmp_path / "model.onnx").stat().st_size > 1_000_000
    assert len(bare_server.requests) == at_seal
    assert asked_beside_the_list(bare_server, site) == []
    assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]


def test_what_the_page_says_about_it(first_run: FirstRun) -> None:
    """The sheet behind the seal counts the requests since, and names what was loaded before and what is kept; Escape closes it."""
    page = first_run.studio.page
    page.wait_for_function("() => inside.state.offline.phase === 'kept'")
    first_run.studio.seal.click()
    sheet = page.get_by_role("dialog")
    assert sheet.get_by_text("requests since the page was sealed").is_visible()
    loaded, kept = (sheet.get_by_role("table").nth(place) for place in (0, 1))
    assert rows(loaded) == ["Page", "Python", "numpy and Pillow", "Picture model"]
    assert "Page and trainer" in rows(kept)
    assert sheet.get_by_text("The page opens without a network from now on.").is_visible()
    page.keyboard.press("Escape")
    assert not sheet.is_visible()


def test_everything_can_be_erased(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Projects, the kept page and what was chosen go, as before a first visit; not after a no, nor while another tab is open."""
    studio = visit()
    page = studio.page
    studio.drop(class_folder(tmp_path, "red", "red", 2))
    studio.wait_read("2 added")
    wait_saved(studio)
    page.wait_for_function("() => inside.state.offline.phase === 'kept'")
    page.get_by_role("button", name="Lights off").click()
    studio.seal.click()
    page.get_by_role("button", name="Erase everything here").click()
    page.get_by_role("button", name="Keep it").click()
    assert page.evaluate(KEPT) == ["pagetrain", "pagetrain", "sw.js", "pagetrain.theme"]
    other = visit()
    page.bring_to_front()
    page.get_by_role("button", name="Erase everything here").click()
    page.get_by_role("button", name="Erase everything", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="open in another tab")).to_be_visible()
    assert page.evaluate(KEPT) == ["pagetrain", "pagetrain", "sw.js", "pagetrain.theme"]
    other.page.close()
    page.get_by_role("button", name="Erase everything here").click()
    with page.expect_navigation(wait_until="commit"):
        page.get_by_role("button", name="Erase everything", exact=True).click()
    assert page.evaluate(KEPT) == []  # some seconds later the page itself is kept anew
    expect(page.get_by_text("Drop photos here")).to_be_visible()
    expect(page.get_by_role("button", name="Lights off")).to_be_visible()


def rows(table: Locator) -> list[str]:
    expect(table).to_be_visible()
    return [row.inner_text().split("\t")[0] for row in table.get_by_role("row").all()[1:]]


def test_the_policy_is_one_click_away(first_run: FirstRun) -> None:
    """What stands there is what is in force: the policy the page came with, and the seal, word by word; on a small screen, too."""
    page = first_run.studio.page
    size = page.viewport_size
    assert size
    page.set_viewport_size({"width": 360, "height": 800})
    first_run.studio.seal.click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_text("Show the rule word by word").click()
    shown = sheet.get_by_role("region", name="Content security policy").inner_text()
    for policy in (CONTENT_SECURITY_POLICY, SEAL):
        assert policy.replace("; ", "\n") in shown
    assert sheet.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("Escape")
    page.set_viewport_size(size)


# As web/module/seal.js sets it, from the design: no address at all, workers and pictures only from inside the page.
SEAL = "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; img-src blob:; connect-src 'none'; form-action 'none'"
