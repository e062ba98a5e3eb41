"""artifacts_tool.file_set: good files survive a run that fails."""

from pathlib import Path

import pytest

from artifacts_tool.cli import main
from artifacts_tool.file_set import write_files

pytestmark = pytest.mark.oracle


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_written_and_replaced(tmp_path):
    """New ones beside those that are not named; no other file is left."""
    write_files(tmp_path / "new", {"a": b"1", "b": b"2"})
    write_files(tmp_path / "new", {"b": b"3"})
    assert contents(tmp_path / "new") == {"a": b"1", "b": b"3"}


def test_a_full_disk_leaves_the_files_from_before(convnet, tmp_path, monkeypatch, capsys):
    """One line, and the folder is byte for byte what it was, wherever the disk becomes full."""
    command = ["generate", str(convnet), "--out", str(tmp_path / "o"), "--trainable"]
    assert main([*command, "*"]) == 0
    before, write = contents(tmp_path / "o"), Path.write_bytes
    for room in range(len(before)):
        left = iter(range(room))

        def write_while_there_is_room(path, data, left=left):
            write(path, data[: len(data) // 2])
            if next(left, None) is None:
                raise OSError(28, "No space left on device", str(path))
            return write(path, data)

        monkeypatch.setattr(Path, "write_bytes", write_while_there_is_room)
        assert main([*command, "head.bias"]) == 1
        assert "No space left" in capsys.readouterr().err
        assert contents(tmp_path / "o") == before
