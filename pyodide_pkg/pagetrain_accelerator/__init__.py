"""The accelerated backends: kernels of our own in WebAssembly SIMD, run on numpy's arrays. The C sources are in the folder accelerator/.

Only where Python itself runs in WebAssembly; everything works without, in numpy.
"""

from __future__ import annotations

import sys

from pagetrain.backend import Offers

from .library import loaded

__version__ = "0.1.0"


def find(backend: str | None) -> tuple[str, Offers] | None:
    """What pagetrain.backend asks: this variant, or the fastest that can be loaded; one line on stderr says why where that is none."""
    found = loaded(backend) if sys.platform == "emscripten" else None
    if found is None:
        return None

    from .ops import offers

    return found[0], offers(found[1])
