"""The accelerated backends: kernels of our own in WebAssembly SIMD, run on numpy's arrays. The C sources are in the folder accelerator/.

Only where Python itself runs in WebAssembly; everything works without, in numpy.
"""

from __future__ import annotations

import sys

from ..backend import Offers
from .library import loaded


def find(backend: str | None) -> tuple[str, Offers] | None:
    """What backend.found_by asks: this variant, or the fastest that can be loaded; one line on stderr says why where that is none."""
    found = loaded(backend) if sys.platform == "emscripten" else None
    if found is None:
        return None

    from .ops import offers

    return found[0], offers(found[1])
