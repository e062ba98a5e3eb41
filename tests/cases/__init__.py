"""The one table of op cases; see case.py."""

from types import ModuleType

from . import (
    activation,
    average_pool,
    conv,
    creation,
    elementwise,
    gather,
    gelu,
    layout,
    linear,
    loss,
    max_pool,
    order,
    pad,
    parts,
    pool,
    rearrange,
    rectifier,
    reduce,
    scatter,
    sigmoid,
    training,
    unary,
)
from .case import Case

FAMILIES = (
    activation,
    average_pool,
    conv,
    creation,
    elementwise,
    gather,
    gelu,
    layout,
    linear,
    loss,
    max_pool,
    order,
    pad,
    parts,
    pool,
    rearrange,
    rectifier,
    reduce,
    scatter,
    sigmoid,
    training,
    unary,
)
ALL: tuple[Case, ...] = tuple(case for family in FAMILIES for case in family.CASES)
COMPARED: tuple[Case, ...] = tuple(case for case in ALL if case.oracle != "none")


def file_of(family: ModuleType) -> str:
    """The file in data/oracle that holds what the oracles computed for a family's cases."""
    return f"{family.__name__.rpartition('.')[2]}.npz"
