"""file_lock: one at a time."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pagetrain.file_lock import alone

pytestmark = [pytest.mark.oracle, pytest.mark.skipif(os.name == "nt", reason="the system has no such locks")]

ROOT = Path(__file__).parents[1]
ADDER = """
import sys
from pathlib import Path
from pagetrain.file_lock import alone
folder = Path(sys.argv[1])
for _ in range(300):
    with alone(folder / "lock"):
        (folder / "count").write_text(str(int((folder / "count").read_text()) + 1))
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from pagetrain.file_lock import alone
with alone(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(program, argument):
    return subprocess.run([sys.executable, "-c", program, str(argument)], cwd=ROOT / "pyodide_pkg", check=False).returncode


def test_who_is_alone_loses_no_count(tmp_path):
    """Three processes and a thread each read a number and write the next one; the lock's file is gone afterwards."""
    (tmp_path / "count").write_text("0")
    with ThreadPoolExecutor() as threads:
        others = [threads.submit(run, ADDER, tmp_path) for _ in range(3)]
        for _ in range(300):
            with alone(tmp_path / "lock"):
                (tmp_path / "count").write_text(str(int((tmp_path / "count").read_text()) + 1))
        assert [other.result() for other in others] == [0, 0, 0]
    assert (tmp_path / "count").read_text() == "1200"
    assert [path.name for path in tmp_path.iterdir()] == ["count"]


def test_who_was_killed_keeps_nobody_out(tmp_path):
    """The file stays, and the next one takes it away."""
    assert run(KILLED, tmp_path / "lock") == -signal.SIGKILL
    assert (tmp_path / "lock").exists()
    with alone(tmp_path / "lock"):
        pass
    assert not (tmp_path / "lock").exists()


def test_an_error_inside_gives_the_lock_back(tmp_path):
    """And is not hidden."""
    with pytest.raises(KeyError), alone(tmp_path / "lock"):
        raise KeyError
    assert not (tmp_path / "lock").exists()


def test_without_a_folder_there_is_no_lock(tmp_path):
    """Instead of trying for ever."""
    with pytest.raises(FileNotFoundError), alone(tmp_path / "none" / "lock"):
        pass
