"""sitebuild.lock: two set-ups in one folder take turns."""

import io
import subprocess
import sys
from pathlib import Path

from sitebuild import lock
from sitebuild.report import Report

ROOT = Path(__file__).parents[2]
SECOND = """
import sys, pathlib
from sitebuild import lock, report
with lock.only_one(pathlib.Path(sys.argv[1]), report.Report()):
    print("mine")
"""
CHILD = """
import sys
print("started", flush=True)
sys.stdin.read()
"""


def second(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-uc", SECOND, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    """The rest of what it prints."""
    assert process.stdout is not None
    with process:
        return process.stdout.read()


def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    """It says so, and goes on when the first has ended."""
    with lock.only_one(tmp_path / "lock", Report(io.StringIO())):
        waiting = second(tmp_path / "lock")
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "another set-up runs in this folder: waiting for it\n"
        assert waiting.poll() is None
    assert finish(waiting) == "mine\n"


def test_a_lock_outlives_a_killed_set_up_while_its_program_runs(tmp_path: Path) -> None:
    """A pip whose parent was killed still writes, so the next set-up waits for it too."""
    with lock.only_one(tmp_path / "lock", Report(io.StringIO())):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=lock.inherited()
        )
        assert child.stdout is not None
        child.stdout.readline()
    waiting = second(tmp_path / "lock")
    assert waiting.stdout is not None
    assert "waiting" in waiting.stdout.readline()
    child.communicate(timeout=10)
    assert finish(waiting) == "mine\n"
