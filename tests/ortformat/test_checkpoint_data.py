"""Checkpoints with their values in a second file: the real ONNX Runtime's are read, and written again byte for byte."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from pagetrain import CheckpointState, file_set
from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.ortformat import checkpoint
from pagetrain.ortformat.checkpoint import CheckpointData
from pagetrain.ortformat.checkpoint_data import needs_data_file

GOLDEN = Path(__file__).resolve().parent.parent / "data" / "golden"
REAL = GOLDEN / "external_data"
SHOWN = np.arange(40, dtype=np.float32)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The real state's two files in a folder of their own."""
    for name in ("state", "state.data"):
        (tmp_path / name).write_bytes((REAL / name).read_bytes())
    return tmp_path / "state"


def test_the_values_are_those_of_the_single_file() -> None:
    """ONNX Runtime saved the same state both ways."""
    single, double = checkpoint.load_file(GOLDEN / "cnn_bn_pool_ce" / "checkpoint"), checkpoint.load_file(REAL / "state")
    for mine, theirs in ((double.trainable, single.trainable), (double.frozen, single.frozen)):
        assert mine.keys() == theirs.keys()
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine)


def test_a_state_that_came_in_two_files_is_saved_so(tmp_path: Path) -> None:
    """Both files equal ONNX Runtime's."""
    CheckpointState.save_checkpoint(CheckpointState.load_checkpoint(REAL / "state"), tmp_path / "state")
    for name in ("state", "state.data"):
        assert (tmp_path / name).read_bytes() == (REAL / name).read_bytes()


def test_a_state_of_many_bytes_is_saved_in_two_files(tmp_path: Path) -> None:
    """The limit is ONNX Runtime's 1800 MiB unless another is given; sizes count in whole MiB, at least one."""
    state = CheckpointData({"w": SHOWN}, {"v": SHOWN[:3]})
    checkpoint.save_files(state, tmp_path / "one")
    checkpoint.save_files(state, tmp_path / "two", external_from=1 << 20)
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two", "two.data"}
    assert (tmp_path / "two.data").stat().st_size == SHOWN.nbytes + 12
    loaded = checkpoint.load_file(tmp_path / "two")
    assert np.array_equal(loaded.trainable["w"], SHOWN)
    assert np.array_equal(loaded.frozen["v"], SHOWN[:3])
    assert not needs_data_file({"w": SHOWN}, (1 << 20) + 1)


def test_a_link_is_followed(tmp_path: Path) -> None:
    """By saves and loads, in one file or two, whether its target is there or not; the link stays."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "state")
    for external_from in (1 << 30, 1):
        checkpoint.save_files(CheckpointData({"w": SHOWN + external_from}, {}), link, external_from)
        assert link.is_symlink()
        for path in (link, tmp_path / "state"):
            assert np.array_equal(checkpoint.load_file(path).trainable["w"], SHOWN + external_from)
    assert {path.name for path in tmp_path.iterdir()} == {"link", "state", "state.data"}


def test_links_to_both_files_are_a_pair(tmp_path: Path, copied: Path) -> None:
    """As caches keep them, under names that do not belong together; what is saved there takes the links' places."""
    links = tmp_path / "links"
    links.mkdir()
    for number, name in enumerate(("state", "state.data")):
        (tmp_path / name).rename(tmp_path / f"{number}")
        (links / name).symlink_to(tmp_path / f"{number}")
    state = checkpoint.load_file(links / "state")
    whole = [(tmp_path / name).read_bytes() for name in "01"]
    assert state.trainable.keys() == checkpoint.load_file(REAL / "state").trainable.keys()
    checkpoint.save_files(state, links / "state")
    assert [(links / name).read_bytes() for name in ("state", "state.data")] == whole
    assert checkpoint.load_file(links / "state").trainable.keys() == state.trainable.keys()


@pytest.mark.parametrize("moves", [0, 1])
def test_a_save_that_ends_between_two_moves_is_read_as_one(moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both files are the new ones, although none or one of them has come to its place; the next save clears up."""
    path = tmp_path / "state"
    old, new = (CheckpointData({"w": SHOWN + more}, {}, properties={"n": more}) for more in (0, 1))
    checkpoint.save_files(old, path, external_from=1)
    with monkeypatch.context() as stopped:
        done: list[Path] = []
        replace = Path.replace

        def replace_or_stop(source: Path, target: Path) -> Path:
            if len(done) == moves:
                raise OSError("the process ends here")
            done.append(source)
            return replace(source, target)

        stopped.setattr(Path, "replace", replace_or_stop)
        with pytest.raises(OSError, match="ends here"):
            checkpoint.save_files(new, path, external_from=1)
    loaded = checkpoint.load_file(path)
    assert (loaded.properties, loaded.trainable["w"][0]) == ({"n": 1}, 1)
    checkpoint.save_files(old, path, external_from=1)
    assert checkpoint.load_file(path).properties == {"n": 0}
    assert {each.name for each in tmp_path.iterdir()} == {"state", "state.data"}


# Emscripten's fstat tells of what is now at the path; but nobody saves there while Python reads.
among_others = pytest.mark.skipif(sys.platform == "emscripten", reason="there is one process alone")


@among_others
@pytest.mark.parametrize("opens", [1, 2])
@pytest.mark.parametrize("moves", [0, 1, 2])
def test_a_save_while_it_is_read_gives_no_mixed_pair(opens: int, moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When so many files are open, the other process has written both of its own, and moved so many of them: the new pair is read."""
    path = tmp_path / "state"
    old, new = (CheckpointData({"w": SHOWN + more}, {}, properties={"n": more}) for more in (0, 1))
    checkpoint.save_files(new, tmp_path / "other", external_from=1)
    checkpoint.save_files(old, path, external_from=1)
    opened: list[Path] = []
    before = file_set._open

    def open_and_save(stack: ExitStack, file: Path) -> BinaryIO | None:
        result = before(stack, file)
        opened.append(file)
        if len(opened) == opens:
            finished = file_set.finished_folder(tmp_path, "state")
            finished.mkdir()
            for name in ("state", "state.data"):
                (tmp_path / name.replace("state", "other")).rename(finished / name)
            for file in sorted(finished.iterdir())[:moves]:
                file.replace(tmp_path / file.name)
        return result

    monkeypatch.setattr(file_set, "_open", open_and_save)
    loaded = checkpoint.load_file(path)
    assert (loaded.properties, loaded.trainable["w"][0]) == ({"n": 1}, 1)


@among_others
def test_saves_without_end_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of waiting for ever."""
    path = tmp_path / "state"
    checkpoint.save_files(CheckpointData({"w": SHOWN}, {}), path, external_from=1)
    before = file_set._open

    def open_and_replace(stack: ExitStack, file: Path) -> BinaryIO | None:
        result = before(stack, file)
        copy = file.with_suffix(".copy")
        copy.write_bytes(file.read_bytes())
        copy.replace(file)
        return result

    monkeypatch.setattr(file_set, "_open", open_and_replace)
    with pytest.raises(InvalidInputError, match="saved all the time"):
        checkpoint.load_file(path)


def test_bytes_alone_are_refused(copied: Path) -> None:
    """As ONNX Runtime refuses them: nobody knows where the second file is."""
    with pytest.raises(FormatError, match="give its path"):
        CheckpointState.load_checkpoint(copied.read_bytes())


@pytest.mark.parametrize("size", [0, 100, 811])
def test_a_short_second_file_is_refused(copied: Path, size: int) -> None:
    """The parameter is named."""
    data = copied.with_name("state.data")
    data.write_bytes(data.read_bytes()[:size])
    with pytest.raises(FormatError, match=r"Parameter '.*in the \.data file, which has"):
        checkpoint.load_file(copied)


def test_a_missing_second_file_is_refused(copied: Path) -> None:
    """By its name."""
    copied.with_name("state.data").unlink()
    with pytest.raises(FormatError, match=r"state\.data .*is missing"):
        checkpoint.load_file(copied)


def test_damage_is_refused_or_harmless(copied: Path) -> None:
    """Every byte of the first file changed: a FormatError, or a state; offsets never leave the second file."""
    data = copied.read_bytes()
    for place in range(len(data)):
        for value in (0, 0x7F, 0xFF):
            copied.write_bytes(data[:place] + bytes([value]) + data[place + 1 :])
            try:
                checkpoint.load_file(copied)
            except FormatError as error:
                assert str(error)  # noqa: PT017 - either is right
