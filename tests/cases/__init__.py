"""The one table of op cases; see case.py."""

from types import ModuleType

from . import (
    activation,
    along_axis,
    average_pool,
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
    hyperbolic,
    layout,
    linear,
    loss,
    max_pool,
    ml,
    normalization,
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
from .case import Case

FAMILIES = (
    activation,
    along_axis,
    average_pool,
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
    hyperbolic,
    layout,
    linear,
    loss,
    max_pool,
    ml,
    normalization,
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
ALL: tuple[Case, ...] = tuple(case for family in FAMILIES for case in family.CASES)
COMPARED: tuple[Case, ...] = tuple(case for case in ALL if case.oracle != "none")


def file_of(family: ModuleType) -> str:
    """The file in data/oracle that holds what the oracles computed for a family's cases."""
    return f"{family.__name__.rpartition('.')[2]}.npz"
