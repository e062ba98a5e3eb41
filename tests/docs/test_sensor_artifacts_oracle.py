"""tests/data/sensor holds what docs/example_sensor.md makes."""

import pytest

from pagetrain import CheckpointState
from pagetrain.ortformat import model
from tests import make_sensor_artifacts
from tests.docs.fences import ROOT

pytestmark = pytest.mark.oracle
STORED = ROOT / "tests/data/sensor"


def test_stored_artifacts_are_the_page_s(tmp_path, monkeypatch):
    """The same interfaces and ops; values differ with the rounding of the machine that trained the base."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "made"
    make_sensor_artifacts.main(made)
    for name in ("training_model.ort", "eval_model.ort", "optimizer_model.ort"):
        ours, stored = (model.load((folder / name).read_bytes()).graph for folder in (made, STORED))
        assert (ours.inputs, ours.outputs) == (stored.inputs, stored.outputs)
        assert [node.op_type for node in ours.nodes] == [node.op_type for node in stored.nodes]
    states = [CheckpointState.load_checkpoint(folder / "checkpoint") for folder in (made, STORED)]
    assert states[0].trainable_names == states[1].trainable_names
