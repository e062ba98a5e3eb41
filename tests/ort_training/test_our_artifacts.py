"""The real trainer on artifacts made here: what it computes is what it computed on its own."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.api.golden import TRACES
from tests.artifacts.conftest import Golden

pytestmark = pytest.mark.ort_training

REPLAY = Path(__file__).parent / "replay.py"
CLOSE = {"rtol": 1e-4, "atol": 5e-5}  # as in tests/artifacts/test_replay_oracle.py; the largest difference seen is 2.5e-6


@pytest.mark.parametrize("suffix", ["onnx", "ort"])
@pytest.mark.parametrize("name", TRACES)
def test_the_real_trainer_trains_on_our_artifacts(ort_python, tmp_path, name, suffix):
    """Losses, gradients and parameters of every step equal those on its own artifacts."""
    from artifacts_tool.generate import write

    golden = Golden(name)
    write(golden.build(), tmp_path, ort_format=True)
    command = [ort_python, REPLAY, tmp_path, golden.folder, suffix, tmp_path / "found.npz"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    found, trace = np.load(tmp_path / "found.npz"), np.load(golden.folder / "trace.npz")
    compared = [key for key in found if key in trace]
    assert {key.split("/")[0] for key in compared} >= {"loss", "grad_after_train_step", "param_after_opt", "param_final", "eval_loss_after"}
    for key in compared:
        np.testing.assert_allclose(found[key], trace[key], **CLOSE, err_msg=key)
