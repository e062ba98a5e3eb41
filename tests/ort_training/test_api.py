"""Code that was written for onnxruntime.training finds every name, with parameters of the same names, order and defaults."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pagetrain import CheckpointState
from sitebuild import paths
from tests.api.golden import DATA as GOLDEN

pytestmark = pytest.mark.ort_training

INSTALLED = """
import runpy, sys
from pagetrain import compat
compat.find_spec = lambda name: None  # the inference package may be there
compat.install()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
DESCRIBE = Path(__file__).parent / "describe_api.py"
ENVIRONMENT = {"PYTHONPATH": f"{paths.ROOT / 'pyodide_pkg'}:{paths.ROOT}"}


def described(python, *modules, **options):
    command = [python, DESCRIBE, *modules]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout)


def differences(theirs, ours):
    """Names that are missing or mean something else. Parameters may follow theirs, if they have defaults."""
    for name, wanted in theirs.items():
        found = ours.get(name)
        if isinstance(wanted, dict) or found is None:
            if found != wanted:
                yield name, wanted, found
        elif found[: len(wanted)] != wanted or any(default is None for _, _, default in found[len(wanted) :]):
            yield name, wanted, found


def test_every_name_of_the_real_package_is_here(ort_python):
    """artifacts and onnxblock with all that they export."""
    theirs = described(ort_python, "onnxruntime.training.artifacts", "onnxruntime.training.onnxblock")
    ours = described(sys.executable, "artifacts_tool.artifacts", "artifacts_tool.onnxblock", env=ENVIRONMENT)
    assert len(theirs) > 60  # 23 blocks, 4 losses, 3 optimizers, each with its methods
    assert "artifacts.generate_artifacts" in theirs
    assert list(differences(theirs, ours)) == []


# Not made by callers: CheckpointState comes from load_checkpoint, the others from a CheckpointState.
MADE_ELSEWHERE = {"CheckpointState", "Parameter", "Parameters", "Properties"}
MODULES = ("onnxruntime.training.api", "onnxruntime.training.api.checkpoint_state")


def test_every_name_of_the_training_api_is_here(ort_python, tmp_path):
    """The classes of onnxruntime.training.api with their methods and properties, and pagetrain's under the same imports."""
    theirs = described(ort_python, *MODULES)
    (tmp_path / "installed.py").write_text(INSTALLED)
    command = [sys.executable, tmp_path / "installed.py", DESCRIBE, *MODULES]
    ours = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout)
    wanted = {name: found for name, found in theirs.items() if name.split(".", 1)[1] not in MADE_ELSEWHERE}
    assert {
        "api.Module",
        "api.Module.copy_buffer_to_parameters",
        "api.CheckpointState.parameters",
        "checkpoint_state.Parameter.data",
    } <= set(wanted)
    # An attribute is as good as a property that can only be read.
    attributes = {name for name, found in wanted.items() if found == {"can be set": False}}
    assert [one for one in differences(wanted, ours) if one[0] not in attributes] == []
    names = [name.split(".")[1:] for name in attributes]
    state = CheckpointState.load_checkpoint(GOLDEN / "mlp_ce_adamw_frozen" / "checkpoint")
    owners = {"CheckpointState": state, "Parameter": state.parameters["fc2.weight"]}
    assert names
    assert all(hasattr(owners[kind], name) for kind, name in names)
