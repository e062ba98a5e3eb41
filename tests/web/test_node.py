"""Runs the node tests of this folder, one pytest test for each file."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.node
HERE = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_node(name: str) -> None:
    """node's own test runner passes the file; its report is shown when it does not."""
    node = shutil.which("node")
    assert node, "node is needed for these tests"
    done = subprocess.run([node, "--test", "--test-reporter=spec", HERE / name], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
