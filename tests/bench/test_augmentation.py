"""The comparison of augmentations: heads that know nothing of each other, on the pictures that were drawn."""

import io

import numpy as np
import pytest
from PIL import Image

from bench import augmentation
from tests.tiny import COLOURS, FOLDER, picture

BOTH = {"mirror": True, "crop": True}


@pytest.fixture
def task(tmp_path, monkeypatch):
    """A folder of six training and four test pictures in each of three classes, and the tests' tiny network."""
    monkeypatch.setattr(augmentation, "job_on", lambda layers: augmentation.Personalizer.load(FOLDER))
    for label in list(COLOURS)[:3]:
        for part, numbers in (("train", range(6)), ("test", range(6, 10))):
            for number in numbers:
                path = tmp_path / "task" / part / label / f"{number}.jpg"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.open(io.BytesIO(picture(label, number))).save(path, quality=95)
    return tmp_path / "task"


def test_each_head_begins_untrained_and_learns_from_its_own_pictures_alone(task):
    """The same head, to the bit, whatever was trained before it; another one with variants, with other pictures, with more of them."""
    photos = augmentation.Photos(task, augmentation.job_on("last-layer"), BOTH)

    def head(count, seed, augment):
        photos.accuracy(count, seed, augment)
        assert [len(photos.job.keys(label)) for label in photos.classes] == [count] * 3
        return photos.job.head_state()

    first = head(3, 0, {})
    others = [head(3, 0, BOTH), head(3, 1, {}), head(4, 0, {})]
    assert first not in others
    assert len(set(others)) == 3
    assert head(3, 0, {}) == first


def test_a_row_for_each_number_of_pictures(task):
    """Mean and spread for every option; colours are told apart better than by chance, 0.33."""
    options = {name: augmentation.OPTIONS[name] for name in ("none", "both")}
    found = list(augmentation.rows([task], "last-layer", options, (2, 5), 2))
    assert [row[:2] for row in found] == [["task", "2"], ["task", "5"]]
    means = np.array([[float(cell.split(" ± ")[0]) for cell in row[2:]] for row in found])
    assert means.shape == (2, 2)
    assert means.min() > 0.5
