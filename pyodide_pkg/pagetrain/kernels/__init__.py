"""The ops, one numpy function each. Importing this package registers them all."""

from . import activation, conv, elementwise, layout, linear, loss, pool, reduce, training  # noqa: F401  (import = registration)
from .registry import Kernel, all_kernels, find, op_id

__all__ = ["Kernel", "all_kernels", "find", "op_id"]
