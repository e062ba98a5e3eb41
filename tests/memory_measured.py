"""What numpy really allocates during a pass, for comparison with estimates."""

from __future__ import annotations

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
