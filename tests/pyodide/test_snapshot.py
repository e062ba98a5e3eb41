"""The snapshot that the page starts from is what a Python that imported everything was."""

import json
import subprocess
from pathlib import Path

import pytest

from sitebuild import node

pytestmark = pytest.mark.node


def test_restored_memory_is_the_memory_that_was_taken(site: Path) -> None:
    """Byte for byte, though the file holds only what differs from an interpreter that loaded the libraries: in another process."""
    argument = json.dumps({"runtime": str(site / "runtime"), "digest": True})
    command = [node.program("node"), str(Path(__file__).with_name("site_python.mjs")), argument]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr[-4000:]
    taken, restored = json.loads(finished.stdout.splitlines()[-1])
    assert restored == taken
