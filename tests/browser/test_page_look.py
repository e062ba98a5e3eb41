"""The step Look on real photos, one of them in the wrong class: counts, cells, what to check and what comes of it, none of these."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from playwright.sync_api import Browser, Locator, expect
from scipy.stats import binomtest
from sklearn.metrics import precision_score, recall_score

from tests.browser.conftest import TRASH, Visiting
from tests.browser.looks import look, sideways
from tests.browser.pictures import HUES, class_folder
from tests.browser.studio import READ_MS, TRAIN_MS, Studio
from tests.browser.test_page_keyboard import tab_to

pytestmark = pytest.mark.browser

LABELS = ("cardboard", "glass", "metal", "paper")
WRONG = "a-bottle.jpg"  # a photo of glass among those of paper

# How many results have stood on the page since, as seen every few milliseconds; each training makes another one.
_COUNT_RESULTS = """
() => {
  const seen = new Set([inside.state.training.result]);
  const timer = setInterval(() => seen.add(inside.state.training.result), 2);
  window.results = () => { clearInterval(timer); return seen.size - 1; };
}
"""


@pytest.fixture(scope="module")
def looked(browser: Browser, visiting: Visiting, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A page on its step Look: four classes of ten photos, and an eleventh of paper that shows glass."""
    folder = tmp_path_factory.mktemp("looked")
    photos = {label: sorted((TRASH / "train" / label).glob("*.jpg")) for label in LABELS}
    for label in LABELS:
        (folder / label).mkdir()
        for photo in photos[label][1:11]:
            (folder / label / photo.name).write_bytes(photo.read_bytes())
    (folder / "paper" / WRONG).write_bytes(photos["glass"][0].read_bytes())
    with visiting() as new:
        studio = new(browser).open()
        studio.drop(*sorted(folder.iterdir()))
        studio.wait_ready()
        studio.wait_read("41 added")
        studio.train()
        studio.next.click()
        expect(studio.page).to_have_title(re.compile("^Look "))
        yield studio


def verdicts(studio: Studio) -> dict[str, np.ndarray]:
    """What the page was told of each judged picture: truth, said and rival (class places), sure, own and the picture's name."""
    rows = studio.page.evaluate(
        "() => inside.state.training.judgement.verdicts.map((one) => [one.truth, one.said, one.rival, one.sure, one.own, one.picture.name])"
    )
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return dict(zip(("truth", "said", "rival", "sure", "own", "name"), columns, strict=True))


def settled(studio: Studio) -> None:
    """The result is of the pictures as they lie now, and stands on the page."""
    studio.wait_learnt()
    expect(studio.next_words).to_contain_text("Trained in")


def judged_right(studio: Studio) -> tuple[int, int]:
    right, all_ = re.match(r"(\d+)\sof\s(\d+) right", studio.page.get_by_role("heading", level=1).inner_text()).groups()
    return int(right), int(all_)


def proofs(studio: Studio) -> Locator:
    """The pictures to check, where it disagrees."""
    return studio.page.get_by_role("region", name=re.compile("^Check|^Nothing to check")).locator(".proofs").first.get_by_role("listitem")


def test_headline(looked: Studio) -> None:
    """Each picture was judged; the count is that of the verdicts, and the range is scipy's Wilson interval of it."""
    told = verdicts(looked)
    right, all_ = judged_right(looked)
    assert (right, all_) == (np.sum(told["truth"] == told["said"]), 41)
    interval = binomtest(right, all_).proportion_ci(0.95, method="wilson")
    text = looked.page.locator("header.head").inner_text()
    assert "Each picture was judged by a model that had not seen it." in text
    assert f"between {round(interval.low * all_)} and {round(interval.high * all_)} of 41." in text


def test_matrix_and_classes(looked: Studio) -> None:
    """Cells and the counts of each class are those of the verdicts, as scikit-learn counts them."""
    told = verdicts(looked)
    rows = looked.page.locator(".matrix tbody tr").all()
    cells = [[int(re.match(r"\d+", cell.inner_text())[0]) for cell in row.get_by_role("cell").all()] for row in rows]
    expected = np.zeros((4, 4), int)
    np.add.at(expected, (told["truth"], told["said"]), 1)
    assert cells == expected.tolist()
    rates = [re.findall(r"(\d+) of (\d+)", row.inner_text()) for row in looked.page.locator(".facts--class tbody tr").all()]
    for column, score in enumerate((recall_score, precision_score)):
        shown = [int(row[column][0]) / int(row[column][1]) for row in rates]
        assert shown == pytest.approx(score(told["truth"], told["said"], average=None), rel=1e-12)  # both are quotients of the same counts


def test_cells_open_by_keyboard(looked: Studio) -> None:
    """Enter on a cell shows its pictures and goes there; Escape closes them and goes back. The name says whose they are."""
    cell = looked.page.get_by_role("button", name=re.compile(r"^\d+ glass, right$"))
    count = int(re.match(r"\d+", cell.inner_text())[0])
    tab_to(looked, cell)
    looked.page.keyboard.press("Enter")
    region = looked.page.get_by_role("region", name=f"glass, right: {count}")
    expect(region.get_by_role("heading")).to_be_focused()
    expect(region.get_by_role("listitem")).to_have_count(count)
    expect(region.get_by_role("img", name=re.compile(r"^glass-\d+\.jpg$"))).to_have_count(count, timeout=READ_MS)
    expect(cell).to_have_attribute("aria-expanded", "true")
    look(looked.page, "look-cell")
    looked.page.keyboard.press("Escape")
    expect(region).to_be_hidden()
    expect(cell).to_be_focused()


def test_mislabelled_comes_first_and_is_moved(looked: Studio) -> None:
    """The bottle among the paper is the first to check. Moved, it learns again, says so and no longer asks. Undo takes it back."""
    first = proofs(looked).first
    expect(first).to_contain_text("You said paper.")
    expect(first).to_contain_text("It says glass")
    expect(first.get_by_role("img", name=WRONG)).to_be_visible(timeout=READ_MS)
    told = verdicts(looked)
    wrong = np.flatnonzero(told["truth"] != told["said"])
    by_loss = told["name"][wrong[np.argsort(told["own"][wrong])]]
    assert [proof.get_by_role("img").get_attribute("alt") for proof in proofs(looked).all()] == by_loss[:4].tolist()
    before, _ = judged_right(looked)
    glass = looked.page.evaluate("inside.state.classes[1].id")
    tab_to(looked, first.get_by_role("button", name=f"Move to glass: {WRONG}"))
    looked.page.keyboard.press("Enter")
    expect(looked.page.get_by_role("button", name=re.compile(WRONG))).to_have_count(0)
    assert looked.page.evaluate("document.activeElement !== document.body")
    said = looked.page.locator("[role=status].hidden")
    expect(said).to_have_text(re.compile("^Learnt again. "), timeout=TRAIN_MS)
    settled(looked)
    right, all_ = judged_right(looked)
    assert all_ == 41
    assert right > before  # the bottle, at least, is right now
    expect(looked.page.locator(".head")).to_contain_text(f"{right - before} more than before.")
    assert looked.page.evaluate("(name) => [...inside.state.pictures.values()].find((one) => one.name === name).classId", WRONG) == glass
    looked.page.get_by_role("button", name="Undo").click()
    expect(looked.page.get_by_role("button", name=f"Move to glass: {WRONG}")).to_be_visible(timeout=TRAIN_MS)
    settled(looked)
    assert judged_right(looked)[0] == before
    expect(looked.page.get_by_role("button", name="Undo")).to_be_hidden()


def test_changes_are_merged(looked: Studio) -> None:
    """Changes while it learns: the training gives way to one with all of them, and its one result is told beside the one before."""
    before, _ = judged_right(looked)
    looked.page.evaluate("() => { inside.state.training.settings.epochs = 400; }")  # seconds instead of one
    looked.page.evaluate(_COUNT_RESULTS)
    for left in (40, 39, 38):
        looked.page.get_by_role("button", name=re.compile("^Take out")).first.click()
        assert looked.page.evaluate("inside.state.pictures.size") == left
        if left == 40:
            expect(looked.next_words).to_contain_text("It learns again.")
    settled(looked)
    assert looked.page.evaluate("results()") == 1
    assert judged_right(looked)[1] == 38
    expect(looked.page.locator(".head")).to_contain_text(f", before that {before} of 41.")  # of other pictures: neither more nor fewer
    looked.page.evaluate("() => { delete inside.state.training.settings.epochs; }")
    for back in (39, 40, 41):
        looked.page.get_by_role("button", name="Undo").click()
        looked.page.wait_for_function("(n) => inside.state.pictures.size === n", arg=back)
    settled(looked)
    assert judged_right(looked)[1] == 41
    looked.go("Collect")
    assert looked.class_counts() == {"cardboard": 10, "glass": 10, "metal": 10, "paper": 11}
    looked.go("Look")


def test_the_person_is_right(looked: Studio) -> None:
    """What the person insists on is not asked again, nothing is learnt anew, and it can be taken back.

    Right but unsure ones come last, with the same three answers: they can be moved to the class that it thought of next.
    """
    edition = looked.page.evaluate("inside.state.edition")
    looked.page.get_by_role("button", name=f"I am right: {WRONG}").click()
    expect(looked.page.get_by_role("button", name=re.compile(f"{WRONG}$"))).to_have_count(0)
    assert looked.page.evaluate("inside.state.edition") == edition
    told = verdicts(looked)
    wrong = int(np.sum(told["truth"] != told["said"])) - 1  # without the one just confirmed
    for shown in range(12, wrong + 8, 8):
        looked.page.get_by_role("button", name=re.compile(r"^Show \d+ more")).click()
        expect(proofs(looked)).to_have_count(min(shown, wrong))
    looked.page.get_by_role("button", name="Show where it was right, but unsure").click()
    unsure = looked.page.get_by_role("region", name="Right, but unsure").get_by_role("listitem")
    lowest = np.sort(told["own"][told["truth"] == told["said"]])[:3]
    shares = [int(re.search(r"(\d+)\u00a0%", unsure.nth(place).inner_text())[1]) / 100 for place in range(3)]
    assert shares == pytest.approx(lowest, abs=0.00501)  # whole percent
    rows = np.flatnonzero(told["truth"] == told["said"])
    least = rows[np.argmin(told["own"][rows])]
    name, rival = told["name"][least], LABELS[told["rival"][least]]
    acts = [button.get_attribute("aria-label") for button in unsure.first.get_by_role("button").all()]
    assert acts == [f"{act}: {name}" for act in (f"Move to {rival}", "I am right", "Take out")]
    looked.page.get_by_role("button", name="Undo").click()
    expect(looked.page.get_by_role("button", name=f"I am right: {WRONG}")).to_be_visible()


def test_none_of_these(looked: Studio, tmp_path: Path) -> None:
    """The learnt value is the rank it promises; the slider says what it would do; the file carries it, or nothing when it is off."""
    told = verdicts(looked)
    right = np.sort(told["sure"][told["truth"] == told["said"]])
    learnt = np.floor(right[(len(right) + 1) // 20 - 1] * 100) / 100
    slider = looked.page.get_by_role("slider")
    assert slider.input_value() == f"{learnt * 100:.0f}"
    expect(slider).to_have_accessible_name(f'Say "none of these" below {learnt * 100:.0f}\u00a0%')
    assert threshold(looked, tmp_path / "learnt.onnx") == learnt

    looked.go("Look")
    tab_to(looked, slider)
    for _ in range(12):
        looked.page.keyboard.press("ArrowRight")
    below = learnt + 0.12
    silent = told["sure"] < below
    mistakes = np.sum(told["truth"][silent] != told["said"][silent])
    expect(looked.page.locator("#none-note")).to_have_text(
        re.compile(rf"^On your own 41\spictures: {silent.sum()} would get no answer, and ({mistakes}|all|it|none)\b.* wrong today\.$")
    )
    assert threshold(looked, tmp_path / "chosen.onnx") == pytest.approx(below, abs=1e-9)  # a whole percent either way

    looked.go("Look")
    for act in (looked.page.get_by_role("button", name=re.compile("^Take out")).first, looked.page.get_by_role("button", name="Undo")):
        act.click()
        settled(looked)
        expect(slider).to_have_value(f"{below * 100:.0f}")  # what a person chose stays when it learns again
    expect(looked.page.get_by_text("Chosen by you. It stays when it learns again.")).to_be_visible()
    assert threshold(looked, tmp_path / "learnt-again.onnx") == pytest.approx(below, abs=1e-9)

    looked.go("Look")
    looked.page.get_by_role("button", name="Turn it off").click()
    expect(looked.page.locator("#none-note")).to_contain_text("all would get an answer.")
    assert threshold(looked, tmp_path / "off.onnx") is None
    looked.go("Look")
    looked.page.get_by_role("button", name=re.compile("^As learnt")).click()
    expect(slider).to_have_value(f"{learnt * 100:.0f}")


def threshold(studio: Studio, path: Path) -> float | None:
    """What the file says that Take offers now."""
    studio.go("Take")
    save = studio.page.get_by_role("button", name="Save the model")
    expect(save).not_to_have_attribute("aria-disabled", "true", timeout=READ_MS)
    studio.save("Save the model").save_as(path)
    about = {one.key: one.value for one in onnx.load(str(path)).metadata_props}
    return float(about["pagetrain.none_below"]) if "pagetrain.none_below" in about else None


def test_held_out_only(looked: Studio) -> None:
    """Without cross-validation only the pictures kept aside are judged, and the page says how many; where none are, it says that.

    The value of "none of these" can still be chosen then, as it still holds.
    """
    looked.go("Look")
    looked.page.evaluate("() => Object.assign(inside.state.training.settings, { folds: 0, validation: 0.25 })")
    looked.go("Train")
    looked.page.get_by_text("Advanced", exact=True).click()
    looked.page.get_by_role("button", name="Train with these").click()
    looked.wait_trained()
    looked.next.click()
    _, all_ = judged_right(looked)
    assert 8 <= all_ <= 12  # a quarter of 41, rounded in each of four classes
    expect(looked.page.locator("header.head")).to_contain_text(re.compile(rf"{all_} of your 41\spictures were judged"))
    assert len(verdicts(looked)["truth"]) == all_
    look(looked.page, "look-held-out")
    looked.page.evaluate("() => Object.assign(inside.state.training.settings, { folds: 0, validation: 0 })")
    looked.go("Train")
    looked.page.get_by_role("button", name="Train with these").click()
    looked.wait_trained()
    looked.go("Look")  # what comes next is to try it
    expect(looked.page.locator("header.head")).to_contain_text("You asked for no share to be kept aside, so there is nothing to look at.")
    for title in ("What it mixes up", "Class by class", re.compile("^Check|^Nothing to check")):
        expect(looked.page.get_by_role("heading", name=title)).to_be_hidden()
    expect(looked.page.get_by_role("slider")).to_be_visible()
    expect(looked.page.locator("#none-note")).to_have_text("No picture was judged, so nobody knows yet what it would do.")
    look(looked.page, "look-none-judged")


def test_two_classes_one_of_them_not_judged(studio: Studio, tmp_path: Path) -> None:
    """A class whose only picture is learnt from has none judged, and Train and the table say so; too few right answers to learn a value."""
    studio.drop(class_folder(tmp_path, "red", "red", 8), class_folder(tmp_path, "blue", "blue", 1))
    studio.wait_ready()
    studio.wait_read("9 added")
    studio.train()
    _, all_ = judged_right(studio)
    assert all_ < 9
    expect(studio.page.locator(".run__words")).to_contain_text(re.compile(rf"{all_} of your 9\spictures were judged by a model"))
    nothing = "No picture of blue was judged, so this says nothing about it."
    expect(studio.page.locator(".run__words")).to_contain_text(nothing)
    studio.next.click()
    expect(studio.page.locator(".head")).to_contain_text(nothing)
    row = studio.page.locator(".facts--class tbody tr").filter(has_text="blue")
    expect(row).to_contain_text("none judged")
    expect(studio.page.get_by_role("slider")).to_have_accessible_name("It always gives an answer")
    expect(studio.page.get_by_text("From 19 right answers on it can learn a value.")).to_be_visible()
    look(studio.page, "look-two")


@pytest.mark.parametrize("classes", [12, 40])
def test_many_classes(studio: Studio, tmp_path: Path, classes: int) -> None:
    """Twelve classes, one with a long name: the matrix scrolls sideways, the page does not, nor does Try. A wide window shows it whole.

    Forty: a list of mix-ups, whose rows open their pictures; the right ones of a class open from its row in the table of classes.
    """
    names = [f"class number {n}" for n in range(classes)]
    if classes == 12:
        names[-1] = "W" * 100
    folders = [class_folder(tmp_path, name, list(HUES)[n % 4], 2, 10 * n) for n, name in enumerate(names)]
    studio.drop(*folders)
    studio.wait_ready()
    studio.wait_read(f"{2 * classes} added")
    studio.train()
    studio.next.click()
    studio.page.set_viewport_size({"width": 360, "height": 740})
    assert sideways(studio.page) == 0
    table = studio.page.get_by_role("region", name="Table of mix-ups")
    if classes == 12:
        assert table.evaluate("(node) => node.scrollWidth > node.clientWidth + 100")
        expect(studio.page.get_by_text("scroll it sideways for the other classes")).to_be_visible()
        studio.page.set_viewport_size({"width": 1280, "height": 860})
        assert table.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        expect(studio.page.get_by_text("scroll it sideways for the other classes")).to_be_hidden()
    else:
        expect(table).to_be_hidden()
        rows = studio.page.locator(".mixups").get_by_role("button")
        told = verdicts(studio)
        pairs = {(a, b) for a, b in zip(told["truth"], told["said"], strict=True) if a != b}
        expect(rows).to_have_count(min(15, len(pairs)))  # the first fifteen; classes of one hue cannot be told apart
        rows.first.click()
        expect(studio.page.locator(".opened").get_by_role("heading")).to_be_focused()
        expect(studio.page.locator(".opened").get_by_role("listitem").first).to_be_visible()
        right = [n for n in range(classes) if np.any((told["truth"] == n) & (told["said"] == n))]
        openers = studio.page.locator(".facts--class").get_by_role("button")
        expect(openers).to_have_count(len(right))
        openers.first.press("Enter")
        opened = studio.page.get_by_role("region", name=re.compile(r"^class number \d+, right: "))
        expect(opened.get_by_role("heading")).to_be_focused()
        expect(opened.get_by_role("listitem")).to_have_count(int(np.sum((told["truth"] == right[0]) & (told["said"] == right[0]))))
        studio.page.keyboard.press("Escape")
        expect(openers.first).to_be_focused()
    look(studio.page, f"look-{classes}")
    studio.go("Try")
    studio.try_files(folders[0] / "red-0.png")
    studio.page.get_by_label("The right class").select_option("new")
    expect(studio.page.get_by_label("Name of the new class")).to_be_visible()
    look(studio.page, f"try-{classes}")
