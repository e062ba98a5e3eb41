"""run(plan, feeds): the loop. Knows no op names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import InvalidInputError
from .plan import Plan


def run(plan: Plan, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """One pass over a bound plan; returns {name: value} for the plan's fetches, in their order.

    feeds: {value name: array, or list of arrays for a sequence}, at least `plan.inputs`; others are ignored. Arrays that a step is declared
    to mutate (gradient buffers, parameters) are written in place; all others are left alone. Each value is let go after its last use.
    Results may be views of feeds. Raises InvalidInputError when a feed is missing.
    """
    missing = [name for name in plan.inputs if name not in feeds]
    if missing:
        raise InvalidInputError(f"The graph {plan.name!r} needs the inputs {missing} as well; got {sorted(feeds)}.")
    values: dict[str, Any] = {"": None, **plan.initializers, **{name: feeds[name] for name in plan.inputs}}
    for step in plan.steps:
        outputs = step.run(*[values[name] for name in step.inputs], **step.attributes)
        for name, value in zip(step.outputs, outputs, strict=False):  # a node may drop trailing outputs or leave one ""
            if name:
                values[name] = value
        for name in step.dead:
            del values[name]
    return {name: values[name] for name in plan.fetches}
