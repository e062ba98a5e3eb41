"""The page without a network: what a first visit leaves is enough, of one build, and no more than was asked for before the seal."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, expect

from sitebuild import catalog, paths, static_folder
from sitebuild.catalog import Entry, Representation
from tests.browser.hosting import entry_of, listed, with_tiny_network
from tests.browser.pictures import class_folder
from tests.browser.studio import START_MS, Opener, Studio
from tests.serving import serving

pytestmark = pytest.mark.browser

RECORD = """async () => {
  const response = await caches.match(new URL('kept-page.json', document.baseURI), { cacheName: 'pagetrain' });
  return response ? response.json() : null;
}"""
DROP_KEPT = """async (name) => {
  const cache = await caches.open('pagetrain');
  const keys = (await cache.keys()).filter(({ url }) => url.includes(name));
  await Promise.all(keys.map((key) => cache.delete(key)));
  return keys.length;
}"""
BROWSERS_OWN_CHECK_MS = 3000  # a browser looks for a new service worker a second after a page has loaded


def phase(studio: Studio) -> str:
    return str(studio.page.evaluate("() => inside.state.offline.phase"))


def wait_kept(studio: Studio) -> Studio:
    """Until everything of this visit is kept: three seconds after it is ready."""
    studio.wait_ready(offline=False)
    studio.page.wait_for_function("() => inside.state.offline.phase !== 'fetching'", timeout=START_MS)
    assert phase(studio) == "kept"
    return studio


def open_offline(studio: Studio) -> Studio:
    """The page, opened while there is no network."""
    studio.set_offline(True)
    studio.page.goto(studio.server.url, wait_until="domcontentloaded")
    return studio.look_inside().wait_ready()


def build_of(studio: Studio) -> list[str]:
    """The marks that a changed build left in each of its files that this page took."""
    return list(
        studio.page.evaluate(
            """() => [document.documentElement.dataset.build ?? 'old', window.build ?? 'old',
                      getComputedStyle(document.documentElement).getPropertyValue('--build') || 'old']"""
        )
    )


def changed_build(entries: Mapping[str, Entry], folder: Path, name: str = "new") -> dict[str, Entry]:
    """A build in which the page, its script, its style and a file of the trainer's are others."""

    def text(path: str) -> str:
        return entries[path].representations[0].path.read_text(encoding="utf-8")

    folder.mkdir(exist_ok=True)
    index = entry_of(folder / "index.html", text("/index.html").replace("<html ", f'<html data-build="{name}" ').encode())
    script = entry_of(folder / "main.js", (text("/page/main.js") + f'window.build = "{name}";\n').encode(), "text/javascript")
    style = entry_of(folder / "page.css", (text("/style/page.css") + f":root {{ --build: {name} }}\n").encode(), "text/css")
    runtime = json.loads(text("/runtime/files.json"))
    worker = entry_of(folder / "worker.js", (text("/runtime/worker.js") + f"// {name}\n").encode(), "text/javascript")
    for file in runtime["files"]:
        if file["name"] == "worker":
            file |= facts(worker)
    lists = entry_of(folder / "files.json", json.dumps(runtime).encode(), "application/json")
    changed = {"/": index, "/index.html": index, "/page/main.js": script, "/style/page.css": style}
    return listed({**entries, **changed, "/runtime/worker.js": worker, "/runtime/files.json": lists}, folder / "list.json")


def facts(entry: Entry) -> dict[str, Any]:
    data = entry.representations[0].path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


@pytest.fixture
def entries(site: Path) -> dict[str, Entry]:
    """The site with a trainer that is quick."""
    return with_tiny_network(catalog.load(site, paths.VARIANTS))


@contextmanager
def browsing(browser_type: BrowserType, launch: Mapping[str, Any], folder: Path) -> Iterator[BrowserContext]:
    """A browser that keeps what it has in folder."""
    context = browser_type.launch_persistent_context(folder, **launch)
    try:
        yield context
    finally:
        context.close()


def job(studio: Studio, folder: Path) -> None:
    """Two classes, learnt; one picture tried; the model taken."""
    studio.drop(class_folder(folder, "red", "red", 6), class_folder(folder, "blue", "blue", 6))
    studio.wait_read("12 added")
    studio.train()
    studio.go("Try")
    studio.try_files(folder / "red/red-0.png")
    studio.next.click()
    assert (studio.save("Save the model").path()).stat().st_size > 1000


def test_everything_works_without_a_server_after_a_restart(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], site: Path, tmp_path: Path
) -> None:
    """One visit; then the browser is closed and started anew while the server is gone for good: the whole job, with the real network."""
    with serving(catalog.load(site, paths.VARIANTS)) as server, browsing(browser_type, browser_type_launch_args, tmp_path / "b") as context:
        wait_kept(Studio(context, server).open())
        url = server.url
    with browsing(browser_type, browser_type_launch_args, tmp_path / "b") as context:
        studio = Studio(context, SimpleNamespace(url=url, requests=[])).open().wait_ready()
        job(studio, tmp_path)
        studio.page.wait_for_function("() => inside.state.offline.phase === 'kept'")  # seconds after it is ready, as in a first visit
        assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]
    assert [text for text in studio.complaints if "ERR_CONNECTION_REFUSED" not in text] == []  # the look for a newer page


def test_a_later_visit_asks_before_its_seal_alone(new_studio: Opener, entries: dict[str, Entry]) -> None:
    """For the list of its files and the service worker's script, once each; from the seal on nobody asks, the browser neither."""
    with serving(entries) as server:
        studio = wait_kept(new_studio(server).open())
        first = len(server.requests)
        studio.open().wait_ready(offline=False)
        assert sorted(target for _, target, _ in server.requests[first:]) == ["/page/files.json", "/sw.js"]
        studio.page.wait_for_timeout(BROWSERS_OWN_CHECK_MS)
        assert len(server.requests) == first + 2
        assert studio.seal.inner_text().split() == ["Sealed,", "0", "requests"]


def test_a_visit_that_ends_early_leaves_nothing_that_counts(new_studio: Opener, entries: dict[str, Entry]) -> None:
    """Before the trainer is ready, and after it but before all is kept: the next visit is as a first one, and ends with everything."""
    with serving(entries) as server:
        studio = new_studio(server).open()
        studio.open().wait_ready()
        assert studio.page.evaluate(RECORD) is None
        wait_kept(studio.open())
        assert studio.page.evaluate(RECORD)["whole"] is not None
        open_offline(studio)


@pytest.mark.parametrize("name", ["/page/main.js", "/runtime/python.snapshot"])
def test_a_file_that_is_gone_is_fetched_and_kept_again(new_studio: Opener, entries: dict[str, Entry], name: str) -> None:
    """Of the page's own files: then all of them come from the network. Of the trainer's: it alone."""
    with serving(entries) as server:
        studio = wait_kept(new_studio(server).open())
        assert studio.page.evaluate(DROP_KEPT, name) == 1
        wait_kept(studio.open())
        before = len(server.requests)
        studio.open().wait_ready()
        assert sorted(target for _, target, _ in server.requests[before:]) == ["/page/files.json", "/sw.js"]


def test_a_new_build_is_offered_and_never_mixed(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """The open page goes on with the old one whole, a reload too, which offers the new one; it comes at a click, whole, and stays."""
    held = dict(entries)
    with serving(held) as server:
        studio = wait_kept(new_studio(server).open())
        held.update(changed_build(entries, tmp_path / "new"))
        before = len(server.requests)
        job(studio, tmp_path / "job")
        assert len(server.requests) == before
        studio.open().wait_ready(offline=False)
        assert build_of(studio) == ["old"] * 3
        studio.page.get_by_role("button", name="Open it").click()
        expect(studio.page.locator("html")).to_have_attribute("data-build", "new")
        wait_kept(studio.look_inside())
        assert build_of(studio) == ["new"] * 3
        open_offline(studio)
        assert build_of(studio) == ["new"] * 3


def test_servers_that_answer_something_else(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """Not found, a page of another kind for every address, no answer for any file: what was kept is opened and works, and stays."""
    login = entry_of(tmp_path / "login.html", b"<!doctype html><title>Log in to this network</title>")
    broken = Entry("text/html", (Representation("identity", tmp_path / "gone", 1, '"gone"'),))
    held = dict(entries)
    with serving(held) as server:
        studio = wait_kept(new_studio(server).open())
        for answers in ({}, dict.fromkeys(entries, login), dict.fromkeys(entries, broken)):
            held.clear()
            held.update(answers)
            studio.open().wait_ready()
            assert studio.page.get_by_role("button", name="Open it").is_hidden()
        job(studio, tmp_path)
    studio.complaints[:] = [text for text in studio.complaints if not re.search("status of (404|503)", text)]


def test_a_new_build_waits_for_the_training(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """Asked for while it learns, it comes when that is over; the person may think better of it until then."""
    held = dict(entries)
    with serving(held) as server:
        studio = wait_kept(new_studio(server).open())
        held.update(changed_build(entries, tmp_path / "new"))
        studio.open().wait_ready(offline=False)
        studio.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
        studio.wait_read("12 added")
        studio.page.evaluate("() => { inside.state.training.settings = { ...inside.state.training.settings, epochs: 10000 }; }")
        studio.next.click()
        notice = studio.page.get_by_role("region", name="There is a new version of this page.")
        notice.get_by_role("button", name="Open it").click()
        expect(notice).to_contain_text("It opens when the training is over.")
        notice.get_by_role("button", name="Stay with this one").click()
        expect(notice).to_contain_text("with your project")
        notice.get_by_role("button", name="Open it").click()
        assert build_of(studio) == ["old"] * 3
        studio.page.get_by_role("button", name=re.compile("^Stop")).click()
        expect(studio.page.locator("html")).to_have_attribute("data-build", "new")
        studio.look_inside().wait_ready()
        assert studio.page.evaluate("() => [inside.state.pictures.size, inside.state.training.phase]") == [12, "done"]


def test_a_build_of_which_the_rest_does_not_come_is_left_again(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """The new page is there, the trainer's new file is not: it says so, and the next load is the old page, whole."""
    held = dict(entries)
    with serving(held) as server:
        studio = wait_kept(new_studio(server).open())
        held.update(changed_build(entries, tmp_path / "new"))
        studio.open().wait_ready(offline=False)
        del held["/runtime/worker.js"]
        with studio.complaining("404", "could not be loaded"):
            studio.page.get_by_role("button", name="Open it").click()
            expect(studio.page.locator("html")).to_have_attribute("data-build", "new")
            expect(studio.page.get_by_role("heading", name="Python did not arrive.")).to_be_visible(timeout=START_MS)
        studio.page.wait_for_function(f"async () => !(await ({RECORD})()).taken")
        studio.open().wait_ready(offline=False)
        assert build_of(studio) == ["old"] * 3


def test_a_browser_without_service_workers(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """As private windows of some have none: the page works as before, and knows that it will not open without a network."""
    with serving(entries) as server:
        studio = new_studio(server)
        studio.page.add_init_script("delete Navigator.prototype.serviceWorker")
        studio.open().wait_ready()
        assert phase(studio) == "forbidden"
        job(studio, tmp_path)


def test_plain_http_from_another_machine(opened: Callable[..., Studio], launch: Callable[..., Browser], entries: dict[str, Entry]) -> None:
    """No secure context: nothing is kept, and the page knows why; the example came all the same."""
    browser = launch("--host-resolver-rules=MAP pagetrain.test 127.0.0.1")
    with serving(entries, host="0.0.0.0") as server:
        server.url = f"http://pagetrain.test:{server.port}/"
        studio = opened(browser, server).wait_ready()
        assert phase(studio) == "insecure"
        studio.page.get_by_role("button", name="Try it with an example").click()
        studio.wait_read("30 added")


def test_the_example_is_taken_in_one_click_when_sealed_and_offline(new_studio: Opener, entries: dict[str, Entry]) -> None:
    """Three classes of ten photos, in a first visit and in a later one without a network, without a request; and it can be trained on."""
    with serving(entries) as server:
        studio = wait_kept(new_studio(server).open())
        before = len(server.requests)
        take_example(studio)
        studio.train()
        assert len(server.requests) == before
        studio.page.wait_for_function("() => inside.state.keeping.phase === 'saved'")
        open_offline(studio)
        assert studio.class_counts() == {"Cardboard": 10, "Glass": 10, "Metal": 10}  # the project, which has no place for an example
        studio.page.get_by_role("link", name=re.compile("Projects")).click()
        studio.page.get_by_role("button", name="New", exact=True).click()
        take_example(studio)


def take_example(studio: Studio) -> None:
    studio.set_offline(True)
    studio.page.get_by_role("button", name="Try it with an example").click()
    studio.wait_read("30 added")
    assert studio.class_counts() == {"Cardboard": 10, "Glass": 10, "Metal": 10}


def test_the_network_goes_while_the_page_loads(new_studio: Opener, entries: dict[str, Entry]) -> None:
    """Half of the trainer is there when the network is cut: the page says so, goes on when it is back, and keeps everything then."""
    with serving(entries) as server:
        studio = new_studio(server)
        studio.page.route("**/runtime/packages.tar", lambda route: (studio.set_offline(True), route.continue_()))
        with studio.complaining("ERR_INTERNET_DISCONNECTED|error occurred when fetching the script", "could not be loaded"):
            studio.open()
            expect(studio.page.get_by_role("button", name="Fetch the rest")).to_be_visible(timeout=START_MS)
        studio.page.unroute("**/runtime/packages.tar")
        studio.set_offline(False)
        studio.page.get_by_role("button", name="Fetch the rest").click()
        wait_kept(studio)
        open_offline(studio)


def test_a_host_that_refuses_the_service_worker(new_studio: Opener, entries: dict[str, Entry], tmp_path: Path) -> None:
    """Its script is missing, or comes as a text: the page works as before, its example too, and says so in the console, once."""
    script = entries["/sw.js"].representations[0].path
    for answers in ({}, {"/sw.js": Entry("text/plain", (Representation("identity", script, script.stat().st_size, '"text"'),))}):
        served = {**{path: entry for path, entry in entries.items() if path != "/sw.js"}, **answers}
        with serving(served) as server:
            studio = new_studio(server)
            said: list[str] = []
            studio.page.on("console", lambda message, said=said: said.append(message.text))
            with studio.complaining("A bad HTTP response code|unsupported MIME type"):  # the browser's own words
                studio.open().wait_ready()
            assert phase(studio) == "failed"
            assert len([text for text in said if "register a ServiceWorker" in text]) == 1, said
            take_example(studio)
            studio.train()


def test_it_can_be_installed(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], entries: dict[str, Entry], tmp_path: Path
) -> None:
    """Chromium itself finds nothing missing, in a first visit and in a later one; the address it opens is the page."""
    with serving(entries) as server, browsing(browser_type, browser_type_launch_args, tmp_path / "b") as context:
        studio = Studio(context, server)
        for _ in range(2):
            studio.open()
            session = context.new_cdp_session(studio.page)
            manifest = session.send("Page.getAppManifest")
            assert manifest["errors"] == []
            assert manifest["manifest"]["startUrl"] == server.url
            wait_kept(studio)
            assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
        assert studio.complaints == []


def test_from_a_plain_host_below_a_path(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], site: Path, tmp_path: Path
) -> None:
    """What --build writes, two folders down, served by http.server: after one visit the example is learnt without it, in a new browser."""
    static_folder.write(tmp_path / "host/sub/path")
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path / "host")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as host:
        try:
            assert host.stdout is not None
            server = SimpleNamespace(url=f"http://127.0.0.1:{host.stdout.readline().split(' port ')[1].split()[0]}/sub/path/", requests=[])
            with browsing(browser_type, browser_type_launch_args, tmp_path / "b") as context:
                first = wait_kept(Studio(context, server).open())
        finally:
            host.terminate()
    with browsing(browser_type, browser_type_launch_args, tmp_path / "b") as context:
        studio = Studio(context, server).open().wait_ready()
        take_example(studio)
        studio.train()
    assert [text for text in first.complaints + studio.complaints if "ERR_CONNECTION_REFUSED" not in text] == []
