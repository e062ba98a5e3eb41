"""Files that belong together: written all or not at all, so that good ones are never left mixed with new or half-written ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import InvalidInputError
from .file_lock import alone

Content = bytes | Sequence[bytes | memoryview]  # whole, or in pieces
ARTIFACTS = "artifacts"
_TRIES = 100


def unfinished_folder(directory: Path, label: str = ARTIFACTS) -> Path:
    """Where files are being written."""
    return directory / f".{label}.part"


def finished_folder(directory: Path, label: str = ARTIFACTS) -> Path:
    """Where files are all written, on their way to their places."""
    return directory / f".{label}.ready"


def lock_file(directory: Path, label: str = ARTIFACTS) -> Path:
    """What is there while files are being written, so that others wait."""
    return directory / f".{label}.lock"


def newest(directory: Path, name: str, label: str = ARTIFACTS) -> Path:
    """Where the newest content of a file of the set is: in its place, or still on the way there, if the writing process ended so."""
    on_the_way = finished_folder(directory, label) / name
    return on_the_way if on_the_way.is_file() else directory / name


@contextmanager
def opened(directory: Path, names: Sequence[str], label: str = ARTIFACTS) -> Iterator[list[BinaryIO | None]]:
    """The newest content of files of the set, open for reading; None for one that is not there. All of one save, even if others save.

    A save puts all of its files in the way of `newest` at one moment. So they are of one save if, once all are open, each still is what
    `newest` finds; else they are opened again. Raises InvalidInputError where saves follow each other too closely for that.
    """
    for _ in range(_TRIES):
        with ExitStack() as stack:
            files = [_open(stack, newest(directory, name, label)) for name in names]
            if all(_is_at(newest(directory, name, label), file) for name, file in zip(names, files, strict=True)):
                yield files
                return
    raise InvalidInputError(f"{directory / names[0]} is saved all the time, faster than it can be read; try again later.")


def _open(stack: ExitStack, path: Path) -> BinaryIO | None:
    try:
        return stack.enter_context(path.open("rb"))
    except (FileNotFoundError, IsADirectoryError):
        return None


def _is_at(path: Path, file: BinaryIO | None) -> bool:
    """While it is open, no other file can have its number."""
    try:
        return not path.is_file() if file is None else os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def place_of(path: str | os.PathLike[str], second: str = "") -> Path:
    """Where the file of that path is: of a link to a file the target, unless a second file (path + `second`) is beside the link itself."""
    given = Path(path)
    no_file, beside = given.exists() and not given.is_file(), second and os.path.lexists(f"{given}{second}")
    return Path(os.path.realpath(given)) if given.is_symlink() and not no_file and not beside else given


def size_of(content: Content) -> int:
    """Its bytes."""
    return sum(memoryview(piece).nbytes for piece in ([content] if isinstance(content, bytes) else content))


def write_files(directory: Path, files: Mapping[str, Content], label: str = ARTIFACTS) -> None:
    """Writes {file name: content} into a folder, made if needed. Existing ones are replaced once all are written and on the disk.

    label: names the set; sets of other labels in the same folder do not meet.

    They are written to a folder inside, which takes another name when all are there, and are then moved out of it one by one. Whatever
    stops this before (disk full, an interrupt, the end of the process) leaves the folder's files as they were; whatever stops it after
    leaves the rest to the next call, which moves them first; readers find them till then, see `opened`. Calls for the same set wait for
    each other, see `alone`. Replaced files keep their modes. Raises OSError; InvalidInputError where something else than a file has
    the name of one.
    """
    for name in files:
        _check_place(directory / name)
    with _made(directory), _told_of(directory / next(iter(files), "")), alone(lock_file(directory, label)):
        _finish(directory, label)
        unfinished = unfinished_folder(directory, label)
        try:
            unfinished.mkdir()
            for name, content in files.items():
                _write(unfinished / name, content, directory / name)
            unfinished.rename(finished_folder(directory, label))
        finally:
            _remove(unfinished)
        try:
            _finish(directory, label)
        except KeyboardInterrupt:
            _finish(directory, label)
            raise


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """The system's errors name this path, not the files on the way to it."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _check_place(path: Path) -> None:
    """Raises InvalidInputError for what is there and is not a file: a folder, a device, a pipe; or a link to one."""
    if path.exists() and not path.is_file():
        kind = "folder" if path.is_dir() else "device, a pipe or a socket"
        raise InvalidInputError(f"{path} is a {kind}, where a file is to be written; give another path, or take it away.")


def _write(path: Path, content: Content, replaced: Path) -> None:
    with path.open("wb") as file:
        if replaced.is_file():
            with suppress(OSError):  # a file system without modes
                path.chmod(stat.S_IMODE(replaced.stat().st_mode))
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        os.fsync(file.fileno())


def _finish(directory: Path, label: str) -> None:
    """Moves finished files to their places, and takes away what an earlier process left unfinished."""
    finished, unfinished = finished_folder(directory, label), unfinished_folder(directory, label)
    if finished.is_dir():
        for path in sorted(finished.iterdir()):
            path.replace(directory / path.name)
        finished.rmdir()
    _remove(unfinished)


def _remove(folder: Path) -> None:
    """The folder and the files in it, if it is there."""
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


@contextmanager
def _made(directory: Path) -> Iterator[None]:
    """The folder and those above it exist; those that did not are gone again if nothing is written."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # one holds files by now
            for folder in missing:
                folder.rmdir()
        raise
