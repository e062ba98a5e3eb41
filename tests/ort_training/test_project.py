"""The real trainer on the checkpoint inside a project file: it trains on from there, as pagetrain does."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState, Module, Optimizer
from pagetrain_project import Project
from tests import tiny

pytestmark = pytest.mark.ort_training

SCRIPT = Path(__file__).with_name("three_steps.py")
RATE = 1e-2  # at which a step moves the loss by a hundredth of itself and more
LOSS = 1e-5  # two float32 programs that add in other orders


def test_it_trains_on_from_a_project(ort_python, tmp_path):
    """Head and moments of AdamW are taken up: losses of three steps on the artifacts of the base model are ours."""
    for graph in tiny.FOLDER.glob("*.ort"):
        shutil.copy(graph, tmp_path)
    Project.of(tiny.trained(["red", "green", "blue"], 4, epochs=4), name="Colours").write(tmp_path / "colours.pagetrain")
    with zipfile.ZipFile(tmp_path / "colours.pagetrain") as archive:
        archive.extract("checkpoint", tmp_path)
    feeds = {"input": np.random.default_rng(0).normal(size=(6, 3, 16, 16)).astype(np.float32), "labels": np.array([0, 1, 2, 2, 1, 0])}
    np.savez(tmp_path / "feeds.npz", **feeds)
    finished = subprocess.run([ort_python, SCRIPT, tmp_path, "ort", str(RATE)], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr[-2000:]
    theirs = np.load(tmp_path / "found_ort.npz")["losses"]
    np.testing.assert_allclose(our_losses(tmp_path, feeds), theirs, rtol=LOSS)
    assert theirs[3] < 0.98 * theirs[0]


def our_losses(folder, feeds):
    """Before and after each of three steps."""
    state = CheckpointState.load_checkpoint(folder / "checkpoint")
    module = Module(folder / "training_model.ort", state, folder / "eval_model.ort")
    optimizer = Optimizer(folder / "optimizer_model.ort", module)
    optimizer.set_learning_rate(RATE)
    losses = []
    for _ in range(4):
        losses.append(module(*[feeds[name] for name in module.input_names()])[0])
        optimizer.step()
        module.lazy_reset_grad()
    return losses
