"""The one table of gradient cases, by families."""

from . import activation, conv, elementwise, layout, linear, loss, pool

FAMILIES = (activation, conv, elementwise, layout, linear, loss, pool)
ALL = tuple(case for family in FAMILIES for case in family.CASES)
