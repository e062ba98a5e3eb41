"""pagetrain is spread over three distributions of the same version, so that a page fetches what it needs: pagetrain runs alone.

pagetrain-ops: the ops that image classifiers and small networks do without; kernels/_families.py says which.
pagetrain-accelerator: what makes the heavy ops fast where Python runs in WebAssembly.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pagetrain

from .errors import StateError

OPS, ACCELERATOR = "pagetrain_ops", "pagetrain_accelerator"


def installed(package: str) -> ModuleType | None:
    """The package of another distribution; None where it is not installed. Raises StateError for one of another version."""
    try:
        found = import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        return None
    own = pagetrain.__version__
    if found.__version__ != own:
        raise StateError(f"{_name(package)} is of version {found.__version__}, pagetrain of {own}; {how_to_install(package)}.")
    return found


def how_to_install(package: str) -> str:
    """Words for an error, with the version that fits."""
    wanted = f"{_name(package)}=={pagetrain.__version__}"
    return f'install it with await micropip.install("{wanted}") in Pyodide, with pip install {wanted} elsewhere'


def _name(package: str) -> str:
    return package.replace("_", "-")
