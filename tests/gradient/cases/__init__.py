"""The one table of gradient cases, by families."""

from . import (
    activation,
    conv,
    elementwise,
    gelu,
    layout,
    linear,
    loss,
    pool,
    rectifier,
    sigmoid,
    unary,
)

FAMILIES = (
    activation,
    conv,
    elementwise,
    gelu,
    layout,
    linear,
    loss,
    pool,
    rectifier,
    sigmoid,
    unary,
)
ALL = tuple(case for family in FAMILIES for case in family.CASES)
