"""The ops, one numpy function each, in families; _families.py says which op lies where. The other modules are what kernels share."""

from ._families import all_kernels, families, find, unsupported
from ._runner import reference_of, runner_of
from .dropout import set_seed
from .registry import FAILURES, Kernel, Memory, Spec, op_id

__all__ = [
    "FAILURES",
    "Kernel",
    "Memory",
    "Spec",
    "all_kernels",
    "families",
    "find",
    "op_id",
    "reference_of",
    "runner_of",
    "set_seed",
    "unsupported",
]
