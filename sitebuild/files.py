"""Files and folders that are whole or not there: written under another name beside their place, then renamed."""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 20


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """path holds data, or what it held before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with half_file(path) as half:
        half.write_bytes(data)


@contextlib.contextmanager
def half_file(path: Path) -> Iterator[Path]:
    """A name beside path to write to; becomes path when the block ends well, is removed when it does not."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".half", dir=path.parent)
    os.close(handle)
    half = Path(name)
    try:
        yield half
        _sync(half)
        half.chmod(0o644)
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def half_folder(folder: Path) -> Iterator[Path]:
    """An empty folder beside `folder` to fill; takes its place when the block ends well, is removed when it does not."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".half", dir=folder.parent))
    half.chmod(0o755)
    try:
        yield half
        for path in half.rglob("*"):
            if path.is_file():
                _sync(path)
        _swap(half, folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def remove_halves(folder: Path) -> None:
    """Sweeps up what killed runs left in `folder`. Only call it while no other set-up runs."""
    for path in folder.glob(".*.half"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; symbolic links are not followed."""
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_size
    return sum(size_of(Path(entry.path)) for entry in os.scandir(path))


def files_below(folder: Path) -> list[Path]:
    """All files below folder that are sources or results, sorted by path: no caches, no hidden files, nothing that pip left behind."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in found if not any(_is_litter(part) for part in path.relative_to(folder).parts))


def _is_litter(part: str) -> bool:
    return part.startswith(".") or part in ("__pycache__", "build") or part.endswith((".pyc", ".egg-info"))


def _swap(half: Path, folder: Path) -> None:
    """rename() cannot replace a full folder, so the old one steps aside first; a crash in between leaves none, never a mixture."""
    if folder.exists():
        aside = half.with_name(half.name.removesuffix(".half") + ".old.half")
        folder.rename(aside)
        half.rename(folder)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        half.rename(folder)


def _sync(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
