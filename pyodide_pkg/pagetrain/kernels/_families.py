"""The families of kernels, one module each, imported when an op is looked for that those imported so far do not have.

Most models need few of them, and compiling the sources of all takes a third of the time that importing pagetrain would take in the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from . import registry
from .registry import Kernel

# Tried first: picture classifiers and their training need no others. All others follow by name, so this is about time alone.
COMMON = ("training", "conv", "linear", "elementwise", "activation", "rectifier", "batch_norm", "pool", "layout", "reduce", "loss")


def find(domain: str, op_type: str, since_version: int) -> Kernel | None:
    """The newest kernel for `since_version` or an earlier one; None when there is none."""
    known = registry.versions(domain, op_type)
    while not known and _import_next():
        known = registry.versions(domain, op_type)
    fitting = [kernel for kernel in known if kernel.since <= since_version]
    return fitting[-1] if fitting else None


def all_kernels() -> Iterator[Kernel]:
    """Every kernel there is, by domain, op_type and version."""
    while _import_next():
        pass
    return registry.registered()


def _import_next() -> bool:
    """Whether there was one left."""
    family = next(_families(), None)
    if family is not None:
        import_module(f"{__package__}.{family}")
    return family is not None


@cache
def _families() -> Iterator[str]:
    """The modules of this package whose names have no leading underscore, each once."""
    modules = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    return iter(sorted((name for name in modules if not name.startswith("_")), key=_place))


def _place(family: str) -> tuple[int, str]:
    return (COMMON.index(family) if family in COMMON else len(COMMON), family)
