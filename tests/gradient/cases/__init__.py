"""The one table of gradient cases, by families."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
FAMILIES: tuple[ModuleType, ...] = tuple(module for module in _MODULES if hasattr(module, "CASES"))
ALL = tuple(case for family in FAMILIES for case in family.CASES)
