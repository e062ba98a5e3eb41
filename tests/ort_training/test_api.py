"""Code that was written for onnxruntime.training finds every name, with parameters of the same names, order and defaults."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sitebuild import paths

pytestmark = pytest.mark.ort_training

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
