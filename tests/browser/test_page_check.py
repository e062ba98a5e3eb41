"""What the page says about photos, and twins made of them, before training: each hint has its answer, each answer its way back."""

import shutil
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, ViewportSize, expect

from tests.browser.conftest import TRASH
from tests.browser.looks import SIZES, look
from tests.browser.studio import READ_MS, TRAIN_MS, Studio
from tests.browser.test_page_keyboard import tab_to

pytestmark = pytest.mark.browser

# The trainer is asked half a second after the last change, and then has to answer; ten times that on a busy machine.
FOUND_MS = 15_000


def photos(folder: str, count: int) -> list[Path]:
    return sorted((TRASH / "train" / folder).glob("*.jpg"))[:count]


def class_of(parent: Path, name: str, some: list[Path]) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    for path in some:
        shutil.copyfile(path, folder / path.name)
    return folder


def smaller(path: Path, to: Path) -> None:
    """The same photo as people send it on: fewer pixels, compressed once more."""
    with Image.open(path) as image:
        image.resize((image.width * 3 // 5, image.height * 3 // 5)).save(to, "JPEG", quality=70)


def collect(studio: Studio, *folders: Path) -> Studio:
    studio.drop(*folders)
    studio.wait_ready()
    studio.wait_read("added")
    return studio


def hint(studio: Studio, title: str) -> Locator:
    return studio.page.get_by_role("article").filter(has=studio.page.get_by_role("heading", name=title))


def top_of(part: Locator) -> float:
    return part.evaluate("(node) => node.getBoundingClientRect().top")


def names_in(studio: Studio, name: str) -> list[str]:
    """Files of a class in the order of its frames."""
    return studio.page.evaluate(
        """(name) => {
             const { state } = inside;
             const { id } = state.classes.find((one) => one.name === name);
             return [...state.pictures.values()].filter((one) => one.classId === id).map((one) => one.name);
           }""",
        name,
    )


@pytest.fixture
def twins(studio: Studio, tmp_path: Path) -> Studio:
    """Ten cardboards and ten glasses, of which two are there once more, smaller and compressed again."""
    cardboard, glass = class_of(tmp_path, "Cardboard", photos("cardboard", 10)), class_of(tmp_path, "Glass", photos("glass", 10))
    for path in photos("glass", 2):
        smaller(path, glass / f"sent-{path.name}")
    collect(studio, cardboard, glass)
    expect(hint(studio, "are nearly the same as others")).to_be_visible(timeout=FOUND_MS)
    return studio


@pytest.fixture
def shared(studio: Studio, tmp_path: Path) -> Studio:
    """Ten glasses and ten metals, where one glass is among the metals too."""
    glass, metal = class_of(tmp_path, "Glass", photos("glass", 10)), class_of(tmp_path, "Metal", photos("metal", 9))
    shutil.copyfile(photos("glass", 1)[0], metal / "bottle.jpg")
    collect(studio, glass, metal)
    expect(hint(studio, "The same picture is in two classes.")).to_be_visible(timeout=FOUND_MS)
    return studio


def test_balance(studio: Studio, tmp_path: Path) -> None:
    """Every class has its bar and its number, read with their word, and a sentence says which class has fewest and most."""
    collect(studio, class_of(tmp_path, "Paper", photos("paper", 3)), class_of(tmp_path, "Metal", photos("metal", 9)))
    balance = studio.page.get_by_role("region", name="Pictures by class")
    expect(balance).to_contain_text("Paper has the fewest pictures, 3; Metal has the most, 9.")
    assert balance.get_by_role("listitem").all_text_contents() == ["Metal9 pictures", "Paper3 pictures"]  # folders come by name
    lengths = balance.locator(".level").evaluate_all("(all) => all.map((one) => parseFloat(getComputedStyle(one, '::before').inlineSize))")
    assert lengths[1] == pytest.approx(lengths[0] / 3, abs=1)


def test_uneven_classes_are_weighed_at_a_click(studio: Studio, tmp_path: Path) -> None:
    """Weights are switched on and off in the same place, said beside Train, used in training, and a change makes a trained model stale."""
    collect(studio, class_of(tmp_path, "Paper", photos("paper", 2)), class_of(tmp_path, "Metal", photos("metal", 12)))
    uneven = hint(studio, "Paper has 2 pictures, Metal has 12.")
    expect(uneven).to_contain_text("It will guess Metal too often.")
    weights = "inside.state.training.settings.classWeights ?? null"
    uneven.get_by_role("button", name="Count Paper more").click()
    expect(uneven).to_contain_text("Each picture of Paper counts more now")
    expect(studio.next_words).to_contain_text("Small classes count more.")
    assert studio.page.evaluate(weights) == "balanced"
    expect(uneven.get_by_role("button", name="Undo")).to_be_focused()
    studio.page.keyboard.press("Enter")
    expect(uneven.get_by_role("button", name="Count Paper more")).to_be_focused()
    expect(studio.next_words).not_to_contain_text("Small classes count more.")
    assert studio.page.evaluate(weights) is None
    studio.train()
    studio.go("Collect")
    expect(studio.next).to_have_text("Look closer")
    uneven.get_by_role("button", name="Count Paper more").click()
    expect(studio.next).to_have_text("Train again")
    studio.train()
    studio.go("Collect")
    expect(studio.next).to_have_text("Look closer")


def test_few_pictures_and_the_way_to_the_hints(studio: Studio, tmp_path: Path) -> None:
    """How many more would help; the last bar leads to the hints; one that is left can be called back at first, and comes no more."""
    collect(studio, class_of(tmp_path, "Paper", photos("paper", 5)), class_of(tmp_path, "Metal", photos("metal", 9)))
    few = hint(studio, "Paper has 5 pictures.")
    expect(few).to_contain_text("Five more would help")
    studio.page.get_by_role("button", name="One thing to check").click()
    expect(studio.page.get_by_role("heading", name="One thing before you train")).to_be_focused()
    few.get_by_role("button", name="Leave it").click()
    expect(few).to_contain_text("Left as it is.")
    expect(studio.page.get_by_role("button", name="One thing to check")).to_be_hidden()
    few.get_by_role("button", name="Undo").click()
    expect(few).to_contain_text("Five more would help")
    few.get_by_role("button", name="Leave it").click()
    studio.go("Train")
    studio.go("Collect")
    expect(few).to_be_hidden()


def test_a_single_picture_of_each_class(studio: Studio, tmp_path: Path) -> None:
    """It learns, and cannot test itself: what comes next is to try it, Look says what would help, and the hint stays, for it may help."""
    collect(studio, class_of(tmp_path, "Paper", photos("paper", 1)), class_of(tmp_path, "Metal", photos("metal", 1)))
    few = hint(studio, "Metal has 1 picture and Paper has 1 picture.")
    expect(few).to_contain_text("With a single one it cannot test itself.")
    studio.next.click()
    expect(studio.next).to_have_text("Try it", timeout=TRAIN_MS)
    expect(studio.next_words).to_contain_text("It could not test itself. Try it on photos it has not seen.")
    studio.go("Look")
    expect(studio.page.locator(".head")).to_contain_text("More would help: 10 of each class or so, each a little different.")
    studio.go("Collect")
    expect(studio.page.get_by_role("heading", name="One thing that may help")).to_be_visible()
    expect(studio.page.get_by_role("button", name="One thing to check")).to_be_hidden()
    studio.drop(photos("paper", 2)[1], onto=studio.roll("Paper"))
    studio.wait_read("1 added")
    expect(studio.page.get_by_role("heading", name="One thing before you train again")).to_be_visible()


def test_no_share_kept_aside(studio: Studio, tmp_path: Path) -> None:
    """Where the person asked for none, Look says that, not that there were too few pictures."""
    collect(studio, class_of(tmp_path, "Paper", photos("paper", 3)), class_of(tmp_path, "Metal", photos("metal", 3)))
    studio.go("Train")
    studio.page.get_by_text("Advanced", exact=True).click()
    studio.page.get_by_label("Or one share kept aside, in %").fill("0")
    studio.page.get_by_role("button", name="Train with these").click()
    expect(studio.next).to_have_text("Try it", timeout=TRAIN_MS)
    studio.go("Look")
    expect(studio.page.locator(".head")).to_contain_text("You asked for no share to be kept aside")


def test_twins_are_found_and_one_of_each_is_kept(twins: Studio) -> None:
    """Copies stand beside their photos; at a click the photos alone stay; called back, the copies are where they were."""
    before = names_in(twins, "Glass")
    one = hint(twins, "2 pictures are nearly the same as others")
    one.get_by_role("button", name="Look at them, 2 groups").click()
    groups = one.locator(".group")
    expect(groups).to_have_count(2)
    for group, path in zip(groups.all(), photos("glass", 2), strict=True):
        expect(group.locator("img")).to_have_count(2, timeout=READ_MS)
        assert set(group.locator("bdi.edge").all_inner_texts()) == {path.name, f"sent-{path.name}"}
    one.get_by_role("button", name="Keep one of each").click()
    undo = twins.page.get_by_role("article").get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect(twins.page.get_by_role("status")).to_have_text("2 pictures taken out.")
    assert set(names_in(twins, "Glass")) == {path.name for path in photos("glass", 10)}
    undo.click()
    expect(one).to_be_visible()
    assert names_in(twins, "Glass") == before
    expect(twins.next).to_be_enabled(timeout=READ_MS)
    twins.train()
    assert twins.page.evaluate("inside.state.training.result.all") > 0


def test_taken_back_before_the_trainer_heard_of_it(twins: Studio) -> None:
    """While it learns, pictures are taken out and put back: afterwards all are there, on the page and in what it learns from."""
    twins.go("Train")
    twins.page.get_by_text("Advanced", exact=True).click()
    twins.page.get_by_label("Rounds through all pictures").fill("1000")
    twins.page.get_by_role("button", name="Train with these").click()
    expect(twins.page.get_by_role("button", name="Stop and keep the best")).to_be_visible()
    twins.go("Collect")
    hint(twins, "are nearly the same").get_by_role("button", name="Keep one of each").click()
    twins.page.get_by_role("article").get_by_role("button", name="Undo").click()
    twins.go("Train")
    twins.page.get_by_role("button", name="Stop and keep the best").click()
    expect(twins.page.get_by_role("button", name="Train again")).not_to_have_attribute("aria-disabled", "true", timeout=READ_MS)
    twins.go("Collect")
    assert twins.class_counts() == {"Cardboard": 10, "Glass": 12}
    expect(hint(twins, "2 pictures are nearly the same as others")).to_be_visible()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_one_group_is_answered_by_keyboard(twins: Studio, size: ViewportSize) -> None:
    """Tab and Enter open the groups and answer one of them; it keeps its place and its pictures, and nothing below it moves."""
    one = hint(twins, "are nearly the same")
    twins.page.set_viewport_size(size)
    tab_to(twins, one.get_by_role("button", name="Look at them"))
    twins.page.keyboard.press("Enter")
    groups = one.locator(".group")
    expect(groups.locator("img")).to_have_count(4, timeout=READ_MS)
    above = top_of(groups.nth(1)) - top_of(groups.first)
    tab_to(twins, groups.first.get_by_role("button", name="Keep one"))
    twins.page.keyboard.press("Enter")
    expect(groups.first.get_by_role("button", name="Undo")).to_be_focused()
    expect(groups.first).to_contain_text("1 picture taken out.")
    expect(hint(twins, "Two pictures of Glass are nearly the same.")).to_be_visible()
    assert top_of(groups.nth(1)) - top_of(groups.first) == above
    assert twins.class_counts() == {"Cardboard": 10, "Glass": 11}
    twins.page.keyboard.press("Enter")
    expect(groups.first.get_by_role("button", name="Keep one")).to_be_focused()
    assert twins.class_counts() == {"Cardboard": 10, "Glass": 12}


def test_the_same_picture_in_two_classes(shared: Studio) -> None:
    """Both are shown with their classes; the person says which it is, or neither; each answer can be taken back."""
    one = hint(shared, "The same picture is in two classes.")
    group = shared.page.locator(".group")
    expect(group.locator("img")).to_have_count(2, timeout=READ_MS)
    assert sorted(group.locator(".print__class").all_inner_texts()) == ["Glass", "Metal"]
    for answer, counts in {
        "It is Glass": {"Glass": 10, "Metal": 9},
        "It is Metal": {"Glass": 9, "Metal": 10},
        "Take both out": {"Glass": 9, "Metal": 9},
    }.items():
        one.get_by_role("button", name=answer).click()
        expect(group.get_by_role("button", name="Undo")).to_be_focused()
        assert shared.class_counts() == counts, answer
        left = [name for name in ("Glass", "Metal") if answer == f"It is {name}"]
        assert group.locator(".print__class:visible").all_inner_texts() == left
        expect(shared.page.get_by_text("It cannot learn both answers")).to_have_count(0)
        group.get_by_role("button", name="Undo").click()
        expect(one).to_be_visible()
        assert shared.class_counts() == {"Glass": 10, "Metal": 10}, answer
        expect(shared.next).not_to_have_attribute("aria-disabled", "true", timeout=READ_MS)  # what came back is read
    one.get_by_role("button", name="It is Glass").click()
    shared.train()


def test_a_class_that_lies_in_another(studio: Studio, tmp_path: Path) -> None:
    """Train says why it cannot, names both, and can as soon as the person has said which they are."""
    collect(
        studio, class_of(tmp_path, "Glass", photos("glass", 2)), class_of(tmp_path, "Metal", [*photos("glass", 2), *photos("metal", 8)])
    )
    why = "All pictures of Glass are in Metal as well. Say which they are."
    expect(studio.next_words).to_contain_text(why)
    expect(studio.next).to_have_accessible_description(why)
    studio.go("Train")
    expect(studio.page.get_by_text(why).first).to_be_visible()
    studio.go("Collect")
    one = hint(studio, "Two pictures are in more than one class.")
    one.get_by_role("button", name="Look at them").click()
    one.locator(".group").first.get_by_role("button", name="It is Glass").click()
    expect(studio.next_words).not_to_contain_text(why)
    studio.train()


def test_everything_in_unsorted(studio: Studio) -> None:
    """Train says where the pictures are and what to do; sorted, what stays in Unsorted is said not to be used."""
    studio.drop(*photos("glass", 3))
    studio.wait_ready()
    studio.wait_read("3 added")
    expect(studio.next_words).to_contain_text("All 3 pictures wait in Unsorted. Move them to classes.")


def test_looks_with_names_of_all_kinds(studio: Studio, tmp_path: Path) -> None:
    """Three hints, with their groups shown, in all sizes and schemes; names with markup, turned writing and 100 letters are text."""
    names = ["<img src=x onerror=window.__pwned=1>", "\u202eevil \U0001f33b", "n" * 100]
    folders = [
        class_of(tmp_path, names[0], photos("glass", 12)),
        class_of(tmp_path, names[1], photos("metal", 2)),
        class_of(tmp_path, names[2], photos("paper", 5)),
    ]
    shutil.copyfile(photos("glass", 1)[0], folders[1] / "bottle.jpg")
    smaller(photos("glass", 2)[1], folders[2] / ("x" * 200 + ".jpg"))
    smaller(photos("glass", 3)[2], folders[0] / "<b>twin.jpg")
    collect(studio, *folders)
    expect(hint(studio, "Two pictures are in more than one class.")).to_be_visible(timeout=FOUND_MS)
    expect(studio.page.get_by_text("One more after these.")).to_be_visible()
    studio.page.get_by_role("button", name="Look at them").click()
    expect(studio.page.locator(".group img")).to_have_count(4, timeout=READ_MS)
    assert studio.page.evaluate("window.__pwned === undefined && document.querySelectorAll('img[src=\"x\"], .advice b').length === 0")
    look(studio.page, "collect-hints")
    studio.page.set_viewport_size(SIZES["wide"])
    studio.page.locator(".group").first.get_by_role("button", name="Take both out").click()
    expect(studio.page.locator(".group.is-done")).to_have_count(1)
    look(studio.page, "collect-hints-answered")
