"""What a Pagetrain holds, given to another one: the same classifier without a picture, or refused and nothing changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.hosting import ARTIFACTS, STRIKE, fail_loudly, hand_over, hosting, load, photos, python_worker

pytestmark = pytest.mark.browser
LABELS = ["metal", "paper"]
# What a classifier is, as plain values: `of(pt)`.
DESCRIBE = """() => {
  window.of = async (pt) => {
    const { pictures, head, ...rest } = pt.contents;
    const rows = pictures.map(({ features, ...one }) => ({ ...one, features: [...features.slice(0, 3), features.length] }));
    const answers = [];
    for (const { file } of test) answers.push(await pt.predict(file));
    return { ...rest, rows, head: head && [...head], answers, twins: await pt.nearDuplicates() };
  };
}"""


@pytest.fixture(scope="module")
def page(site: Path, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Page]:
    """A trained classifier `pt`, one of its pictures in both classes; `kept`: its contents, copied by the browser."""
    with hosting(site, tmp_path_factory.mktemp("host")) as host:
        context = browser.new_context()
        made = context.new_page()
        said = fail_loudly(made)
        load(made, host.url + "host.html")
        hand_over(made, "train", photos("train", LABELS, 4))
        hand_over(made, "test", photos("test", LABELS, 2))
        made.evaluate(DESCRIBE)
        made.evaluate(
            """async ([labels]) => {
              await pt.setClasses(labels);
              await pt.add(train.map((one, index) => ({ ...one, group: index < 2 ? "burst" : undefined })));
              await pt.add([{ ...train[0], label: labels[1] }]);
              await pt.train({ epochs: 3, seed: 3 });
              await pt.setNoneBelow(0.4);
              window.kept = structuredClone(pt.contents);
              window.whole = await of(pt);
            }""",
            [LABELS],
        )
        yield made
        assert said == []
        context.close()


def described(page: Page) -> Any:
    return page.evaluate("of(pt)")


def test_contents_are_a_classifier(page: Page) -> None:
    """After other classes and pictures, the contents bring back answers, features, near-duplicates and threshold, bit by bit."""
    whole = page.evaluate("whole")
    assert (whole["labels"], whole["layers"], whole["noneBelow"], len(whole["rows"])) == (LABELS, "last-layer", 0.4, 9)
    assert whole["base"]["name"] == "efficientnet-lite0"
    assert whole["base"]["fingerprint"].startswith("sha256:")
    page.evaluate("async () => { await pt.setClasses(['other', 'classes']); await pt.add([{ ...test[0], label: 'other' }]); }")
    page.evaluate("pt.restore(kept)")
    assert described(page) == whole
    again = page.evaluate("async () => (await pt.add(train)).pictures.map(({ duplicate }) => duplicate)")
    assert again == [True] * 8
    first = page.evaluate("async () => (await pt.train({ epochs: 1, seed: 3, validation: 0 })).epochs[0].loss")
    assert first < 0.6  # an unlearnt head of two classes begins at ln 2 = 0.69
    page.evaluate("pt.restore(kept)")


def test_restored_contents_survive_the_worker(page: Page) -> None:
    """A worker that dies afterwards is replaced by one that holds the restored contents."""
    page.evaluate("() => { window.restarted = new Promise((done) => pt.addEventListener('restart', () => done(), { once: true })); }")
    python_worker(page).evaluate(STRIKE)
    page.evaluate("restarted")
    assert described(page) == page.evaluate("whole")


REFUSED = {
    "another base": ("{ ...kept, base: { ...kept.base, fingerprint: 'sha256:other' } }", "StateError", "sha256:other"),
    "features of another length": (
        "{ ...kept, pictures: kept.pictures.map((one) => ({ ...one, features: one.features.slice(1) })) }",
        "InvalidInputError",
        "",
    ),
    "a broken head": ("{ ...kept, head: kept.head.slice(0, 100) }", "", ""),
    "a head for other classes": ("{ ...kept, labels: [...kept.labels, 'third'] }", "InvalidInputError", "metal, paper, third"),
    "a name that is none": ("{ ...kept, labels: [' '], pictures: [], head: null }", "InvalidInputError", "1 to 100"),
}


@pytest.mark.parametrize("which", REFUSED)
def test_refused_contents_change_nothing(page: Page, which: str) -> None:
    """Contents that Python or the page finds fault with are refused with a PagetrainError, and all is as it was."""
    contents, kind, said = REFUSED[which]
    error = page.evaluate(f"pt.restore({contents}).then(() => null, ({{ name, kind, message }}) => ({{ name, kind, message }}))")
    assert error["name"] == "PagetrainError"
    assert kind in error["kind"]
    assert said in error["message"]
    assert described(page) == page.evaluate("whole")


def test_contents_bring_their_layers(page: Page, site: Path) -> None:
    """What was learnt with other layers comes back with them, and goes again with those before."""
    assert (site / ARTIFACTS / "manifest.json").read_text().count("last-block")
    deep = page.evaluate(
        """async () => {
          await pt.setLayers('last-block', train);
          await pt.train({ epochs: 1, seed: 3, validation: 0 });
          window.deep = structuredClone(pt.contents);
          return of(pt);
        }"""
    )
    assert deep["layers"] == "last-block"
    page.evaluate("pt.restore(kept)")
    assert described(page) == page.evaluate("whole")
    page.evaluate("pt.restore(deep)")
    assert described(page) == deep
    page.evaluate("pt.restore(kept)")
