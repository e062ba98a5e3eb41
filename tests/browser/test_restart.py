"""A dead worker is replaced, and the work is still there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.hosting import STRIKE, fail_loudly, hand_over, hosting, load, photos

pytestmark = pytest.mark.browser
LABELS = ["metal", "paper"]


@pytest.fixture(scope="module")
def trained(site: Path, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Page]:
    """A page with a trained model; the worker may be struck as often as one likes."""
    with hosting(site, tmp_path_factory.mktemp("host")) as host:
        context = browser.new_context()
        page = context.new_page()
        page.said = fail_loudly(page)
        load(page, host.url + "host.html")
        hand_over(page, "train", photos("train", LABELS, 5))
        hand_over(page, "test", photos("test", LABELS, 5))
        page.evaluate(
            """async ([labels]) => {
              window.states = [];
              pt.addEventListener('state', ({ detail }) => states.push(detail.state));
              window.restart = () => new Promise((resolve) => {
                pt.addEventListener('restart', ({ detail }) => resolve(detail), { once: true });
              });
              await pt.setClasses(labels);
              await pt.add(train);
              await pt.train({ epochs: 5, seed: 3 });
            }""",
            [LABELS],
        )
        yield page
        context.close()


def strike(page: Page) -> dict[str, Any]:
    """Kills the worker and waits for the next one; what the event told."""
    page.evaluate("() => { states.length = 0; window.restarted = restart(); }")
    page.workers[-1].evaluate(STRIKE)
    detail: dict[str, Any] = page.evaluate("restarted")
    return detail


def test_work_survives(trained: Page) -> None:
    """After an uncaught error in the worker the answers are the same, every picture is there, and training goes on from the learnt head."""
    predict = "async () => pt.predict(test[0].file)"
    before = trained.evaluate(predict)
    detail = strike(trained)
    assert detail["pictures"] == 10
    assert "struck" in detail["reason"]
    assert trained.evaluate("states") == ["restarting", "ready"]
    assert trained.evaluate(predict) == before
    again = trained.evaluate("async () => (await pt.add(train)).pictures.map((one) => one.duplicate)")
    assert again == [True] * 10
    first = trained.evaluate("async () => (await pt.train({ epochs: 1, seed: 3 })).epochs[0].loss")
    assert first < 0.6  # an unlearnt head of two classes begins at ln 2 = 0.69


def test_judging_survives(trained: Page) -> None:
    """Near-duplicates, similar pictures and the threshold are what they were; what is judged is what a page without a fault says."""
    ask = "async () => [await pt.nearDuplicates(), await pt.similar(test[0].file, { count: 4 }), pt.noneBelow]"
    trained.evaluate("async ([label]) => { await pt.setNoneBelow(0.25); await pt.add([{ ...train[0], label }]); }", [LABELS[1]])
    before = trained.evaluate(ask)
    assert [one["label"] for one in before[0][0]] == LABELS
    assert before[2] == 0.25
    strike(trained)
    assert trained.evaluate(ask) == before
    metadata = trained.evaluate("async () => new TextDecoder('latin1').decode(await (await pt.exportModel()).slice(-400).arrayBuffer())")
    assert "pagetrain.none_below" in metadata
    judged = "async () => { const { judged: one } = await pt.train({ epochs: 2 }); return [one.pictures, [...one.probabilities]]; }"
    first = trained.evaluate(judged)
    assert len(first[1]) == 2 * len(first[0])
    strike(trained)
    assert trained.evaluate(judged) == first
    trained.evaluate("async ([label]) => { await pt.remove({ key: (await pt.nearDuplicates())[0][0].key, label }); }", [LABELS[1]])
    trained.evaluate("async () => pt.setNoneBelow(null)")


def test_call_in_flight_rejects(trained: Page) -> None:
    """A training that the worker died in rejects with kind "worker"; the next one works."""
    trained.evaluate(
        """() => {
          window.begun = new Promise((resolve) => {
            window.training = pt.train({ epochs: 5000, onProgress: resolve }).catch(({ name, kind, message }) => ({ name, kind, message }));
          });
        }"""
    )
    trained.evaluate("begun")
    strike(trained)
    error = trained.evaluate("training")
    assert (error["name"], error["kind"]) == ("PagetrainError", "worker")
    assert "struck" in error["message"]
    assert trained.evaluate("async () => (await pt.train({ epochs: 2 })).epochs.length") == 2


def test_adding_survives(trained: Page) -> None:
    """A worker that dies while pictures are added costs none of them."""
    trained.evaluate(
        """() => {
          window.restarted = restart();
          window.begun = new Promise((resolve) => { window.adding = pt.add(test, { onProgress: ({ done }) => done === 2 && resolve() }); });
        }"""
    )
    trained.evaluate("begun")
    trained.workers[-1].evaluate(STRIKE)
    trained.evaluate("restarted")
    report = trained.evaluate("adding")
    assert (report["added"], report["skipped"]) == (10, [])
    assert strike(trained)["pictures"] == 20


def test_death_during_the_restart(trained: Page) -> None:
    """If the next worker dies before it is ready, the state says so, and the next call starts another: still nothing is lost."""
    predict = "async () => pt.predict(test[0].file)"
    before = trained.evaluate(predict)
    trained.evaluate("() => { states.length = 0; window.restarted = restart(); }")
    with trained.expect_event("worker") as started:
        trained.workers[-1].evaluate(STRIKE)
    started.value.evaluate(STRIKE)
    trained.wait_for_function("states.includes('failed')")
    assert trained.evaluate(predict) == before
    assert trained.evaluate("restarted")["pictures"] == 20
    assert trained.evaluate("states") == ["restarting", "failed", "ready"]


def test_silent_console(trained: Page) -> None:
    """What died is told by events and errors, not on the console."""
    assert trained.said == []
