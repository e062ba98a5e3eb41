"""install(): code that was written for onnxruntime and onnxruntime.training runs here unchanged.

import pagetrain.compat; pagetrain.compat.install(); then `from onnxruntime.training.api import Module` gives pagetrain's. What still
differs stands in docs/migrating.md.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from ..errors import StateError
from .modules import ROOT, aliases

_installed: dict[str, object] = {}  # name: what stands in sys.modules while it is installed


def install() -> None:
    """Registers onnxruntime, onnxruntime.training and its .api; .artifacts and .onnxblock too where artifacts_tool can be imported.

    A second call changes nothing. Raises StateError where the real onnxruntime is installed: code should never get one for the other.
    """
    if _installed:
        return
    if ROOT in sys.modules or find_spec(ROOT) is not None:
        raise StateError("The real onnxruntime can be imported here; uninstall it, or import pagetrain's classes by their own names.")
    made = aliases()
    sys.modules.update(made)
    _installed.update(made)


def uninstall() -> None:
    """Takes the names away again. Who has imported from them keeps what they got."""
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
