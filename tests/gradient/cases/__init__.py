"""The one table of gradient cases, by families."""

from . import (
    activation,
    average_pool,
    conv,
    elementwise,
    gelu,
    layout,
    linear,
    loss,
    max_pool,
    pool,
    rectifier,
    reduction,
    sigmoid,
    unary,
    variadic,
)

FAMILIES = (
    activation,
    average_pool,
    conv,
    elementwise,
    gelu,
    layout,
    linear,
    loss,
    max_pool,
    pool,
    rectifier,
    reduction,
    sigmoid,
    unary,
    variadic,
)
ALL = tuple(case for family in FAMILIES for case in family.CASES)
