"""The memory of a training step of real models is known before it runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState, Module
from pagetrain.api.model_source import load_model
from pagetrain.graph import TensorType
from tests.memory_measured import peak_of

from .models import MODELS, RealModel

pytestmark = pytest.mark.oracle

ROWS = 8  # times the stored batch where the model allows, so that arrays outweigh what else there is
# numpy buffers up to 8192 elements of each operand whose order differs, and steps make Python objects.
SLACK = 40_000


@pytest.mark.parametrize("mode", ["all", "last"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_peak_of_a_step_is_right_within_20_percent(model: RealModel, mode: str, tmp_path: Path) -> None:
    """For all exporters and opsets; nearly no shape is left to be guessed although many files declare few."""
    folder = tmp_path / "made" / "artifacts"
    folder.parent.mkdir()
    model.generate(mode, folder)
    path = folder / "training_model.ort"
    module = Module(path, CheckpointState.load_checkpoint(folder / "checkpoint"))
    feeds = _feeds(model, module.input_names(), path)
    shapes = {name: array.shape for name, array in feeds.items()}
    step = module.describe(len(next(iter(feeds.values()))), shapes=shapes).step
    measured = peak_of(lambda: module.train_step(feeds))
    assert abs(step.peak - measured) <= 0.2 * measured + SLACK
    assert len(step.memory.guessed) <= 2


def _feeds(model: RealModel, names: list[str], path: Path) -> dict[str, np.ndarray]:
    """The stored batch, repeated where all inputs have a symbolic first axis."""
    stored, declared = model.stored("inputs"), {value.name: value.type for value in load_model(path).graph.inputs}
    feeds = {name: stored.get(name, model.arrays["labels"]) for name in names}
    shapes = [known.shape or (0,) for name in names if isinstance(known := declared[name], TensorType)]
    free = all(isinstance(shape[0], str) for shape in shapes)
    return {name: np.concatenate([array] * ROWS) if free else array for name, array in feeds.items()}
