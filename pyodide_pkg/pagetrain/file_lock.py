"""One at a time: a lock between threads and processes, by a file that is there only while somebody holds or awaits it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # inside Pyodide, where nobody else is; Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else is inside `alone` of that path; waits for it. Its folder must exist. Raises OSError where the file cannot be made.

    The system gives the lock back when a process ends, however it ends: the file may stay then, and harms nobody. Where the system has
    no such locks (Windows), nothing is waited for.
    """
    if fcntl is None:
        yield
        return
    descriptor = _locked(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is locked: those who wait for this very file see that it is gone, and make a new one
        os.close(descriptor)


def _locked(path: Path) -> int:
    """A descriptor of the file that is at the path, locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
