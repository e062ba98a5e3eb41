"""The ops, one numpy function each. Importing this package registers them all."""

from . import (  # noqa: F401  (import = registration)
    activation,
    along_axis,
    average_pool,
    batch_norm,
    bits,
    broadcast,
    conv,
    conv_transpose,
    creation,
    dropout,
    einsum,
    elementwise,
    gather,
    gelu,
    group_norm,
    hyperbolic,
    layer_norm,
    layout,
    linear,
    loss,
    max_pool,
    ml,
    order,
    pad,
    parts,
    pool,
    rearrange,
    rectifier,
    recurrent,
    reduce,
    resize,
    scatter,
    sigmoid,
    training,
    unary,
    variadic,
)
from .dropout import set_seed
from .registry import Kernel, all_kernels, find, op_id

__all__ = ["Kernel", "all_kernels", "find", "op_id", "set_seed"]
