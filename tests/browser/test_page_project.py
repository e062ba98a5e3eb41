"""A project saved and opened again: in the page, from and to Python, with photos and without; hostile ones; and what was learnt alone."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from pagetrain import CheckpointState, Personalizer
from pagetrain_project import Project
from sitebuild import catalog, paths
from tests import tiny
from tests.browser.conftest import TRASH
from tests.browser.hosting import ARTIFACTS, with_tiny_network
from tests.browser.keeping import wait_saved
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, TRAIN_MS, Opener, Studio
from tests.serving import serving
from tests.tiny import picture

pytestmark = pytest.mark.browser

PROJECTS = Path(__file__).parents[1] / "data" / "projects"
TOLD = (
    """(({ settings, curves, result: { took } }) => ({ settings, rounds: curves.map(({ loss }) => loss), took }))(inside.state.training)"""
)
ASKED = [picture(colour, number) for colour in tiny.COLOURS for number in (200, 201)]


def answers(studio: Studio) -> list[Any]:
    return [studio.ask("predict", data) for data in ASKED]


def opened(studio: Studio, path: Path, said: str = "is open") -> Studio:
    studio.drop(path)
    expect(studio.page.locator(".notice", has_text=said)).to_be_visible(timeout=READ_MS)
    return studio


@pytest.fixture
def twin(new_studio: Opener, site: Path) -> Iterator[Callable[[], Studio]]:
    """Opens further pages on the tiny network, each from a server of its own."""
    with ExitStack() as servers:
        entries = with_tiny_network(catalog.load(site, paths.VARIANTS))
        yield lambda: new_studio(servers.enter_context(serving(entries))).open().wait_ready()


@pytest.fixture
def trained(quick: Studio, tmp_path: Path) -> Studio:
    """Two classes of six drawn pictures, one unsorted, learnt with settings of the person's own."""
    quick.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    quick.wait_read("12 added")
    loose = tmp_path / "loose.png"
    loose.write_bytes(picture("sand", 1))
    quick.drop(loose)
    quick.wait_read("1 added")
    quick.page.evaluate(
        "Object.assign(inside.state.training.settings, { epochs: 5, classWeights: { red: 2, blue: 1 }, augment: { mirror: true } })"
    )
    quick.train()
    return quick


def saved(studio: Studio, path: Path, *, photos: bool = True) -> Path:
    studio.go("Take")
    if (box := studio.page.get_by_role("checkbox", name="with photos")).is_visible():
        box.set_checked(photos)
    studio.save("Save the project").save_as(path)
    return path


def test_opened_again_it_is_what_it_was(trained: Studio, twin: Callable[[], Studio], tmp_path: Path) -> None:
    """Classes, pictures, unsorted ones, settings, result, Look with its pictures: and the answers bit for bit. It trains on."""
    result = trained.page.get_by_role("heading", level=1).inner_text()
    before = answers(trained)
    told = trained.page.evaluate(TOLD)
    path = saved(trained, tmp_path / "colours.pagetrain")
    other = opened(twin(), path)
    other.go("Collect")
    assert other.class_counts() == {"blue": 6, "red": 6}
    expect(other.page.get_by_role("region", name="Unsorted")).to_contain_text("1")
    expect(other.page.locator(".rolls img")).to_have_count(12, timeout=READ_MS)
    assert answers(other) == before
    other.go("Train")
    assert other.page.get_by_role("heading", level=1).inner_text() == result
    assert other.page.evaluate(TOLD) == told
    other.go("Look")
    counts = "inside.state.training.judgement.counts"
    assert other.page.evaluate(counts) == trained.page.evaluate(counts)
    other.page.get_by_role("button", name=re.compile(r"^[1-9]\d* (blue|red), right$")).first.click()
    expect(other.page.locator(".opened img").first).to_be_visible(timeout=READ_MS)
    other.go("Train")
    other.page.get_by_role("button", name=re.compile("Train on|Train again")).first.click()
    expect(other.page.get_by_role("heading", level=1)).to_contain_text("right", timeout=TRAIN_MS)
    assert answers(other) != before


def test_in_python_and_back(trained: Studio, twin: Callable[[], Studio], tmp_path: Path) -> None:
    """Python opens the page's file, answers alike and trains on; the page opens what Python saves, and files of earlier days."""
    path = saved(trained, tmp_path / "colours.pagetrain")
    project = Project.read(path)
    job = project.job(tiny.FOLDER)
    for found, data in zip(answers(trained), ASKED, strict=True):
        expected = {one.label: one.probability for one in job.predict(data)}
        # float32 sums in another order, in WebAssembly and natively, through two convolutions and a head
        assert {one["label"]: one["probability"] for one in found} == pytest.approx(expected, abs=1e-4)
    assert dict(project.settings) == {"epochs": 5, "class_weights": {"red": 2, "blue": 1}, "augment": {"mirror": True}}
    assert project.training is not None
    assert project.judged is not None
    assert [one.name for one in project.pictures if one.label is None] == ["loose.png"]
    assert all(one.photo and len(one.photo()) > 0 for one in project.pictures)
    assert project.checkpoint is not None
    assert CheckpointState.load_checkpoint(project.checkpoint).frozen_names
    list(job.fit(**{**project.settings, "augment": None}))
    Project.of(job, before=project).write(tmp_path / "from-python.pagetrain")
    other = opened(twin(), tmp_path / "from-python.pagetrain")
    for found, data in zip(answers(other), ASKED, strict=True):
        expected = {one.label: one.probability for one in job.predict(data)}
        assert {one["label"]: one["probability"] for one in found} == pytest.approx(expected, abs=1e-4)  # as above
    other.go("Collect")
    expect(other.page.locator(".rolls img")).to_have_count(12, timeout=READ_MS)
    for old in sorted(PROJECTS.glob("*.pagetrain")):
        other = opened(twin(), old)
        told = json.loads(old.with_suffix(".json").read_text(encoding="utf-8"))
        other.go("Collect")
        assert other.class_names() == told["labels"]
        for one in told["answers"]:
            found = other.ask("predict", picture(one["label"], one["number"]))
            assert {two["label"]: two["probability"] for two in found} == pytest.approx(one["probabilities"], abs=1e-4)  # as above


def test_without_photos(trained: Studio, twin: Callable[[], Studio], tmp_path: Path) -> None:
    """Smaller by them; it answers as before and trains on from features, and other layers or variants do not take pictures away."""
    before = answers(trained)
    path = saved(trained, tmp_path / "bare.pagetrain", photos=False)
    assert picture("red", 1) not in path.read_bytes()
    other = opened(twin(), path)
    other.go("Collect")
    assert other.class_counts() == {"blue": 6, "red": 6}
    assert answers(other) == before
    assert checked_on(other) == "12 drawn patterns, since there are no photos here"
    other.go("Train")
    other.page.get_by_role("button", name=re.compile("Train on|Train again")).first.click()
    expect(other.page.locator(".curve, .chart").first).to_be_visible()
    other.page.wait_for_function("() => inside.state.training.phase === 'done' && inside.state.training.error === null", timeout=TRAIN_MS)
    assert answers(other) != before
    other.page.evaluate("() => { inside.state.training.layers = 'last-block'; }")
    with other.complaining("Other layers need the photos"):
        other.page.get_by_role("button", name=re.compile("Train on|Train again|Train with")).first.click()
        expect(other.page.get_by_text("Training broke off.")).to_be_visible(timeout=TRAIN_MS)
    other.go("Collect")
    assert other.class_counts() == {"blue": 6, "red": 6}


def checked_on(studio: Studio) -> str:
    """What the file to take was asked about, once it answered as the page does."""
    studio.go("Take")
    studio.page.wait_for_function("() => inside.state.take.check?.phase === 'same'", timeout=READ_MS)
    return str(studio.page.locator(".receipt__foot").inner_text()).split("asked about ")[1].split(". Shares")[0]


def test_learnt_in_python_alone(twin: Callable[[], Studio], tmp_path: Path) -> None:
    """What the page has never seen is known there: it answers, is saved again, and its model is checked and can be taken."""
    job = tiny.trained(["red", "blue"], 4, epochs=4)
    Project.of(job, name="Colours").write(tmp_path / "python.pagetrain")
    other = opened(twin(), tmp_path / "python.pagetrain")
    other.go("Look")
    expect(other.page.get_by_role("heading", level=1)).to_contain_text("It has been taught")
    assert checked_on(other) == "12 drawn patterns, since there are no photos here"
    assert other.save("Save the model").suggested_filename == "colours.onnx"
    again = opened(twin(), saved(other, tmp_path / "page.pagetrain"))
    again.go("Try")
    photo = tmp_path / "photo.png"
    photo.write_bytes(picture("red", 300))
    again.try_files(photo)
    expected = {one.label: one.probability for one in job.predict(photo.read_bytes())}
    # float32 sums in another order, in WebAssembly and natively, through two convolutions and a head
    assert again.tried()[0]["answers"] == pytest.approx(expected, abs=1e-4)


def test_what_is_here_stays(trained: Studio, tmp_path: Path) -> None:
    """Damaged files change nothing, each with one message; a sound one opens beside it; where nothing is kept, only after a yes."""
    before = answers(trained)
    old = PROJECTS / "0.1.0.pagetrain"
    data = old.read_bytes()
    wrong = {
        "cut.pagetrain": (data[:-100], "damaged or not whole"),
        "flipped.pagetrain": (data.replace(b"NUMPY", b"NUMPX"), "damaged or not whole"),
        "packed.pagetrain": (
            data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x08\x00"),
            "packed it anew",
        ),
        "letter.pagetrain": (b"Dear Sir or Madam", "damaged or not whole"),
        "cut.delta": (b"\0" * 100, "Nothing here has changed"),
    }
    for name, (content, said) in wrong.items():
        (tmp_path / name).write_bytes(content)
        opened(trained, tmp_path / name, name)
        expect(trained.page.get_by_role("alert").filter(has_text=name)).to_contain_text(said)
    assert answers(trained) == before
    two = [shutil.copy(old, tmp_path / name) for name in ("one.pagetrain", "two.pagetrain")]
    trained.go("Collect")
    trained.drop(*two)
    trained.wait_read("2 skipped")
    assert set(trained.skipped().values()) == {"A project opens by itself. Drop it alone."}
    opened(trained, old)
    assert len(trained.class_names()) == 3
    trained.page.evaluate("() => { location.hash = 'projects'; }")
    trained.page.get_by_role("button", name="Open blue").click()
    trained.go("Collect")
    expect(trained.rolls).to_have_count(2)
    assert answers(trained) == before
    trained.page.evaluate("() => { inside.state.keeping.phase = 'off'; }")
    trained.drop(old)
    dialog = trained.page.get_by_role("dialog")
    expect(dialog).to_contain_text("in place of 13 pictures?", timeout=READ_MS)
    dialog.get_by_role("button", name="Keep this").click()
    expect(dialog).to_be_hidden()
    assert answers(trained) == before
    trained.drop(old)
    dialog.get_by_role("button", name="Open it").click()
    expect(trained.page.locator(".notice", has_text="is open")).to_be_visible(timeout=READ_MS)
    assert len(trained.class_names()) == 3


def test_what_was_learnt_alone(trained: Studio, twin: Callable[[], Studio], tmp_path: Path) -> None:
    """Applied where there is nothing yet, in the page and in Python, it answers as its giver; classes that differ are named."""
    before = answers(trained)
    trained.go("Take")
    trained.save("Save the difference").save_as(tmp_path / "colours.delta")
    assert (tmp_path / "colours.delta").stat().st_size < 3000
    taker = opened(twin(), tmp_path / "colours.delta", "knows what was shared")
    assert answers(taker) == before
    taker.go("Collect")
    assert taker.class_names() == ["blue", "red"]
    taker.go("Look")
    expect(taker.page.get_by_role("heading", level=1)).to_contain_text("It has been taught")
    job = Personalizer.load(tiny.FOLDER)
    job.apply_delta((tmp_path / "colours.delta").read_bytes())
    assert job.labels == ["blue", "red"]
    other = twin()
    other.drop(class_folder(tmp_path, "green", "green", 2), class_folder(tmp_path, "yellow", "yellow", 2))
    other.wait_read("4 added")
    opened(other, tmp_path / "colours.delta", "of the classes blue, red; here they are green, yellow")


def test_dropped_before_the_trainer_is_there(new_studio: Opener, site: Path) -> None:
    """It opens as soon as it can."""
    with serving(with_tiny_network(catalog.load(site, paths.VARIANTS))) as server:
        studio = new_studio(server).open()
        studio.drop(PROJECTS / "0.1.0.pagetrain")
        expect(studio.page.locator(".notice", has_text="is open")).to_be_visible(timeout=READ_MS)
        assert len(studio.class_names()) == 3


def test_with_the_last_block(studio: Studio, new_studio: Opener, tmp_path: Path) -> None:
    """Kept over a reload, and as a project in another page and in Python: the answers stay, and the last layer can be gone back to."""
    for label in ("glass", "metal"):
        (tmp_path / label).mkdir()
        for photo in sorted((TRASH / "train" / label).glob("*.jpg"))[:4]:
            shutil.copy(photo, tmp_path / label)
    studio.drop(tmp_path / "glass", tmp_path / "metal")
    studio.wait_ready(offline=False)
    studio.wait_read("8 added")
    studio.page.evaluate(
        "() => { inside.state.training.layers = 'last-block'; Object.assign(inside.state.training.settings, { epochs: 2 }); }"
    )
    studio.train()
    unseen = (TRASH / "test/glass/glass-21.jpg").read_bytes()
    before = studio.ask("predict", unseen)
    wait_saved(studio)
    studio.open().wait_ready(offline=False)
    assert studio.page.evaluate("inside.trainer((pt) => pt.layers)") == "last-block"
    assert studio.ask("predict", unseen) == before
    path = saved(studio, tmp_path / "block.pagetrain")
    other = opened(new_studio().open().wait_ready(), path)
    assert other.ask("predict", unseen) == before
    job = Project.read(path).job(paths.CACHE / ARTIFACTS)
    expected = {one.label: one.probability for one in job.predict(unseen)}
    # float32 sums in another order, in WebAssembly and natively, through the whole network
    assert {one["label"]: one["probability"] for one in before} == pytest.approx(expected, abs=1e-4)
    other.page.evaluate("() => { inside.state.training.layers = 'last-layer'; }")
    other.go("Train")
    other.page.get_by_role("button", name=re.compile("Train on|Train again")).first.click()
    other.wait_trained()
    assert other.page.evaluate("inside.trainer((pt) => pt.layers)") == "last-layer"
