"""The sealed page: counted at the server, because a page's own events show less than what really arrives."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from sitebuild.policy import CONTENT_SECURITY_POLICY
from tests.browser.hosting import PLAIN_PAGE, STRIKE, entry_of, fail_loudly, hand_over, hosting, load, photos

pytestmark = pytest.mark.browser
LABELS = ["cardboard", "glass"]

# A page of ours as a host without headers serves it: the policy stands in the page. Its style must survive the seal.
SEALABLE = PLAIN_PAGE.replace(
    "</head>",
    f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}"><link rel="stylesheet" href="host.css"></head>',
).replace('href="data:,"', 'href="favicon.svg"')
STYLE = "p { color: rgb(1, 2, 3) } p:hover { color: rgb(4, 5, 6) }"

# Every way out that a script has, each towards the page's own server. `to` makes addresses nobody asked for before.
IN_PAGE = """async (origin) => {
  const to = (name) => `${origin}probe-${name}`;
  const outcome = {};
  const settle = (name, promise) => promise.then(() => 'open', () => 'refused').then((word) => { outcome[name] = word; });
  const element = (name, tag, set, where = document.body) => settle(name, new Promise((resolve, reject) => {
    const made = Object.assign(document.createElement(tag), { onload: resolve, onerror: reject });
    set(made);
    where.append(made);
    setTimeout(reject, 700);
  }));
  const socket = (name, make) => settle(name, new Promise((resolve, reject) => {
    try { Object.assign(make(), { onopen: resolve, onerror: reject }); } catch (error) { reject(error); }
  }));
  const request = (name) => settle(name, new Promise((resolve, reject) => {
    const made = Object.assign(new XMLHttpRequest(), { onload: resolve, onerror: reject });
    try { made.open('GET', to(name)); made.send(); } catch (error) { reject(error); }
  }));
  navigator.sendBeacon(to('beacon'), 'x');
  const form = Object.assign(document.createElement('form'), { action: to('form'), method: 'post', target: 'frame' });
  document.body.append(form);
  form.submit();
  await Promise.all([
    settle('fetch', fetch(to('fetch'))), settle('fetch-known', fetch(`${origin}runtime/files.json`, { cache: 'reload' })),
    settle('import', import(to('import.js'))), settle('import-known', import(`${origin}pagetrain.js?again`)), request('xhr'),
    settle('keepalive', fetch(to('keepalive'), { method: 'POST', body: 'x', keepalive: true })),
    element('image', 'img', (made) => { made.src = to('image.png'); }),
    element('script', 'script', (made) => { made.src = to('script.js'); }),
    element('style', 'link', (made) => Object.assign(made, { rel: 'stylesheet', href: to('style.css') }), document.head),
    element('prefetch', 'link', (made) => Object.assign(made, { rel: 'prefetch', href: to('prefetch') }), document.head),
    element('preload', 'link', (made) => Object.assign(made, { rel: 'modulepreload', href: to('preload.js') }), document.head),
    element('video', 'video', (made) => { made.src = to('video.mp4'); }),
    element('object', 'object', (made) => { made.data = to('object'); }),
    settle('font', new FontFace('probe', `url(${to('font.woff2')})`).load()),
    socket('websocket', () => new WebSocket(to('websocket').replace('http', 'ws'))),
    socket('eventsource', () => new EventSource(to('eventsource'))),
    socket('worker', () => new Worker(to('worker.js'))),
  ]);
  const frame = Object.assign(document.createElement('iframe'), { src: to('frame') });
  document.body.append(frame);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return outcome;
}"""
IN_WORKER = """async (origin) => {
  const to = (name) => `${origin}probe-worker-${name}`;
  const outcome = {};
  const settle = (name, promise) => promise.then(() => 'open', () => 'refused').then((word) => { outcome[name] = word; });
  const nested = `onmessage = ({ data }) => fetch(data).then(() => postMessage('open'), () => postMessage('refused'))`;
  const attempt = (name, run) => settle(name, new Promise((resolve, reject) => {
    try { run(resolve, reject); } catch (error) { reject(error); }
    setTimeout(reject, 1000);
  }));
  await Promise.all([
    settle('fetch', fetch(to('fetch'))),
    settle('fetch-inherited', WorkerGlobalScope.prototype.fetch?.call(self, to('fetch-inherited')) ?? Promise.reject(new Error('none'))),
    settle('import', import(to('import.js'))),
    attempt('importScripts', (resolve) => { importScripts(to('scripts.js')); resolve(); }),
    attempt('xhr', (resolve, reject) => {
      const made = Object.assign(new XMLHttpRequest(), { onload: resolve, onerror: reject });
      made.open('GET', to('xhr'));
      made.send();
    }),
    attempt('websocket', (resolve, reject) => {
      Object.assign(new WebSocket(to('websocket').replace('http', 'ws')), { onopen: resolve, onerror: reject });
    }),
    attempt('eventsource', (resolve, reject) => {
      Object.assign(new EventSource(to('eventsource')), { onopen: resolve, onerror: reject });
    }),
    attempt('worker', (resolve, reject) => { Object.assign(new Worker(to('worker.js')), { onmessage: resolve, onerror: reject }); }),
    attempt('nested', (resolve, reject) => {
      const worker = new Worker(URL.createObjectURL(new Blob([nested])));
      worker.onmessage = ({ data }) => (data === 'open' ? resolve() : reject());
      worker.onerror = reject;
      worker.postMessage(to('nested'));
    }),
  ]);
  return outcome;
}"""


@pytest.fixture(scope="module", params=["with headers", "without headers"])
def host(request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A page of ours beside the site's files: served with the policy as a header, and by a host that sends none."""
    folder = tmp_path_factory.mktemp("host")
    with hosting(site, folder, plain=request.param == "without headers", pages={"/host.html": SEALABLE}) as running:
        running.entries["/host.css"] = entry_of(folder / "host.css", STYLE.encode(), "text/css; charset=utf-8")
        yield running


@pytest.fixture(scope="module")
def sealed(host: SimpleNamespace, browser: Browser) -> Iterator[SimpleNamespace]:
    """A page that was loaded with `seal: true`; what reached the server until then."""
    context = browser.new_context()
    page = context.new_page()
    said = fail_loudly(page)
    load(page, host.url + "host.html", seal=True)
    yield SimpleNamespace(page=page, context=context, host=host, said=said, before=list(host.requests))
    context.close()


def test_before_the_seal(sealed: SimpleNamespace, site: Path) -> None:
    """Until the seal the server sees plain GETs, without query or body, of files in the build's list."""
    listed = {"/" + file["path"] for file in json.loads((site / "pagetrain-site.json").read_text())["files"]} | {"/host.html", "/host.css"}
    assert len(sealed.before) > 15
    for method, target, headers in sealed.before:
        assert (method, "Content-Length" in headers, "Transfer-Encoding" in headers) == ("GET", False, False)
        assert target in listed


def test_whole_job_offline(sealed: SimpleNamespace) -> None:
    """After the seal everything works without a network: classes, pictures, training, answers, export; nothing reaches the server."""
    page: Page = sealed.page
    context: BrowserContext = sealed.context
    context.set_offline(True)
    hand_over(page, "train", photos("train", LABELS, 4))
    done = page.evaluate(
        """async ([labels]) => {
          await pt.setClasses(labels);
          const { added } = await pt.add(train);
          await pt.train({ epochs: 4 });
          const [top] = await pt.predict(train[0].file);
          const { accuracy } = await pt.evaluate(train);
          const onnx = await (await pt.exportModel()).arrayBuffer();
          const checkpoint = await pt.saveCheckpoint();
          return { added, top: top.label, accuracy, onnx: onnx.byteLength, checkpoint: checkpoint.size, sealed: pt.sealed };
        }""",
        [LABELS],
    )
    context.set_offline(False)
    assert (done["added"], done["sealed"], done["top"] in LABELS) == (8, True, True)
    assert done["accuracy"] > 0.5
    assert done["onnx"] > 6_700_000  # 3.3 million frozen weights as float16
    assert done["checkpoint"] > 0
    assert sealed.host.requests == sealed.before


def test_restart_when_sealed(sealed: SimpleNamespace) -> None:
    """A dead worker is started again from what the page keeps, without a request."""
    page: Page = sealed.page
    answers = page.evaluate(
        """async ([labels]) => {
          await pt.setClasses(labels);
          window.restarted = new Promise((resolve) => pt.addEventListener('restart', ({ detail }) => resolve(detail)));
          return pt.labels;
        }""",
        [LABELS],
    )
    page.workers[-1].evaluate(STRIKE)
    assert "struck" in page.evaluate("restarted")["reason"]
    assert page.evaluate("async () => (await pt.setClasses(pt.labels))") == answers
    assert sealed.host.requests == sealed.before


def test_style_survives(sealed: SimpleNamespace) -> None:
    """The styles that were loaded stay applied, also those that apply only later."""
    assert sealed.page.evaluate("getComputedStyle(document.querySelector('p')).color") == "rgb(1, 2, 3)"
    sealed.page.hover("p")
    assert sealed.page.evaluate("getComputedStyle(document.querySelector('p')).color") == "rgb(4, 5, 6)"


def test_nothing_was_said(sealed: SimpleNamespace) -> None:
    """Sealing, and working sealed, writes nothing to the console."""
    assert sealed.said == []


def test_page_is_sealed(sealed: SimpleNamespace) -> None:
    """No way out of the page reaches its own server; each that tells its outcome was refused."""
    outcome: dict[str, Any] = sealed.page.evaluate(IN_PAGE, sealed.host.url)
    assert set(outcome.values()) == {"refused"}, outcome
    assert len(outcome) == 17
    assert sealed.host.requests == sealed.before


def test_worker_is_sealed(sealed: SimpleNamespace) -> None:
    """Nor does any way out of a worker, Python's or one that embeds, or of a worker that it starts."""
    assert len(sealed.page.workers) >= 2
    for worker in sealed.page.workers:
        outcome: dict[str, Any] = worker.evaluate(IN_WORKER, sealed.host.url)
        assert set(outcome.values()) == {"refused"}, outcome
        assert len(outcome) == 9
    assert sealed.host.requests == sealed.before


def test_probes_reach_an_unsealed_server(host: SimpleNamespace, browser: Browser, site: Path, tmp_path: Path) -> None:
    """The same attempts on a page without policy do arrive: the silence above is the seal's doing."""
    with hosting(site, tmp_path) as open_host:
        page = browser.new_page()
        load(page, open_host.url + "host.html")
        page.evaluate(IN_PAGE, open_host.url)
        page.workers[-1].evaluate(IN_WORKER, open_host.url)
        arrived = {target.removeprefix("/probe-") for _, target, _ in open_host.requests if target.startswith("/probe-")}
        page.close()
    in_page = "fetch import.js xhr keepalive image.png script.js style.css prefetch preload.js video.mp4 object font.woff2"
    in_page += " websocket eventsource worker.js beacon frame"
    in_worker = "xhr websocket eventsource scripts.js import.js worker.js nested"
    assert arrived >= {*in_page.split(), *(f"worker-{name}" for name in in_worker.split())}
