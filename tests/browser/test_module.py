"""pagetrain.js without our page: the whole job from JavaScript, on a host page that is somebody else's."""

import base64
import hashlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pagetrain import manifest, picture, preprocess
from tests.browser.hosting import ARTIFACTS, LOAD, LOAD_HERE, PLAIN_PAGE, entry_of, fail_loudly, hand_over, hosting, load, photos

pytestmark = pytest.mark.browser
LABELS = ["cardboard", "glass", "metal"]
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


@pytest.fixture(scope="module")
def host(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    with hosting(site, tmp_path_factory.mktemp("host")) as running:
        yield running


@pytest.fixture(scope="module")
def loaded(host: SimpleNamespace, browser: Browser) -> Iterator[Page]:
    """One page for this file's tests: window.pt is loaded, unsealed; each test sets its own classes."""
    context = browser.new_context()
    page = context.new_page()
    page.said = fail_loudly(page)
    load(page, host.url + "host.html")
    yield page
    context.close()


@pytest.fixture(scope="module")
def trained(loaded: Page) -> dict[str, Any]:
    """The whole job, once; what each step answered."""
    hand_over(loaded, "train", photos("train", LABELS, 12))
    hand_over(loaded, "test", photos("test", LABELS, 8))
    return loaded.evaluate(
        """async ([labels]) => {
          const seen = { add: [], train: [], evaluate: [] };
          const classes = await pt.setClasses(labels);
          const notPictures = [new File(['hello'], 'letter.jpg'), new File([], 'empty.png')].map((file) => ({ label: labels[0], file }));
          const begin = performance.now();
          const report = await pt.add([...train, ...notPictures, train[0]], { onProgress: (progress) => seen.add.push(progress) });
          const perPictureMs = (performance.now() - begin) / report.added;
          const history = await pt.train({ seed: 1, onProgress: (progress) => seen.train.push(progress) });
          const answers = await pt.predict(test[0].file);
          const metrics = await pt.evaluate(test, { onProgress: (progress) => seen.evaluate.push(progress) });
          const onnx = await pt.exportModel();
          const checkpoint = await pt.saveCheckpoint();
          const { backend, name, title, sealed, state, featureBytes } = pt;
          return { seen, classes, report, perPictureMs, history, answers, metrics, onnxBytes: onnx.size, checkpointBytes: checkpoint.size,
                   about: { backend, name, title, sealed, state, featureBytes } };
        }""",
        [LABELS],
    )


def test_load_progress(loaded: Page, site: Path) -> None:
    """Stages come with their bytes: each adds up to the listed sizes, "start" comes last and ends full."""
    progress = loaded.evaluate("loadProgress")
    sizes: dict[str, int] = {}
    for file in json.loads((site / "runtime/files.json").read_text())["files"]:
        sizes[file["stage"]] = sizes.get(file["stage"], 0) + file["bytes"]
    for stage, total in sizes.items():
        last = [one for one in progress if one["stage"] == stage][-1]
        assert (last["loaded"], last["total"]) == (total, total)
    assert {one["stage"] for one in progress} == {"python", "packages", "model", "start"}
    assert progress[-1]["stage"] == "start"
    assert progress[-1]["loaded"] == progress[-1]["total"]


def test_about(trained: dict[str, Any]) -> None:
    """What runs is said; without `seal` the page is not sealed."""
    assert trained["about"] == {
        "backend": "relaxed-simd",
        "name": "efficientnet-lite0",
        "title": trained["about"]["title"],
        "sealed": False,
        "state": "ready",
        "featureBytes": 4 * 1280,
    }
    assert trained["classes"] == LABELS


def test_add_report(trained: dict[str, Any]) -> None:
    """Every picture is added, every other file is skipped with its reason, a picture that is there already is no new one."""
    report = trained["report"]
    assert report["added"] == 36
    assert [(one["name"], one["code"]) for one in report["skipped"]] == [("letter.jpg", "not-a-picture"), ("empty.png", "empty")]
    assert all(one["reason"] for one in report["skipped"])
    assert [one["duplicate"] for one in report["pictures"]] == [False] * 36 + [True]
    path = photos("train", LABELS, 1)[0][1]
    assert report["pictures"][0] == {
        "key": hashlib.sha256(path.read_bytes()).hexdigest(),
        "label": LABELS[0],
        "name": path.name,
        "duplicate": False,
        "hash": report["pictures"][-1]["hash"],  # which is the same picture again
    }
    assert all(re.fullmatch("[0-9a-f]{16}", one["hash"]) for one in report["pictures"])
    assert [one["done"] for one in trained["seen"]["add"]] == list(range(1, 40))
    assert not report["stopped"]


def test_training(trained: dict[str, Any]) -> None:
    """The loss falls, progress counts to the end, and pictures never seen are mostly told apart."""
    epochs = [one for one in trained["seen"]["train"] if one.get("accuracy") is not None]
    assert epochs[-1]["loss"] < epochs[0]["loss"] / 2
    assert trained["seen"]["train"][-1]["step"] == trained["seen"]["train"][-1]["steps"]
    assert trained["seen"]["train"][-1]["secondsLeft"] == 0
    assert trained["history"]["stopped"] is False
    assert trained["metrics"]["accuracy"] >= 0.7  # by chance 0.33; logistic regression on these features has 0.8 and more


def test_answers(trained: dict[str, Any]) -> None:
    """Probabilities of all classes, sorted, adding up to 1; metrics count every picture once."""
    chances = [one["probability"] for one in trained["answers"]]
    assert sorted(chances, reverse=True) == chances
    assert sum(chances) == pytest.approx(1, abs=1e-6)  # each is a rounded double
    assert {one["label"] for one in trained["answers"]} == set(LABELS)
    counts = trained["metrics"]["confusion"]["counts"]
    assert trained["metrics"]["confusion"]["labels"] == LABELS
    assert [sum(row) for row in counts] == [8, 8, 8]
    assert trained["metrics"]["accuracy"] == pytest.approx(sum(counts[i][i] for i in range(3)) / 24)
    assert [one["done"] for one in trained["seen"]["evaluate"]] == list(range(1, 25))


def test_export(trained: dict[str, Any], loaded: Page, site: Path) -> None:
    """The exported file is the skeleton, then slices of parameters.bin and little more."""
    files = json.loads((site / ARTIFACTS / "manifest.json").read_text())["files"]
    skeleton = (site / ARTIFACTS / files["inference_model"]["path"]).read_bytes()
    assert len(skeleton) + files["parameters"]["bytes"] <= trained["onnxBytes"] < len(skeleton) + files["parameters"]["bytes"] + 100_000
    head = loaded.evaluate("async () => Array.from(new Uint8Array(await (await pt.exportModel()).slice(0, 1000).arrayBuffer()))")
    assert bytes(head) == skeleton[:1000]
    assert trained["checkpointBytes"] > 3 * 1280 * 4


def test_classes_keep_what_they_learnt(trained: dict[str, Any], loaded: Page) -> None:
    """A renamed class answers as before under its new name, also after another was added and removed; a moved picture is there."""
    answers = loaded.evaluate(
        """async ([from, first]) => {
          await pt.renameClass(from, 'renamed');
          await pt.setClasses([...pt.labels, 'extra']);
          await pt.move({ key: first, from: 'renamed', to: 'extra' });
          const moved = await pt.add([{ label: 'extra', file: train[0].file }]);
          await pt.remove({ key: first, label: 'extra' });
          const again = await pt.add([{ label: 'renamed', file: train[0].file }]);
          await pt.setClasses(pt.labels.filter((label) => label !== 'extra'));
          const answers = await pt.predict(test[0].file);
          await pt.renameClass('renamed', from);
          return { answers, moved: moved.pictures[0].duplicate, again: again.added };
        }""",
        [LABELS[0], trained["report"]["pictures"][0]["key"]],
    )
    renamed = [{**one, "label": LABELS[0] if one["label"] == "renamed" else one["label"]} for one in answers["answers"]]
    assert [one["label"] for one in renamed] == [one["label"] for one in trained["answers"]]
    # The same weights, but a matrix product of another width may add up in another order.
    assert [one["probability"] for one in renamed] == pytest.approx([one["probability"] for one in trained["answers"]], abs=1e-6)
    assert answers["moved"] is True
    assert answers["again"] == 1


def test_every_name_can_have_a_weight(trained: dict[str, Any], loaded: Page) -> None:
    """Also those that every JavaScript object has already; a weight of another class still is refused by name."""
    names = ["constructor", "toString", "__proto__", "hasOwnProperty", *LABELS]
    history, message = loaded.evaluate(
        """async ([names, labels]) => {
          await pt.setClasses(names);
          const classWeights = Object.fromEntries(names.map((name, index) => [name, index + 1]));
          const history = await pt.train({ epochs: 2, seed: 1, classWeights });
          const message = await pt.train({ classWeights: { ...classWeights, valueOf: 1 } }).catch(({ message }) => message);
          await pt.setClasses(labels);
          await pt.train({ seed: 1 });
          return [history, message];
        }""",
        [names, LABELS],
    )
    assert len(history["epochs"]) == 2
    assert "names the classes ['valueOf']" in message


def test_stopped_training(trained: dict[str, Any], loaded: Page) -> None:
    """A signal ends training early, the history says so and the model still answers; an aborted signal starts nothing."""
    outcome = loaded.evaluate(
        """async () => {
          const stop = new AbortController();
          const epochs = new Set();
          const onProgress = ({ epoch }) => { epochs.add(epoch); stop.abort(); };
          const history = await pt.train({ epochs: 2000, seed: 2, signal: stop.signal, onProgress });
          const refused = await pt.train({ signal: AbortSignal.abort() }).catch((error) => error.name);
          return { stopped: history.stopped, epochs: epochs.size, refused, answers: (await pt.predict(test[0].file)).length };
        }"""
    )
    assert outcome["stopped"] is True
    assert outcome["epochs"] < 200
    assert (outcome["refused"], outcome["answers"]) == ("AbortError", 3)


def test_stopped_add(trained: dict[str, Any], loaded: Page) -> None:
    """A signal ends adding between two pictures; what was added stays."""
    report = loaded.evaluate(
        """async () => {
          const stop = new AbortController();
          return pt.add(test, { signal: stop.signal, onProgress: ({ done }) => { if (done === 2) stop.abort(); } });
        }"""
    )
    assert (report["added"], report["stopped"], len(report["pictures"])) == (2, True, 2)


@pytest.mark.parametrize(
    "call,message",
    [
        ("pt.setClasses('cat')", "array of names"),
        ("pt.setClasses([1])", "a class name as a string, got 1"),
        ("pt.setClasses(['a', 'a'])", ""),
        ("pt.renameClass('nobody', 'x')", "nobody"),
        ("pt.add([{ label: 'nobody', file: new Blob(['x']) }])", 'no class "nobody"'),
        ("pt.add([{ label: pt.labels[0], file: 'x.jpg' }])", "{width, height, data}, got x.jpg"),
        ("pt.add([{ label: pt.labels[0], pixels: { width: 2, height: 2, data: [1] } }])", "`data` as bytes"),
        ("pt.add([{ label: pt.labels[0], pixels: { width: 2, height: 2, data: new Uint8Array(11) } }])", "got 11 bytes"),
        ("pt.predict({ width: 0, height: 0, data: new Uint8Array(0) })", "Pixels of 0 x 0"),
        ("pt.features({ width: 1.5, height: 2, data: new Uint8Array(9) })", "Pixels of 1.5 x 2"),
        ("pt.add('x')", "array of {label, file} or {label, pixels}"),
        ("pt.predict(null)", "{width, height, data}, got null"),
        ("pt.train({ epochs: 'many' })", "epochs must be a number"),
        ("pt.train({ epochs: -1 })", "epochs"),
        ("pt.train({ learningRate: NaN })", "learningRate must be a number, got NaN"),
        ("pt.remove({ key: 'x', label: pt.labels[0] })", "x"),
    ],
)
def test_invalid_input(trained: dict[str, Any], loaded: Page, call: str, message: str) -> None:
    """What cannot be meant is refused as InvalidInputError in words that name it, and changes nothing."""
    outcome = loaded.evaluate(
        f"""async () => {{
          const before = pt.labels;
          try {{ await {call}; }} catch (error) {{ return [error.name, error.kind, error.message, before, pt.labels]; }}
        }}"""
    )
    assert outcome, f"{call} was accepted"
    name, kind, said, before, after = outcome
    assert (name, kind) == ("PagetrainError", "InvalidInputError"), said
    assert message in said
    assert before == after


def _odd() -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = json.loads((PICTURES / "index.json").read_text())["files"]
    return files


@pytest.mark.parametrize("name", _odd())
def test_odd_pictures(loaded: Page, site: Path, name: str) -> None:
    """Each odd file is refused with its code, or seen by the model exactly as native Pillow decodes it (AVIF: the browser's decoder)."""
    expected = _odd()[name]
    hand_over(loaded, "odd", [("x", PICTURES / name)])
    got = loaded.evaluate(
        """async () => {
          try {
            const { width, height, data } = await pt.pixels(odd[0].file);
            return { width, height, data: btoa(data.reduce((text, byte) => text + String.fromCharCode(byte), '')) };
          } catch (error) {
            return { kind: error.kind, code: error.code, message: error.message };
          }
        }"""
    )
    if expected["group"] in ("refused", "hostile"):
        assert got.get("kind") == "PictureError", got
        assert got["code"] in (expected["code"], expected.get("judged_code")), got
        return
    assert "data" in got, got
    steps = manifest.parse((site / ARTIFACTS / "manifest.json").read_bytes()).steps
    if expected.get("decoder") != "browser" and name != "cmyk.jpg":  # there native Pillow decodes with other code
        seen = preprocess.pixels(steps, picture.decode((PICTURES / name).read_bytes()))
        assert base64.b64decode(got["data"]) == seen.tobytes()


def test_quiet_console(trained: dict[str, Any], loaded: Page) -> None:
    """None of this wrote an error or a warning to the page's console."""
    assert loaded.said == []


def test_other_pages_stay_as_they_are(site: Path, tmp_path: Path, page: Page) -> None:
    """Without `seal`, from a sub-path: no policy, no global, no worker by URL; the page still fetches."""
    page_html = PLAIN_PAGE.replace("</head>", "<script>window.before = Object.keys(window).length;</script></head>")
    with hosting(site, tmp_path, prefix="/some/where/", pages={"/host.html": page_html}) as host:
        load(page, host.url + "host.html", folder="./some/where/")
        outcome = page.evaluate(
            """async () => ({
              status: (await fetch('/host.html?still=open')).status,
              policies: document.querySelectorAll('meta[http-equiv]').length,
              added: Object.keys(window).length - before - 3,   // before, loadProgress, pt are the test's own
              sealed: pt.sealed,
            })"""
        )
        assert outcome == {"status": 200, "policies": 0, "added": 0, "sealed": False}
        assert all(worker.url.startswith("blob:") for worker in page.workers)
        assert {target for _, target, _ in host.requests if not target.startswith(("/host.html", "/some/where/"))} == set()


def test_dispose(host: SimpleNamespace, page: Page) -> None:
    """dispose ends the workers; later calls say so."""
    load(page, host.url + "host.html")
    assert len(page.workers) >= 2  # Python's, and at least one that embeds
    kind = page.evaluate("async () => { pt.dispose(); return pt.setClasses(['a']).catch((error) => [error.kind, pt.state]); }")
    assert kind == ["StateError", "disposed"]
    end = time.monotonic() + 20
    while page.workers and time.monotonic() < end:  # the browser tells of each a moment later
        page.wait_for_function("true", polling=100)
    assert page.workers == []


def test_dispose_during_the_start(host: SimpleNamespace, page: Page) -> None:
    """Python's worker is not waited for: `ready` rejects as every call does, and no worker runs on."""
    page.goto(host.url + "host.html")
    kinds = page.evaluate(
        """async ([artifacts]) => {
          const { Pagetrain } = await import('./pagetrain.js');
          const pt = await Pagetrain.load({ artifacts });
          const state = pt.state;
          const { ready } = pt;
          pt.dispose();
          const kindOf = (promise) => promise.then(() => 'done', ({ kind }) => kind);
          return [state, await kindOf(ready), await kindOf(pt.ready), pt.state];
        }""",
        [ARTIFACTS],
    )
    assert kinds == ["starting", "StateError", "StateError", "disposed"]
    end = time.monotonic() + 20
    while page.workers and time.monotonic() < end:
        page.wait_for_function("() => true", polling=100)
    assert page.workers == []


def test_aborted_load(host: SimpleNamespace, page: Page) -> None:
    """An aborted load rejects with AbortError, and the next one works."""
    page.goto(host.url + "host.html")
    name = page.evaluate(
        """async ([folder]) => {
          const { Pagetrain } = await import('./pagetrain.js');
          const stop = new AbortController();
          const loading = Pagetrain.load({ artifacts: folder, signal: stop.signal, onProgress: () => stop.abort() });
          return loading.catch((error) => error.name);
        }""",
        [ARTIFACTS],
    )
    assert name == "AbortError"
    page.evaluate(LOAD, LOAD_HERE)


@pytest.mark.parametrize("name", ["runtime/pyodide.asm.wasm", "runtime/worker.js", ARTIFACTS + "parameters.bin"])
def test_damaged_file_then_retry(site: Path, tmp_path: Path, page: Page, name: str) -> None:
    """A damaged file is named with its cause; once it is whole again, a second load fetches that file and no other."""
    with hosting(site, tmp_path) as host:
        whole = host.entries[f"/{name}"]
        content = bytearray((site / name).read_bytes())
        content[len(content) // 2] ^= 1
        host.entries[f"/{name}"] = entry_of(tmp_path / "damaged", bytes(content), whole.mime_type)
        page.goto(host.url + "host.html")
        fields = "{ name, message, kind, code, detail }"
        error = page.evaluate(f"({LOAD})(['./', '{ARTIFACTS}', false]).catch(({fields}) => ({fields}))")
        assert page.evaluate("() => window.pt") is None
        assert (error["name"], error["kind"], error["code"]) == ("PagetrainError", "load", "hash")
        assert Path(name).name in error["message"]
        assert error["detail"]["file"] == host.url + name
        page.wait_for_load_state("networkidle")  # the other files go on arriving
        host.entries[f"/{name}"] = whole
        before = len(host.requests)
        page.evaluate(LOAD, LOAD_HERE)
        asked = [target for _, target, _ in host.requests[before:]]
        assert sorted(set(asked)) == sorted({"/runtime/files.json", f"/{ARTIFACTS}manifest.json", f"/{name}"})


def test_a_group_is_judged_by_nobody_who_learnt_from_it(loaded: Page) -> None:
    """Two classes of one group each: nothing can be held out. Without groups every picture is."""
    hand_over(loaded, "groups", photos("train", LABELS[:2], 4))
    judged = loaded.evaluate(
        """async ([labels]) => {
          const judgedOf = async (items) => {
            await pt.setClasses([]);
            await pt.setClasses(labels);
            await pt.add(items);
            return (await pt.train({ epochs: 1, folds: 4 })).judged.pictures.length;
          };
          return [await judgedOf(groups.map((item) => ({ ...item, group: `film of ${item.label}` }))), await judgedOf(groups)];
        }""",
        [LABELS[:2]],
    )
    assert judged == [0, 8]
