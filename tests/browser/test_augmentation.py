"""Further rows of pictures in the page: made from their files, the same as in Python, still there in a new worker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pagetrain import Personalizer
from tests.browser.hosting import ARTIFACTS, STRIKE, fail_loudly, hand_over, hosting, load, photos

pytestmark = pytest.mark.browser
LABELS = ["metal", "paper"]
BOTH = {"mirror": True, "crop": True}
TRAINING = {"epochs": 6, "seed": 3, "validation": 0}


@pytest.fixture(scope="module")
def page(site: Path, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Page]:
    """A page with five pictures in each of two classes."""
    with hosting(site, tmp_path_factory.mktemp("host")) as host:
        context = browser.new_context()
        made = context.new_page()
        made.said = fail_loudly(made)
        load(made, host.url + "host.html")
        hand_over(made, "train", photos("train", LABELS, 5))
        hand_over(made, "test", photos("test", LABELS, 3))
        made.evaluate(
            """async ([labels]) => {
              await pt.setClasses(labels);
              const { pictures } = await pt.add(train);
              pictures.forEach(({ key }, index) => { train[index].key = key; });
            }""",
            [LABELS],
        )
        yield made
        context.close()


@pytest.fixture(scope="module")
def augmented(page: Page) -> dict[str, Any]:
    """What was told while the rows were made: the first picture by a stopped call, the rest by another."""
    return page.evaluate(
        """async ([both]) => {
          const refused = await pt.train({ augment: both }).catch(({ kind }) => kind);
          const before = await pt.augmentation(both);
          const stop = new AbortController();
          const stopped = await pt.augment(train, { ...both, signal: stop.signal, onProgress: () => stop.abort() });
          const between = await pt.augmentation(both);
          const progress = [];
          const strange = [{ label: train[0].label, file: test[0].file, name: 'strange.jpg' }];
          const report = await pt.augment([...train, ...strange], { ...both, onProgress: (one) => progress.push(one) });
          const after = await pt.augmentation(both);
          return { refused, before, stopped, between, progress, report, after, keys: train.map(({ key }) => key), bytes: pt.featureBytes };
        }""",
        [BOTH],
    )


def test_what_is_missing_is_told(augmented: dict[str, Any]) -> None:
    """Before, between and after, with the bytes that all rows take; without any row the training is refused."""
    before, between, after = (augmented[name] for name in ("before", "between", "after"))
    assert augmented["refused"] == "StateError"
    assert (before["missing"], between["missing"], after["missing"]) == (augmented["keys"], augmented["keys"][1:], [])
    assert before["rows"] == after["rows"] == 10
    assert before["bytes"] == 10 * 10 * augmented["bytes"] == 10 * 10 * 4 * 1280


def test_the_report(augmented: dict[str, Any]) -> None:
    """Nine rows a picture; a stop leaves what was made, which is not made again; a picture that was not added is told with its reason."""
    assert (augmented["stopped"]["rows"], augmented["stopped"]["stopped"]) == (9, True)
    report, progress = augmented["report"], augmented["progress"]
    assert (report["rows"], report["stopped"]) == (81, False)
    assert [(one["name"], one["code"]) for one in report["skipped"]] == [("strange.jpg", "InvalidInputError")]
    assert "added" in report["skipped"][0]["reason"]
    assert [(one["done"], one["total"]) for one in progress] == [(done, 10) for done in range(1, 11)]  # nine, and the strange one


def test_the_model_is_that_of_python(augmented: dict[str, Any], page: Page, site: Path) -> None:
    """Same pictures, rows, seed and settings in Python here: the same answers, to the sums of another kind of arithmetic."""
    job = Personalizer.load(site / ARTIFACTS)
    job.set_classes(LABELS)
    for label, path in photos("train", LABELS, 5):
        job.add(path.read_bytes(), label)
        job.augmentation.add(path.read_bytes(), BOTH)
    list(job.fit(augment=BOTH, **TRAINING))
    files = [path.read_bytes() for _, path in photos("test", LABELS, 3)]
    expected = [{one.label: one.probability for one in job.predict(data)} for data in files]
    found = page.evaluate(
        """async ([labels, settings, augment]) => {
          await pt.train({ ...settings, augment });
          const answers = [];
          for (const { file } of test) answers.push(await pt.predict(file));
          return answers.map((all) => Object.fromEntries(all.map(({ label, probability }) => [label, probability])));
        }""",
        [LABELS, TRAINING, BOTH],
    )
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-3)  # features agree to 1e-4 of the largest; a logit sums 1280 of them over 12 steps


def test_a_new_worker_has_the_rows(augmented: dict[str, Any], page: Page) -> None:
    """After the worker died nothing is missing, and a training that draws from them goes on."""
    missing = page.evaluate(
        """async ([both]) => {
          window.restarted = new Promise((resolve) => pt.addEventListener('restart', resolve, { once: true }));
          return (await pt.augmentation(both)).missing;
        }""",
        [BOTH],
    )
    assert missing == []
    page.workers[-1].evaluate(STRIKE)
    page.evaluate("async () => { await restarted; }")
    outcome = page.evaluate(
        """async ([both, key, label]) => {
          const { missing } = await pt.augmentation(both);
          const { epochs } = await pt.train({ epochs: 2, augment: both });
          await pt.remove({ key, label });
          await pt.add(train.filter((one) => one.key === key));
          return [missing, epochs.length, (await pt.augmentation(both)).missing];
        }""",
        [BOTH, augmented["keys"][0], LABELS[0]],
    )
    assert outcome == [[], 2, [augmented["keys"][0]]]


@pytest.mark.parametrize("call,message", [
    ("pt.augment(train, { mirror: 'yes' })", "mirror must be true or false, got yes"),
    ("pt.augment(train, { flip: true })", "'mirror' and 'crop'"),
    ("pt.augmentation({ flip: true })", "'mirror' and 'crop'"),
    ("pt.augment('x', { mirror: true })", "array of {label, file}"),
    ("pt.train({ augment: { mirror: 1 } })", "each True or False"),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(augmented: dict[str, Any], page: Page, call: str, message: str) -> None:
    """As InvalidInputError, in words that name it."""
    kind, said = page.evaluate(f"async () => {{ try {{ await {call}; }} catch (error) {{ return [error.kind, error.message]; }} }}")
    assert kind == "InvalidInputError"
    assert message in said


def test_quiet_console(augmented: dict[str, Any], page: Page) -> None:
    """None of this wrote an error or a warning to the page's console."""
    assert page.said == []
