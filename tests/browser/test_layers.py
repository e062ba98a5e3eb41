"""Which layers train, chosen in a sealed page: pictures are embedded again from their files, and everything follows the choice."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from playwright.sync_api import Browser, Page

from pagetrain import Personalizer
from tests.browser.hosting import ARTIFACTS, STRIKE, fail_loudly, hand_over, hosting, load, photos, python_worker

pytestmark = pytest.mark.browser
LABELS = ["metal", "paper"]
TRAINING = {"epochs": 3, "seed": 3, "validation": 0, "batchSize": 4}
ANSWERS = """async () => {
  const answers = [];
  for (const { file } of test) answers.push(await pt.predict(file));
  return answers.map((all) => Object.fromEntries(all.map(({ label, probability }) => [label, probability])));
}"""


@pytest.fixture(scope="module")
def page(site: Path, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Page]:
    """A sealed page with five pictures in each of two classes and a trained last layer; page.requests: what reached the server since."""
    with hosting(site, tmp_path_factory.mktemp("host")) as host:
        context = browser.new_context()
        made = context.new_page()
        made.said = fail_loudly(made)
        load(made, host.url + "host.html", seal=True)
        hand_over(made, "train", photos("train", LABELS, 5))
        hand_over(made, "test", photos("test", LABELS, 3))
        made.asked = len(host.requests)
        made.requests = host.requests
        made.evaluate(
            "async ([labels, settings]) => { await pt.setClasses(labels); await pt.add(train); await pt.train(settings); }",
            [LABELS, TRAINING],
        )
        yield made
        context.close()


@pytest.fixture(scope="module")
def deep(page: Page) -> dict[str, Any]:
    """The last block chosen and trained, and what was told on the way."""
    return page.evaluate(
        """async ([settings]) => {
          const before = { layers: pt.layers, offered: pt.layersOffered, bytes: pt.featureBytes };
          const progress = [];
          const report = await pt.setLayers('last-block', train, { onProgress: ({ done, total }) => progress.push([done, total]) });
          const untrained = await pt.predict(test[0].file).catch(({ kind }) => kind);
          const history = await pt.train(settings);
          return { before, progress, report, untrained, history, layers: pt.layers, bytes: pt.featureBytes, labels: pt.labels };
        }""",
        [TRAINING],
    )


def test_the_choice_is_told(deep: dict[str, Any]) -> None:
    """Before and after, with what a picture takes then; every picture that was in is in again, the head starts anew."""
    assert deep["before"] == {"layers": "last-layer", "offered": ["last-layer", "last-block"], "bytes": 4 * 1280}
    assert (deep["layers"], deep["labels"], deep["untrained"]) == ("last-block", LABELS, "StateError")
    assert deep["bytes"] > 7 * 4 * 1280  # 192 channels of 7 x 7 and what the block adds to
    report = deep["report"]
    assert (report["added"], report["skipped"], report["lost"], report["stopped"]) == (10, [], [], False)
    assert deep["progress"] == [[done, 10] for done in range(1, 11)]
    assert deep["history"]["epochs"][-1]["loss"] < deep["history"]["epochs"][0]["loss"]


def job_in_python(site: Path) -> Personalizer:
    folder = site / ARTIFACTS
    root = json.loads((folder / "manifest.json").read_text())
    data = (folder / root["files"]["last-block"]["path"]).read_bytes()
    places = root["layers"]["last-block"]
    pieces = {key: data[place["offset"] : place["offset"] + place["bytes"]] for key, place in places.items()}
    job = Personalizer(pieces.pop("manifest"), pieces)
    job.feed_parameters((folder / "parameters.bin").read_bytes())
    return job


def test_the_model_is_that_of_python(deep: dict[str, Any], page: Page, site: Path) -> None:
    """Same pictures, seed and settings in Python here: nearly the same answers."""
    job = job_in_python(site)
    job.set_classes(LABELS)
    for label, path in photos("train", LABELS, 5):
        job.add(path.read_bytes(), label)
    list(job.fit(epochs=3, seed=3, validation=0, batch_size=4))
    expected = [{one.label: one.probability for one in job.predict(path.read_bytes())} for _, path in photos("test", LABELS, 3)]
    for one, other in zip(page.evaluate(ANSWERS), expected, strict=True):
        # AdamW's first steps divide each gradient by its own size: where one is nearly 0, the rounding decides the step's direction.
        assert one == pytest.approx(other, abs=0.05)


def test_the_exported_model_answers_like_the_page(deep: dict[str, Any], page: Page, tmp_path: Path) -> None:
    """In onnxruntime, on what the model sees; the block's learnt weights are in it."""
    text, seen = page.evaluate(
        """async () => {
          const textOf = async (bytes) => (await new Promise((resolve) => {
            const reader = new FileReader();
            reader.onload = () => resolve(reader.result);
            reader.readAsDataURL(new Blob([bytes]));
          })).split(',')[1];
          const { data } = await pt.pixels(test[0].file);
          return [await textOf(await pt.exportModel()), await textOf(data)];
        }"""
    )
    (tmp_path / "model.onnx").write_bytes(base64.b64decode(text))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    pixels = np.frombuffer(base64.b64decode(seen), np.uint8).reshape(1, 224, 224, 3)
    feeds = {"input": np.ascontiguousarray(((pixels.astype(np.float32) - 127) / 128).transpose(0, 3, 1, 2))}
    (found,) = session.run(["probabilities"], feeds)
    expected = page.evaluate(ANSWERS)[0]
    assert found[0].tolist() == pytest.approx([expected[label] for label in LABELS], abs=1e-3)  # float32 sums in other orders


def test_a_new_worker_trains_the_same_layers(deep: dict[str, Any], page: Page) -> None:
    """After the worker died: the same answers, all pictures, the same choice."""
    before = page.evaluate(ANSWERS)
    page.evaluate("() => { window.restarted = new Promise((resolve) => pt.addEventListener('restart', resolve, { once: true })); }")
    python_worker(page).evaluate(STRIKE)
    page.evaluate("async () => { await restarted; }")
    assert page.evaluate(ANSWERS) == before
    again = page.evaluate("async () => (await pt.add(train)).pictures.map(({ duplicate }) => duplicate)")
    assert again == [True] * 10
    assert page.evaluate("() => [pt.layers, pt.featureBytes]") == ["last-block", deep["bytes"]]
    judged = page.evaluate("async () => (await pt.train({ epochs: 1, validation: 0.2, seed: 0 })).judged.pictures.length")
    assert judged > 0  # by a head that began with what came with the model, not with what was learnt


def test_stopped_or_refused_all_is_as_before(deep: dict[str, Any], page: Page) -> None:
    """A signal between two pictures puts everything back, answers included; so does a mistake on the way. Another choice is refused."""
    before = page.evaluate(ANSWERS)
    outcome = page.evaluate(
        """async () => {
          const stop = new AbortController();
          const report = await pt.setLayers('last-layer', train, { signal: stop.signal, onProgress: () => stop.abort() });
          const stopped = [report.stopped, report.lost.length, pt.layers];
          const onProgress = () => { throw new TypeError('a mistake'); };
          const thrown = await pt.setLayers('last-layer', train, { onProgress }).catch(({ name }) => name);
          const refused = await pt.setLayers('all', train).catch(({ kind }) => kind);
          return [stopped, thrown, refused, pt.layers];
        }"""
    )
    assert outcome == [[True, 0, "last-block"], "TypeError", "InvalidInputError", "last-block"]
    assert page.evaluate(ANSWERS) == before


def test_what_was_not_handed_over_is_told(deep: dict[str, Any], page: Page) -> None:
    """Back to the last layer without one picture, with one that is none any more and one that does not open: all are named, and the others,
    each opened when its turn comes, train.
    """
    lost, skipped, layers, epochs, size = page.evaluate(
        """async () => {
          const broken = { label: train[1].label, file: new File(['hello'], 'letter.jpg') };
          const gone = { label: train[2].label, name: 'gone.jpg', open: () => Promise.reject(new Error('it was moved')) };
          const later = train.slice(3).map(({ label, file }) => ({ label, open: async () => file }));
          const report = await pt.setLayers('last-layer', [broken, gone, ...later]);
          const { epochs } = await pt.train({ epochs: 2 });
          return [report.lost, report.skipped.map(({ code }) => code), pt.layers, epochs.length, pt.featureBytes];
        }"""
    )
    first_keys = [one["key"] for one in deep["report"]["pictures"][:3]]
    assert [one["key"] for one in lost] == first_keys
    assert (skipped, layers, epochs, size) == (["not-a-picture", "unreadable"], "last-layer", 2, 4 * 1280)


def test_pictures_stay_in_their_groups(deep: dict[str, Any], page: Page) -> None:
    """Two classes of one group each: nothing can be held out, also when the pictures were read again; without groups something is."""
    judged = page.evaluate(
        """async ([labels]) => {
          const judgedOf = async () => (await pt.train({ epochs: 1, folds: 0, validation: 0.4 })).judged.pictures.length;
          await pt.setClasses(['nothing', 'none']);
          await pt.setClasses(labels);
          const { pictures } = await pt.add(train.map((item) => ({ ...item, group: `film of ${item.label}` })));
          await pt.setLayers('last-block', train.map((item, index) => ({ ...item, key: pictures[index].key })));
          const grouped = await judgedOf();
          await pt.setLayers('last-layer', train.map(({ label, file }) => ({ label, file })));
          return [grouped, await judgedOf()];
        }""",
        [LABELS],
    )
    assert judged[0] == 0
    assert judged[1] > 0


def test_no_request_and_a_quiet_console(deep: dict[str, Any], page: Page) -> None:
    """All of it was fetched before the seal."""
    assert page.requests[page.asked :] == []
    assert page.said == []
