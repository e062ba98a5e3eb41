"""What numpy really allocates during a pass, for comparison with estimates."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_of(run: Callable[[], Any]) -> int:
    """Bytes that are held at most during a call of run, beyond those before it. The second call counts: the first one fills caches."""
    run()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def kept_by(make: Callable[[], Any]) -> tuple[Any, int]:
    """What make() returns, and the bytes that are held as long as it is. The second call counts."""
    make()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = make()
        gc.collect()
        return made, tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
