"""The ops, one numpy function each. Importing this package registers them all: every module in it whose name has no leading underscore."""

from importlib import import_module
from pkgutil import iter_modules

from ._runner import reference_of, runner_of
from .dropout import set_seed
from .registry import FAILURES, Kernel, Memory, Spec, all_kernels, find, op_id

for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        import_module(f"{__name__}.{_module.name}")

__all__ = ["FAILURES", "Kernel", "Memory", "Spec", "all_kernels", "find", "op_id", "reference_of", "runner_of", "set_seed"]
