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
    reduction,
    sigmoid,
    unary,
    variadic,
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
    reduction,
    sigmoid,
    unary,
    variadic,
)
ALL = tuple(case for family in FAMILIES for case in family.CASES)
