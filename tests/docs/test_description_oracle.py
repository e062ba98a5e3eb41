"""What docs/training.md shows of Module.describe is what it prints."""

import pytest

from pagetrain import CheckpointState, Module
from sitebuild import paths
from tests.docs.fences import ROOT, fences_of

pytestmark = pytest.mark.oracle
PAGE, BEGINNING = ROOT / "docs/training.md", "Training step on 8 rows"


def test_the_described_step_is_that_of_the_base_model():
    """The call of the page, on a checkpoint without values: the same text. Nothing in it depends on the machine."""
    folder = paths.ARTIFACTS / "efficientnet-lite0"
    if not folder.exists():
        pytest.skip("the base model is not made; python -m tests makes it")
    (shown,) = (fence.text for fence in fences_of(PAGE) if fence.text.startswith(BEGINNING))
    module = Module(folder / "training_model.ort", CheckpointState.load_checkpoint(folder / "nominal_checkpoint"))
    assert f"{module.describe(8, sizes={'num_classes': 6})}\n" == shown
