"""compat beside artifacts_tool: the offline side has its names, too."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.oracle

SCRIPT = """
import sys, onnx
from pagetrain import compat
compat.find_spec = lambda name: None  # as where the real onnxruntime is not
compat.install()
import onnxruntime.training.onnxblock as onnxblock
from onnxruntime.training import artifacts
from onnxruntime.training.onnxblock import blocks
import onnxruntime.training.onnxblock.loss
from artifacts_tool.onnxblock import blocks as own
assert blocks is own
artifacts.generate_artifacts(
    onnx.load(sys.argv[1]), requires_grad=["fc2.weight"], frozen_params=["fc1.weight"], loss=artifacts.LossType.CrossEntropyLoss,
    optimizer=artifacts.OptimType.AdamW, artifact_directory=sys.argv[2])
"""


def test_artifacts_are_made_under_the_old_imports(tmp_path):
    """In a process of its own, so that no other test sees the names."""
    base = ROOT / "tests" / "data" / "golden" / "mlp_ce_adamw_frozen" / "base.onnx"
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(base), str(tmp_path)]
    done = subprocess.run(command, env={"PYTHONPATH": f"{ROOT}:{ROOT / 'pyodide_pkg'}"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} >= {"training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint"}


def test_the_real_one_is_seen():
    """It is installed beside the tests."""
    command = [sys.executable, "-c", "from pagetrain import compat; compat.install()"]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT / "pyodide_pkg")}, capture_output=True, text=True, check=False)
    assert "StateError: The real onnxruntime can be imported" in done.stderr
