"""file_set: good files survive a run that fails."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import finished_folder, unfinished_folder, write_files

pytestmark = pytest.mark.oracle

ROOT = Path(__file__).parents[1]
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


KILLED = """
import os, signal, sys
from pathlib import Path
from pagetrain.file_set import write_files
class Pieces:
    def __iter__(self):
        yield b"new"
        os.kill(os.getpid(), signal.SIGKILL)
write_files(Path(sys.argv[1]), {"a": b"new", "b": Pieces()})
"""


def test_the_end_of_the_process_leaves_the_files_from_before(tmp_path):
    """What was half-written is in a folder of its own, which the next call takes away."""
    write_files(tmp_path, OLD)
    assert (
        subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT / "pyodide_pkg", check=False).returncode == -signal.SIGKILL
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == OLD
    assert (unfinished_folder(tmp_path)).is_dir()
    write_files(tmp_path, {"c": b"new"})
    assert contents(tmp_path) == {**OLD, "c": b"new"}


def test_files_that_were_all_written_are_moved_by_the_next_call(tmp_path):
    """As after the end of the process between two moves."""
    write_files(tmp_path, {"a": b"new", "b": b"old"})
    finished_folder(tmp_path).mkdir()
    (finished_folder(tmp_path) / "b").write_bytes(b"new")
    write_files(tmp_path, {"c": b"new"})
    assert contents(tmp_path) == dict.fromkeys("abc", b"new")


def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(tmp_path):
    """By name."""
    (tmp_path / "b").mkdir()
    with pytest.raises(InvalidInputError, match=r"b is a folder"):
        write_files(tmp_path, {"a": b"new", "b": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
