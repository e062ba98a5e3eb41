"""The ops, one numpy function each; every module here whose name has no leading underscore is a family of them."""

from ._families import all_kernels, find
from ._runner import reference_of, runner_of
from .dropout import set_seed
from .registry import FAILURES, Kernel, Memory, Spec, op_id

__all__ = ["FAILURES", "Kernel", "Memory", "Spec", "all_kernels", "find", "op_id", "reference_of", "runner_of", "set_seed"]
