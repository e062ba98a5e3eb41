"""Training and classes: why it cannot begin, stopping it, cancelling a drop, and answers that stay when classes change."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import TRASH, Visiting
from tests.browser.hosting import STRIKE, python_worker
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, TRAIN_MS, Studio

pytestmark = pytest.mark.browser

UNSEEN = TRASH / "test/glass/glass-21.jpg"


@pytest.fixture(scope="module")
def three(browser: Browser, visiting: Visiting, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A page with three trained classes of five photos."""
    folder = tmp_path_factory.mktemp("three")
    for label in ("glass", "metal", "paper"):
        (folder / label).mkdir()
        for photo in sorted((TRASH / "train" / label).glob("*.jpg"))[:5]:
            (folder / label / photo.name).write_bytes(photo.read_bytes())
    with visiting() as new:
        studio = new(browser).open()
        studio.drop(*sorted(folder.iterdir()))
        studio.wait_ready()
        studio.wait_read("15 added")
        studio.train()
        yield studio


def answers(studio: Studio) -> dict[str, float]:
    """All probabilities for one unseen photo."""
    return {one["label"]: one["probability"] for one in studio.ask("predict", UNSEEN.read_bytes())}


def test_renamed_class(three: Studio) -> None:
    """A class with another name gives the very same probabilities under it, and its pictures stay."""
    before = answers(three)
    three.go("Collect")
    box = three.roll("metal").get_by_role("textbox", name="Class name")
    box.fill("tin")
    box.press("Enter")
    expect(three.roll("tin")).to_be_visible()
    assert answers(three) == {("tin" if label == "metal" else label): value for label, value in before.items()}
    assert three.class_counts() == {"glass": 5, "tin": 5, "paper": 5}
    box = three.roll("tin").get_by_role("textbox", name="Class name")
    box.fill("glass")
    box.press("Enter")
    expect(three.roll("tin").get_by_role("alert")).to_have_text("There is a class glass already.")
    box.press("Escape")
    assert three.class_counts() == {"glass": 5, "tin": 5, "paper": 5}


def test_added_and_removed_classes(three: Studio) -> None:
    """Classes that stay keep what they learnt: the ratio of their probabilities. Before pictures go, the page asks."""
    before = answers(three)
    three.go("Collect")
    three.page.get_by_role("button", name="Add a class").click()
    three.page.keyboard.type("wood")
    three.page.keyboard.press("Enter")
    with_more = answers(three)
    assert with_more.keys() == before.keys() | {"wood"}
    assert with_more["glass"] / with_more["paper"] == pytest.approx(before["glass"] / before["paper"], rel=1e-5)  # float32
    three.page.get_by_role("button", name="Remove wood").click()  # empty: nothing to ask
    three.page.get_by_role("button", name="Remove paper").click()
    three.page.get_by_role("dialog").get_by_role("button", name="Keep them").click()
    assert three.class_counts()["paper"] == 5
    first = next(label for label in three.class_names() if label not in ("glass", "paper"))
    three.page.get_by_role("button", name=f"Remove {first}").click()
    three.page.get_by_role("dialog").get_by_role("button", name="Remove them").click()
    expect(three.roll(first)).to_be_hidden()
    assert three.class_counts() == {"glass": 5, "paper": 5}
    left = answers(three)
    assert left.keys() == {"glass", "paper"}
    assert left["glass"] / left["paper"] == pytest.approx(before["glass"] / before["paper"], rel=1e-5)
    expect(three.next_words).to_contain_text("Train again to include that.")


def test_stop_keeps_the_best(three: Studio) -> None:
    """Stopped in the midst of a thousand rounds: a result stands at once, and the model answers."""
    three.go("Train")
    three.page.get_by_text("Advanced", exact=True).click()
    three.page.get_by_label("Rounds through all pictures").fill("1000")
    three.page.get_by_role("button", name="Train with these").click()
    stop = three.page.get_by_role("button", name="Stop and keep the best")
    expect(three.page.locator(".run__words").get_by_text(re.compile("^Round [2-9]"))).to_be_visible(timeout=TRAIN_MS)
    stop.click()
    three.wait_trained()
    said = three.page.get_by_text(re.compile("Stopped after")).inner_text()
    rounds, kept = (int(number.replace(",", "")) for number in re.search(r"after ([\d,]+)\D+rounds.*Round ([\d,]+) is kept", said).groups())
    assert 1 <= kept <= rounds < 1000
    three.go("Try")
    three.try_files(UNSEEN)
    assert sum(three.tried()[0]["answers"].values()) == pytest.approx(1, abs=1e-5)


def test_refused_and_answered_when_tried(three: Studio, tmp_path: Path) -> None:
    """On Try a file that is no picture gets its reason, and the picture beside it its answer."""
    letter = tmp_path / "letter.jpg"
    letter.write_bytes(b"Dear Sir or Madam")
    three.go("Try")
    three.try_files(UNSEEN, letter)
    by_name = {one["name"]: one for one in three.tried()}
    assert by_name["letter.jpg"]["error"] == "Not a picture."
    assert by_name[UNSEEN.name]["answers"]
    expect(three.page.get_by_role("button", name=re.compile("It could not look at this one.*letter.jpg"))).to_be_visible()


def test_says_why_it_cannot_train(studio: Studio, tmp_path: Path) -> None:
    """One class, an empty class: the button says what is missing, and does nothing until it is there."""
    studio.wait_ready()
    why = studio.next_words
    studio.go("Train")
    expect(why).to_contain_text("Needs two classes with pictures.")
    studio.go("Collect")
    studio.drop(class_folder(tmp_path, "red", "red", 2))
    studio.wait_read("2 added")
    expect(why).to_contain_text("Needs a second class with pictures.")
    studio.drop(class_folder(tmp_path, "blue", "blue", 2))
    studio.wait_read("2 added")
    studio.page.get_by_role("button", name="Add a class").click()
    expect(why).to_contain_text(re.compile("Class 3 has no pictures. Add some, or remove it."))
    expect(studio.next).to_have_attribute("aria-disabled", "true")
    studio.next.dispatch_event("click")
    expect(studio.page).to_have_title(re.compile("^Collect"))
    studio.page.get_by_role("button", name="Remove Class 3").click()
    studio.train()


def test_cancelled_drop(studio: Studio, tmp_path: Path) -> None:
    """The rest of a long drop is cancelled: what was read stays, a class that got nothing goes, and the line accounts for all."""
    folder = class_folder(tmp_path, "red", "red", 60)
    studio.wait_ready()
    studio.drop(folder, class_folder(tmp_path, "zebra", "blue", 40))
    expect(studio.report).to_contain_text(re.compile(r"\b[1-4]\d? of 100 read"), timeout=READ_MS)
    studio.page.get_by_role("button", name="Cancel the rest").click()
    studio.wait_read("cancelled")
    added, cancelled = map(int, re.search(r"(\d+) added, (\d+) cancelled", studio.report.inner_text()).groups())
    assert added + cancelled == 100
    assert 0 < added < 60
    assert studio.class_counts() == {"red": added}
    studio.drop(folder / "red-59.png", onto=studio.roll("red"))
    studio.wait_read("1 added")


def test_learns_from_variants(studio: Studio, tmp_path: Path) -> None:
    """With both ticks each picture is looked at again before the first training, which says so; the rows are there then, and kept."""
    folders = [class_folder(tmp_path, name, name, 5) for name in ("red", "blue")]
    studio.drop(*folders)
    studio.wait_ready()
    studio.wait_read("10 added")
    studio.go("Train")
    studio.page.get_by_text("Advanced", exact=True).click()
    studio.page.get_by_label(re.compile("^Mirrored")).check()
    studio.page.get_by_label(re.compile("^Cropped")).check()
    studio.page.evaluate(
        """() => {
             window.said = new Set();
             const hear = () => said.add(document.querySelector(".run__words .text")?.textContent);
             new MutationObserver(hear).observe(document.querySelector("main"), { subtree: true, characterData: true, childList: true });
           }"""
    )
    studio.page.get_by_role("button", name="Train with these").click()
    studio.wait_trained()
    said = studio.page.evaluate("[...said]")
    assert any(re.fullmatch(r"Looking at variants of \d+ of 10\xa0pictures\.", words) for words in said), said
    assert studio.page.evaluate("inside.trainer((pt) => pt.augmentation({ mirror: true, crop: true }))")["missing"] == []


def test_trains_on(studio: Studio, tmp_path: Path) -> None:
    """After a training another goes on from what it knows: its first round is better than the first one's was. Parts can be asked for."""
    studio.drop(*(TRASH / "train" / name for name in ("glass", "paper", "metal")))
    studio.wait_ready()
    studio.wait_read("36 added")
    studio.go("Train")
    studio.page.get_by_text("Advanced", exact=True).click()
    studio.page.get_by_label("Parts to test on in turn (folds)").fill("3")
    studio.page.get_by_label("Rounds through all pictures").fill("10")
    studio.page.get_by_role("button", name="Train with these").click()
    studio.wait_trained()
    first = studio.page.evaluate("inside.state.training.curves[0]")
    assert first["folds"] == 3
    expect(studio.page.locator(".run__words")).to_contain_text("Each picture was judged by a model that had not seen it.")
    studio.page.get_by_role("button", name="Train on").click()
    expect(studio.page.get_by_role("button", name="Train on")).to_be_hidden()
    studio.wait_trained()
    assert studio.page.evaluate("inside.state.training.curves[0]")["loss"] < first["loss"] / 2


def test_last_block(studio: Studio, tmp_path: Path) -> None:
    """The last block learns, too, from pictures read again, of a zip as well. A worker that dies in it is replaced, and learns anew."""
    packed = tmp_path / "trash.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for photo in sorted((TRASH / "train/glass").iterdir())[:6]:
            archive.write(photo, f"glass/{photo.name}")
    studio.drop(packed, TRASH / "train/paper")
    studio.wait_ready()
    studio.wait_read("18 added")
    studio.train()
    before = studio.ask("predict", UNSEEN.read_bytes())
    studio.go("Train")
    studio.page.get_by_text("Advanced", exact=True).click()
    studio.page.get_by_label("What learns").select_option("last-block")
    studio.page.get_by_label("Rounds through all pictures").fill("30")
    studio.page.get_by_role("button", name="Train with these").click()
    expect(studio.page.locator(".run__words").get_by_text(re.compile("^Round [2-9]"))).to_be_visible(timeout=TRAIN_MS)
    python_worker(studio.page).evaluate(STRIKE)
    expect(studio.page.get_by_text("The trainer stopped and was started again.")).to_be_visible(timeout=TRAIN_MS)
    studio.wait_trained()
    assert studio.page.evaluate("inside.trainer((pt) => pt.layers)") == "last-block"
    assert studio.page.evaluate("inside.state.training.curves.length") == 30
    after = studio.ask("predict", UNSEEN.read_bytes())
    assert {one["label"] for one in after} == {"glass", "paper"}
    assert after != before


def test_the_same_seed_gives_the_same_answers(quick: Studio, tmp_path: Path) -> None:
    """However often it has learnt before; another seed gives others."""
    quick.drop(class_folder(tmp_path, "red", "red", 4), class_folder(tmp_path, "blue", "blue", 4, 50))
    quick.wait_read("8 added")
    quick.go("Train")
    quick.page.get_by_text("Advanced", exact=True).click()
    quick.page.get_by_label("Rounds through all pictures").fill("3")
    said = []
    for seed in ("7", "7", "8", "7"):
        quick.page.get_by_label("Seed").fill(seed)
        quick.page.get_by_role("button", name="Train with these").click()
        quick.wait_trained()
        quick.page.wait_for_function("() => inside.state.training.phase === 'done'")
        said.append(quick.ask("predict", UNSEEN.read_bytes()))
    assert said[0] == said[1] == said[3] != said[2]
