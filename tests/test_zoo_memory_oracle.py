"""The memory that EfficientNet-Lite0 takes is known before it runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState, Module
from tests.memory_measured import peak_of

pytestmark = pytest.mark.oracle  # not in Pyodide: it needs the weights

CLASSES = 6


@pytest.fixture(scope="module")
def module(site: Path) -> Module:
    """Made after the site, whose artifacts come from the same folder; the head is some head."""
    from sitebuild import paths

    folder = paths.ARTIFACTS / "efficientnet-lite0"
    state = CheckpointState.load_checkpoint(folder / "checkpoint")
    state.replace_parameter("classifier.weight", np.full((CLASSES, 1280), 0.01, np.float32))
    state.replace_parameter("classifier.bias", np.zeros(CLASSES, np.float32))
    return Module(folder / "training_model.ort", state)


@pytest.mark.parametrize("rows", [1, 8])
def test_the_peak_of_a_whole_step_is_right_within_20_percent(module: Module, rows: int) -> None:
    """From pictures to gradients: convolutions with their workspace make it."""
    feeds = {"input": np.zeros((rows, 3, 224, 224), np.float32), "labels": np.zeros(rows, np.int64)}
    expected, measured = module.describe(rows).step.peak, peak_of(lambda: module.train_step(feeds))
    assert abs(expected - measured) <= 0.2 * measured


def test_the_peak_of_a_step_on_features_is_right_within_20_percent(module: Module) -> None:
    """The step that the page repeats."""
    feeds = {"features": np.zeros((256, 1280), np.float32), "labels": np.zeros(256, np.int64)}
    step = module.describe(256).from_kept
    assert step is not None
    measured = peak_of(lambda: module.train_step(feeds))
    assert abs(step.peak - measured) <= 0.2 * measured


def test_the_features_are_1280_floats(module: Module) -> None:
    """What is kept of a picture."""
    assert module.describe().kept == {"features": 1280 * 4}
