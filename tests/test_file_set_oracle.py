"""file_set: good files survive a run that fails."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import finished_folder, lock_file, opened, place_of, unfinished_folder, write_files

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
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path != lock_file(tmp_path)} == OLD
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


def test_the_systems_errors_name_the_file_that_was_asked_for(tmp_path):
    """Not the ones on the way to it, whose names are longer, here too long."""
    name = "n" * 255
    with pytest.raises(OSError, match="name too long") as raised:
        write_files(tmp_path, {name: b"new"}, label=name)
    assert raised.value.filename == str(tmp_path / name)
    assert contents(tmp_path) == {}


SAVER = """
import sys
from pathlib import Path
from pagetrain.file_set import write_files
for _ in range(int(sys.argv[3])):
    write_files(Path(sys.argv[1]), dict.fromkeys("ab", [sys.argv[2].encode() * 50_000]))
"""


def saver(folder, letter, times):
    """A process that saves `times` pairs, of that letter alone."""
    command = [sys.executable, "-c", SAVER, str(folder), letter, str(times)]
    return subprocess.Popen(command, cwd=ROOT / "pyodide_pkg", stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name == "nt", reason="there is no lock to wait for")
def test_two_who_save_at_once_leave_files_of_one_save(tmp_path):
    """Neither fails, who reads meanwhile never gets a mixed pair, and nothing else stays."""
    write_files(tmp_path, dict.fromkeys("ab", b"0" * 50_000))
    savers = [saver(tmp_path, letter, 150) for letter in "12"]
    seen = set()
    while any(each.poll() is None for each in savers):
        with opened(tmp_path, "ab") as files:
            pair = [file.read() for file in files]
        assert pair[0] == pair[1] == pair[0][:1] * 50_000
        seen.add(pair[0][:1])
    assert [each.communicate()[1] for each in savers] == ["", ""]
    assert seen & {b"1", b"2"}
    assert contents(tmp_path) in [dict.fromkeys("ab", letter * 50_000) for letter in (b"1", b"2")]


@pytest.mark.skipif(os.name == "nt", reason="there is no lock to wait for")
def test_two_who_are_killed_while_they_save_leave_files_of_one_save(tmp_path):
    """At whatever moment: they are read as one save, and the next save finds nothing in its way."""
    write_files(tmp_path, dict.fromkeys("ab", b"0" * 50_000))
    for delay in range(8):
        savers = [saver(tmp_path, letter, 100_000) for letter in "12"]
        with pytest.raises(subprocess.TimeoutExpired):
            savers[0].wait(timeout=0.2 + 0.013 * delay)
        for each in savers:
            each.kill()
            each.communicate()
        with opened(tmp_path, "ab") as (one, other):
            assert one.read() == other.read()
    write_files(tmp_path, {"a": b"3", "b": b"3"})
    assert contents(tmp_path) == {"a": b"3", "b": b"3"}


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o600, 0o444])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    """A new one gets the mode that any new file gets."""
    write_files(tmp_path, {"a": b"old"})
    (tmp_path / "a").chmod(mode)
    (tmp_path / "plain").touch()
    write_files(tmp_path, {"a": b"new", "b": b"new"})
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab"] == [mode, stat.S_IMODE((tmp_path / "plain").stat().st_mode)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_or_device_in_the_place_of_a_file_is_refused(tmp_path):
    """Before anything is written, and by a link too."""
    os.mkfifo(tmp_path / "pipe")
    for name, target in (("link", tmp_path / "pipe"), ("null", "/dev/null"), ("folder", tmp_path)):
        (tmp_path / name).symlink_to(target)
    for name in ("pipe", "link", "null", "folder"):
        place = place_of(tmp_path / name)
        with pytest.raises(InvalidInputError, match=f"{name} is a (device, a pipe|folder)"):
            write_files(place.parent, {place.name: b"new"})
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "link", "null", "folder"}
