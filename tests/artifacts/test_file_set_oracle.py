"""artifacts_tool.file_set: good files survive a run that fails."""

import resource
import signal
import subprocess
import sys

import pytest

from artifacts_tool.file_set import FINISHED, UNFINISHED, write_files
from pagetrain.errors import InvalidInputError

from .conftest import ROOT

pytestmark = pytest.mark.oracle

OLD = {"a": b"old", "b": b"old"}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Pieces:
    """Content that ends in an exception."""

    def __init__(self, error):
        self.error = error

    def __iter__(self):
        yield b"new"
        raise self.error


def test_files_are_written_and_replaced(tmp_path):
    """New ones beside those that are not named, whole or in pieces; no other file is left."""
    write_files(tmp_path / "new", {"a": b"1", "b": b"2"})
    write_files(tmp_path / "new", {"b": [b"3", memoryview(b"4"), b""]})
    assert contents(tmp_path / "new") == {"a": b"1", "b": b"34"}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_whatever_stops_it_leaves_the_files_from_before(tmp_path, error):
    """Byte for byte; and where there was no folder, there is none."""
    write_files(tmp_path, OLD)
    with pytest.raises(type(error)):
        write_files(tmp_path, {"a": b"new", "b": Pieces(error), "c": b"new"})
    with pytest.raises(type(error)):
        write_files(tmp_path / "deep" / "new", {"a": Pieces(error)})
    assert contents(tmp_path) == OLD


def test_a_full_disk_is_one_line(convnet, tmp_path):
    """A limit on the size of files stands for it: exit code 1, and the folder is as it was."""
    command = [sys.executable, "-m", "artifacts_tool", "generate", str(convnet), "--out", str(tmp_path / "o"), "--trainable", "*"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    before = contents(tmp_path / "o")
    for room in sorted({len(data) for data in before.values()}):
        limit = (resource.RLIMIT_FSIZE, (room - 1, room - 1))
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, check=False, preexec_fn=lambda limit=limit: resource.setrlimit(*limit)
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert contents(tmp_path / "o") == before


KILLED = """
import os, signal, sys
from pathlib import Path
from artifacts_tool.file_set import write_files
class Pieces:
    def __iter__(self):
        yield b"new"
        os.kill(os.getpid(), signal.SIGKILL)
write_files(Path(sys.argv[1]), {"a": b"new", "b": Pieces()})
"""


def test_the_end_of_the_process_leaves_the_files_from_before(tmp_path):
    """What was half-written is in a folder of its own, which the next call takes away."""
    write_files(tmp_path, OLD)
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == OLD
    assert (tmp_path / UNFINISHED).is_dir()
    write_files(tmp_path, {"c": b"new"})
    assert contents(tmp_path) == {**OLD, "c": b"new"}


def test_files_that_were_all_written_are_moved_by_the_next_call(tmp_path):
    """As after the end of the process between two moves."""
    write_files(tmp_path, {"a": b"new", "b": b"old"})
    (tmp_path / FINISHED).mkdir()
    (tmp_path / FINISHED / "b").write_bytes(b"new")
    write_files(tmp_path, {"c": b"new"})
    assert contents(tmp_path) == dict.fromkeys("abc", b"new")


def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(tmp_path):
    """By name."""
    (tmp_path / "b").mkdir()
    with pytest.raises(InvalidInputError, match=r"b is a folder"):
        write_files(tmp_path, {"a": b"new", "b": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
