"""A project file: what was saved answers again as before, with or without photos, here and in files of other times."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState, Personalizer
from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.picture import key_of
from pagetrain_project import Project
from tests.tiny import FOLDER, picture, trained

KEPT = Path(__file__).parents[1] / "data" / "projects"
LABELS = ("red", "green", "blue")


def photos(folder, count=4):
    """Files of the pictures that tiny.job adds."""
    paths = []
    for label in LABELS:
        for number in range(count):
            paths.append(folder / f"{label} {number}.png")
            paths[-1].write_bytes(picture(label, number))
    return paths


def answers(job):
    return [job.predict(picture(label, number)) for label in LABELS for number in range(100, 105)]


@pytest.fixture(scope="module")
def job():
    """Trained, one picture in two classes, one of a burst."""
    made = trained(LABELS, 4, epochs=4)
    made.add(picture("red", 0), "blue")
    made.add(picture("red", 50), "red", group="burst 1")
    list(made.fit(epochs=2))
    made.none_below = 0.4
    return made


def saved(job, path, **options):
    Project.of(job, **options).write(path)
    return Project.read(path)


def test_opened_again_it_answers_bit_for_bit(job, tmp_path):
    """Classes, answers, features, near-duplicates, groups and the threshold are what they were; no photo was needed."""
    project = saved(job, tmp_path / "colours.pagetrain", name="Colours")
    again = project.job(FOLDER)
    assert (project.name, project.labels, project.layers) == ("Colours", LABELS, "last-layer")
    assert (project.base_name, project.fingerprint) == (job.manifest.name, job.manifest.fingerprint)
    assert again.labels == job.labels
    assert answers(again) == answers(job)
    assert again.none_below == 0.4
    assert again.near_duplicates() == job.near_duplicates()
    for label in LABELS:
        assert again.keys(label) == job.keys(label)
        for key in job.keys(label):
            assert again.features(key).tobytes() == job.features(key).tobytes()
            assert again.traits(key) == job.traits(key)
    assert again.traits(key_of(picture("red", 50)))[1] == "burst 1"
    assert len(project.features) == 13  # contents: the picture in two classes has one row


def test_it_trains_on_as_the_one_that_was_saved(job, tmp_path):
    """The same epochs from the same weights, moments and step, on features alone."""
    twin = saved(job, tmp_path / "a.pagetrain").job(FOLDER)
    other = saved(job, tmp_path / "b.pagetrain").job(FOLDER)
    assert list(twin.fit(epochs=2)) == list(other.fit(epochs=2))
    assert twin.steps > job.steps
    assert answers(twin) == answers(other) != answers(job)


def test_the_checkpoint_inside_is_one_of_ort(job, tmp_path):
    """The whole state, frozen parameters too, byte for byte what save_checkpoint writes."""
    with zipfile.ZipFile(io.BytesIO(_bytes(job, tmp_path))) as archive:
        data = archive.read("checkpoint")
    assert data == job.save_checkpoint()
    state = CheckpointState.load_checkpoint(data)
    assert set(state.frozen_names) == {"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias"}
    assert state.optimizer.step == job.steps


def _bytes(job, folder, **options):
    Project.of(job, **options).write(folder / "p.pagetrain")
    return (folder / "p.pagetrain").read_bytes()


def test_photos_go_along(job, tmp_path):
    """Each once, under its own name, byte for byte; those that were never added are passed over."""
    stranger = tmp_path / "stranger.png"
    stranger.write_bytes(picture("sand", 1))
    project = saved(job, tmp_path / "p.pagetrain", photos=[*photos(tmp_path), stranger])
    assert {one.name for one in project.pictures if one.photo} == {f"{label} {number}.png" for label in LABELS for number in range(4)}
    for one in project.pictures:
        if one.photo:
            label, number = one.name.removesuffix(".png").split()
            assert one.photo() == picture(label, int(number))
    with zipfile.ZipFile(tmp_path / "p.pagetrain") as archive:
        names = archive.namelist()
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
    assert names[:3] == ["project.json", "features.npy", "checkpoint"]
    assert sorted(names[3:]) == [f"photos/{number:05}.png" for number in range(1, 13)]


def test_saved_again_it_keeps_what_still_holds(job, tmp_path):
    """Names, photos, settings and the account of the training come along; after more training the account does not."""
    first = Project.of(job, name="Colours", photos=photos(tmp_path))
    told = {"judged": {"labels": list(LABELS), "pictures": [{"key": first.pictures[0].key, "label": "red"}]}, "best_epoch": 2}
    judged = np.array([[0.5, 0.25, 0.25]], np.float32)
    kept = {name: getattr(first, name) for name in first.__slots__} | {"settings": {"epochs": 6}, "training": told, "judged": judged}
    Project(**kept).write(tmp_path / "first.pagetrain")
    before = Project.read(tmp_path / "first.pagetrain")
    again = before.job(FOLDER)
    second = saved(again, tmp_path / "first.pagetrain", before=before)  # onto itself, photos and all
    assert (second.name, second.settings, second.training) == ("Colours", {"epochs": 6}, told)
    assert second.judged.tolist() == judged.tolist()
    assert second.pictures == before.pictures
    assert [one.photo() for one in second.pictures if one.photo] == [one.photo() for one in first.pictures if one.photo]
    list(again.fit(epochs=1))
    third = saved(again, tmp_path / "third.pagetrain", before=second)
    assert (third.name, third.settings, third.training, third.judged) == ("Colours", {"epochs": 6}, None, None)


def test_nothing_learnt_yet(tmp_path):
    """Classes and pictures alone are a project; so is an empty one."""
    fresh = Personalizer.load(FOLDER)
    fresh.set_classes(["a", "b"])
    assert saved(fresh, tmp_path / "empty.pagetrain").job(FOLDER).labels == ["a", "b"]
    fresh.add(picture("red", 1), "a")
    again = saved(fresh, tmp_path / "one.pagetrain").job(FOLDER)
    assert again.keys("a") == fresh.keys("a")
    assert not again.is_trained


def test_the_same_job_is_the_same_bytes(job, tmp_path):
    """So that a copy can be told from a change."""
    assert _bytes(job, tmp_path) == _bytes(job, tmp_path)


def test_a_save_that_fails_leaves_the_file_from_before(job, tmp_path):
    """A photo that is another by now is named; the file is whole, and nothing lies beside it."""
    path, paths = tmp_path / "p.pagetrain", photos(tmp_path)
    project = Project.of(job, photos=paths)
    project.write(path)
    before = path.read_bytes()
    paths[0].write_bytes(b"other")
    with pytest.raises(FormatError, match=r"red 0\.png.*is not the picture"):
        project.write(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.glob("*pagetrain*")] == ["p.pagetrain"]


def test_a_picture_without_hash_is_refused_when_saving(tmp_path):
    """Its copies would not be found again."""
    job = trained(("red", "blue"), 2, epochs=1)
    job.restore("0" * 64, "red", job.features(job.keys("red")[0]))
    with pytest.raises(InvalidInputError, match="no perceptual hash"):
        Project.of(job).write(tmp_path / "p.pagetrain")


def test_other_artifacts_are_refused(job, tmp_path):
    """With both fingerprints; a folder without artifacts, too."""
    project = saved(job, tmp_path / "p.pagetrain")
    text = json.loads((FOLDER / "manifest.json").read_bytes())
    (tmp_path / "manifest.json").write_text(json.dumps({**text, "fingerprint": "sha256:other"}))
    with pytest.raises(FormatError, match=f"made with 'tiny' \\({job.manifest.fingerprint}\\).*sha256:other"):
        project.job(tmp_path)
    with pytest.raises(OSError, match=r"manifest\.json"):
        project.job(tmp_path / "nowhere")


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.pagetrain")), ids=lambda path: path.stem)
def test_files_of_earlier_days_open_for_ever(path):
    """Each file that was ever released: it opens, and answers as was written down when it was saved."""
    project = Project.read(path)
    told = json.loads(path.with_suffix(".json").read_bytes())
    assert list(project.labels) == told["labels"]
    job = project.job(FOLDER)
    for one in told["answers"]:
        found = {answer.label: answer.probability for answer in job.predict(picture(one["label"], one["number"]))}
        # float32 softmax of float32 sums in another order on another machine
        assert found == pytest.approx(one["probabilities"], abs=1e-5)
    assert {photo.name: key_of(photo.photo()) for photo in project.pictures if photo.photo} == told["photos"]
