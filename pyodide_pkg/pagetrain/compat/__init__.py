"""install(): code that was written for onnxruntime and onnxruntime.training runs here unchanged.

import pagetrain.compat; pagetrain.compat.install(); then `from onnxruntime.training.api import Module` gives pagetrain's. What still
differs stands in docs/migrating.md.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions, version
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
    if sys.modules.get(ROOT) is not None or find_spec(ROOT) is not None:  # None there means that nobody may import it
        raise StateError(
            f"The real onnxruntime can be imported here ({_found()}); run this in an environment without it, "
            "or import pagetrain's classes by their own names."
        )
    made = aliases()
    sys.modules.update(made)
    _installed.update(made)


def _found() -> str:
    """The real package in words: what it was installed as, which version, and whether it could train."""
    spec = sys.modules[ROOT].__spec__ if ROOT in sys.modules else find_spec(ROOT)
    folders = spec.submodule_search_locations if spec else None
    trains = folders is not None and PathFinder.find_spec(f"{ROOT}.training", folders) is not None
    names = sorted(set(packages_distributions().get(ROOT, ())))
    installed = ", ".join(f"{name} {version(name)}" for name in names) or "of unknown version"
    return f"{installed}, {'with' if trains else 'without'} a training module"


def uninstall() -> None:
    """Takes the names away again. Who has imported from them keeps what they got."""
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
