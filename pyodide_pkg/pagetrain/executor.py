"""run(plan, feeds): the loop. Knows no op names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .errors import InvalidInputError
from .kernels import FAILURES
from .plan import Body, Plan, Step
from .spare_memory import unshared


def run(plan: Plan, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """One pass over a bound plan; returns {name: value} for the plan's fetches, in their order.

    feeds: {value name: array, or list of arrays for a sequence}, at least `plan.inputs`; others are ignored. Arrays that a step is declared
    to mutate (gradient buffers, parameters) are written in place; all others are left alone. Each value is let go after its last use.
    A kernel gets the sub-graphs among its attributes as functions of their inputs. Types and shapes of feeds are checked by those who take
    them from people (Module, InferenceSession; see api/input_check.py), not here.
    Results may be views of feeds. Raises InvalidInputError when a feed is missing.

    A result is a fresh array, or lies in an input that nobody else holds and whose last use this is, see spare_memory.py: that is for the
    memory. In time a fresh array costs nothing: in Pyodide one of 256 KB to 4.8 MB takes 0.5 microseconds, whatever its size (the heap
    gives back what was freed a moment ago, and no page is zeroed), and adding into it as long as adding with `out=`. For the 50 steps on a
    picture that is 30 microseconds of 35 milliseconds, so there is no pool of buffers.
    """
    values = _start(plan, feeds)
    with np.errstate(all="ignore"):  # IEEE results, as in ORT: log(0) is -inf, 0/0 is NaN; a diverged loss is the caller's to report
        return dict(zip(plan.fetches, _pass(plan, values), strict=True))


def first_non_finite(plan: Plan, feeds: Mapping[str, Any]) -> str | None:
    """Where NaN comes into a pass first, in words: an input, or an output of a node; where an infinity does, if there is no NaN.

    Nothing is changed: the pass runs on copies. feeds and what it raises: as run.
    """
    values = _start(plan, {name: np.array(feeds[name]) for name in plan.inputs if name in feeds})
    infinite = None
    with np.errstate(all="ignore"):
        for place, value in _places(plan, values):
            if np.isnan(value).any():
                return place
            infinite = infinite or (place if np.isinf(value).any() else None)
    return infinite


def _places(plan: Plan, values: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Every array of floats of a pass, with its place in words, as it is made."""
    for name in plan.inputs:
        if _is_floating(values[name]):
            yield f"input {name!r}", values[name]
    for step in plan.steps:
        made = _call(step, values)
        for name, value in zip(step.outputs, made, strict=False):
            if name and _is_floating(value):
                yield f"output {name!r} of {step.label}", value
        _settle(step, made, values)


def _is_floating(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and np.issubdtype(value.dtype, np.floating)


def _start(plan: Plan, feeds: Mapping[str, Any]) -> dict[str, Any]:
    missing = [name for name in plan.inputs if name not in feeds]
    if missing:
        raise InvalidInputError(f"The graph {plan.name!r} needs the inputs {missing} as well; got {sorted(feeds)}.")
    return {"": None, **plan.initializers, **{name: feeds[name] for name in plan.inputs}}


def _pass(plan: Plan, values: dict[str, Any]) -> tuple[Any, ...]:
    """The plan's fetches. values: whatever is there before; used up."""
    try:
        for step in plan.steps:
            _settle(step, _call(step, values), values)
        return tuple([values[name] for name in plan.results])
    except KeyError as error:
        raise InvalidInputError(f"The value {error} of the graph {plan.name!r} is read, but its op leaves that output out.") from error


def _settle(step: Step, made: tuple[Any, ...], values: dict[str, Any]) -> None:
    """Keeps what the step made, and lets go of what it used up."""
    for name, value in zip(step.outputs, made, strict=False):  # a kernel may leave outputs out at the end
        if name:
            values[name] = value
    for name in step.dead:
        values.pop(name, None)


def _call(step: Step, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The kernel's results; its complaints get the node's name."""
    inputs = [values[name] for name in step.inputs]
    attributes = step.attributes
    if step.bodies:
        attributes = {**attributes, **{name: _function(body, values) for name, body in step.bodies.items()}}
    if step.spare and (spare := unshared(values, inputs, step.spare)):
        attributes = {**attributes, "spare": spare}
    try:
        return step.run(*inputs, **attributes)
    except InvalidInputError as error:
        raise type(error)(f"{step.label}: {error}") from error
    except FAILURES as error:
        shapes = ", ".join(f"{name} {getattr(value, 'shape', '')}" for name, value in zip(step.inputs, inputs, strict=True) if name)
        raise InvalidInputError(f"{step.label} cannot run on {shapes}: {error}.") from error


def _function(body: Body, values: Mapping[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """The body as a function: its inputs in order -> its outputs."""
    outside = {"": None, **body.plan.initializers, **{name: values[name] for name in body.captured}}
    return lambda *inputs: _pass(body.plan, {**outside, **dict(zip(body.inputs, inputs, strict=True))})
