"""The ops, one numpy function each. Importing this package registers them all."""

from . import activation, conv, elementwise, gelu, layout, linear, loss, pool, rectifier, reduce, sigmoid, training, unary  # noqa: F401  (import = registration)
from .registry import Kernel, all_kernels, find, op_id

__all__ = ["Kernel", "all_kernels", "find", "op_id"]
