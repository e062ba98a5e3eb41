"""One set-up at a time: a lock on .cache/lock that the system releases when its holder ends, however it ends."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sitebuild.report import Report

_held: list[int] = []  # descriptors that child processes inherit: a pip that outlives a killed set-up still holds the lock


def inherited() -> tuple[int, ...]:
    return tuple(_held)


@contextlib.contextmanager
def only_one(path: Path, report: Report) -> Iterator[None]:
    """Waits until no other set-up of this folder runs, and keeps others out until the block ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        if not _take(stream, wait=False):
            report.line("another set-up runs in this folder: waiting for it")
            _take(stream, wait=True)
        _held.append(stream.fileno())
        try:
            yield
        finally:
            _held.remove(stream.fileno())


if os.name == "nt":
    import msvcrt
    import time

    def _take(stream: IO[bytes], wait: bool) -> bool:
        while True:
            try:
                stream.seek(0)
                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(0.2)
else:
    import fcntl

    def _take(stream: IO[bytes], wait: bool) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True
