"""Projects and deltas where more than the last layer learns: artifacts with two choices of layers, as the page's are."""

import numpy as np
import pytest

from artifacts_tool.more_layers import add_layers
from pagetrain import Personalizer
from pagetrain.errors import FormatError
from pagetrain_project import Project, artifact_folder
from tests import make_tiny_artifacts
from tests.tiny import COLOURS, picture

pytestmark = pytest.mark.oracle
DEEPER = ("conv2.weight", "conv2.bias")
LABELS = ("red", "blue")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("artifacts")
    make_tiny_artifacts.main(root / "all", whole=True)
    make_tiny_artifacts.main(root / "deeper", deeper=DEEPER, whole=True)
    add_layers(root / "all", "last-block", root / "deeper")
    return root / "all"


def trained(folder, seed=0):
    job = artifact_folder.personalizer(folder, "last-block", seed)
    job.set_classes(LABELS)
    for label in LABELS:
        for number in range(4):
            job.add(picture(label, number), label)
    list(job.fit(epochs=2, validation=0))
    return job


def answers(job):
    return [job.predict(picture(label, number)) for label in COLOURS for number in range(100, 104)]


def test_further_layers_of_a_folder(folder):
    """Those that the manifest names are trained; others are refused by name."""
    job = artifact_folder.personalizer(folder, "last-block", 0)
    assert {one.name for one in job.manifest.trainable} == {*DEEPER, "classifier.weight", "classifier.bias"}
    with pytest.raises(FormatError, match="no artifacts for the layers 'first-block'"):
        artifact_folder.personalizer(folder, "first-block", 0)


def test_a_project_of_further_layers(folder, tmp_path):
    """Opened with the folder that has them it answers as before, and is saved again as what it was."""
    job = trained(folder)
    base = Personalizer.load(folder).manifest
    made = Project.of(job)
    kept = {name: getattr(made, name) for name in made.__slots__} | {"fingerprint": base.fingerprint, "layers": "last-block"}
    Project(**kept).write(tmp_path / "p.pagetrain")
    project = Project.read(tmp_path / "p.pagetrain")
    again = project.job(folder)
    assert answers(again) == answers(job)
    second = Project.of(again, before=project)
    assert (second.layers, second.fingerprint) == ("last-block", base.fingerprint)


def test_a_delta_of_further_layers(folder):
    """The difference to what came with the model: added to that, the parameters are those of the giver, but for one rounding."""
    giver, taker = trained(folder), artifact_folder.personalizer(folder, "last-block", 0)
    taker.apply_delta(giver.save_delta())
    came = artifact_folder.personalizer(folder, "last-block", 0)
    for name in DEEPER:
        given, start = (made._state.parameters[name].data for made in (giver, came))
        taken = taker._state.parameters[name].data
        assert not np.array_equal(given, start)
        # start + (given - start) in float32: half a unit in the last place of the difference, and of the sum
        limit = np.spacing(np.maximum(np.abs(given - start), np.abs(given)))
        assert (np.abs(taken - given) <= limit).all()
    for one, other in zip(answers(taker), answers(giver), strict=True):
        # that rounding, through one convolution and a head
        assert [(a.label, pytest.approx(a.probability, abs=1e-5)) for a in one] == [(b.label, b.probability) for b in other]


def test_a_delta_of_other_layers_is_refused(folder):
    """It is of the same model, and of other parameters."""
    with pytest.raises(FormatError, match="other layers"):
        Personalizer.load(folder).apply_delta(trained(folder).save_delta())
