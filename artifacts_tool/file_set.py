"""Files that belong together: written all or not at all, so that good ones are never left mixed with new or half-written ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pagetrain.errors import InvalidInputError

Content = bytes | Sequence[bytes | memoryview]  # whole, or in pieces
UNFINISHED = ".artifacts.part"  # files being written
FINISHED = ".artifacts.ready"  # files all written, on their way to their places


def size_of(content: Content) -> int:
    """Its bytes."""
    return sum(memoryview(piece).nbytes for piece in ([content] if isinstance(content, bytes) else content))


def write_files(directory: Path, files: Mapping[str, Content]) -> None:
    """Writes {file name: content} into a folder, made if needed. Existing ones are replaced once all are written.

    They are written to a folder inside, which takes another name when all are there, and are then moved out of it one by one. Whatever
    stops this before (disk full, an interrupt, the end of the process) leaves the folder's files as they were; whatever stops it after
    leaves the rest to the next call, which moves them first. Raises OSError; InvalidInputError where a folder has the name of a file.
    """
    with _made(directory):
        _finish(directory)
        taken = [name for name in files if (directory / name).is_dir()]
        if taken:
            raise InvalidInputError(f"{directory / taken[0]} is a folder, where a file is to be written; take it away.")
        unfinished = directory / UNFINISHED
        try:
            unfinished.mkdir()
            for name, content in files.items():
                _write(unfinished / name, content)
            unfinished.rename(directory / FINISHED)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        try:
            _finish(directory)
        except KeyboardInterrupt:
            _finish(directory)
            raise


def _write(path: Path, content: Content) -> None:
    with path.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)


def _finish(directory: Path) -> None:
    """Moves finished files to their places, and takes away what an earlier process left unfinished."""
    finished = directory / FINISHED
    if finished.is_dir():
        for path in sorted(finished.iterdir()):
            path.replace(directory / path.name)
        finished.rmdir()
    if (directory / UNFINISHED).is_dir():
        shutil.rmtree(directory / UNFINISHED)


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
