"""sitebuild.files: whole or not there."""

from pathlib import Path

import pytest

from sitebuild import files


class Interrupted(BaseException):
    """As Ctrl-C: not an Exception."""


def test_a_half_written_file_never_has_the_name(tmp_path: Path) -> None:
    """Interrupted in the middle, the old content stays and nothing else is left."""
    target = tmp_path / "a"
    target.write_text("before")

    def interrupted() -> None:
        with files.half_file(target) as half:
            half.write_text("hal")
            raise Interrupted

    with pytest.raises(Interrupted):
        interrupted()
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_half_filled_folder_never_has_the_name(tmp_path: Path) -> None:
    """Interrupted in the middle, the old folder stays as it was and nothing else is left."""
    target = tmp_path / "a"
    target.mkdir()
    (target / "old").write_text("old")

    def interrupted() -> None:
        with files.half_folder(target) as half:
            (half / "new").write_text("new")
            raise Interrupted

    with pytest.raises(Interrupted):
        interrupted()
    assert [path.name for path in target.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_whole_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """No file of the old one is left in it."""
    for name in ("first", "second"):
        with files.half_folder(tmp_path / "a") as half:
            (half / name).write_text(name)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["second"]
    assert len(list(tmp_path.iterdir())) == 1


def test_what_killed_runs_left_is_swept_up(tmp_path: Path) -> None:
    """Halves go, everything else stays."""
    (tmp_path / ".a.123.half").mkdir()
    (tmp_path / ".a.123.half/x").write_text("x")
    (tmp_path / ".b.456.half").write_text("x")
    (tmp_path / "half").write_text("x")
    files.remove_halves(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["half"]


def test_litter_is_not_a_source(tmp_path: Path) -> None:
    """Caches, hidden files and build leftovers do not count as files of a folder."""
    for name in ("b/x.py", "a.py", "__pycache__/a.pyc", ".DS_Store", "p.egg-info/PKG-INFO", "build/lib/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [path.relative_to(tmp_path).as_posix() for path in files.files_below(tmp_path)] == ["a.py", "b/x.py"]
