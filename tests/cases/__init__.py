"""The one table of op cases; see case.py."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from .case import Case

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
FAMILIES: tuple[ModuleType, ...] = tuple(module for module in _MODULES if hasattr(module, "CASES"))
ALL: tuple[Case, ...] = tuple(case for family in FAMILIES for case in family.CASES)
COMPARED: tuple[Case, ...] = tuple(case for case in ALL if case.oracle != "none")


def file_of(family: ModuleType) -> str:
    """The file in data/oracle that holds what the oracles computed for a family's cases."""
    return f"{family.__name__.rpartition('.')[2]}.npz"
