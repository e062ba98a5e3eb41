"""joined(): the nodes that are Clip's gradient in a training graph become one step, which needs no array of ones and zeros in floats.

Builders write dX = dY Cast(X >= min and X <= max), by GreaterOrEqual, LessOrEqual, And, Cast and Mul; with one bound, by one comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .graph import ONNX_DOMAIN
from .kernels import Kernel
from .kernels.masked import masked
from .kernels.spare import Spare, room_alike

if TYPE_CHECKING:
    from .plan import Step

_BOUNDS = {"GreaterOrEqual": "min", "LessOrEqual": "max"}  # comparison of X with a bound -> which one


def clip_gradient(
    dY: np.ndarray,
    X: np.ndarray,
    *,
    min: float = -inf,  # noqa: A002 - as Clip's
    max: float = inf,  # noqa: A002
    spare: Spare = (),
) -> tuple[np.ndarray]:
    """dX = dY where min <= X <= max, else 0: also where dY is not finite, which times 0 would be NaN."""
    inside = min <= X
    inside &= max >= X
    return (masked(dY, inside, room_alike(spare, dY, X)),)


# It is no op that a file could hold, so it is not registered.
CLIP_GRADIENT = Kernel("pagetrain", "ClipGradient", 1, clip_gradient, frozenset(["min", "max"]), workspace=0.5, spares=(0, 1))


def joined(steps: Sequence[Step], kept: Collection[str], constants: Mapping[str, Any]) -> list[Step]:
    """The steps, each such group in the place of its Mul. kept: values that are wanted; a group has none that others read or want."""
    readers = Counter([*kept, *(name for step in steps for name in step.reads)])
    makers = {step.outputs[0]: step for step in steps if len(step.outputs) == 1 and readers[step.outputs[0]] == 1}
    result: list[Step] = []
    dropped: set[str] = set()
    for step in steps:
        group = _group(step, makers, constants)
        if group is None:
            result.append(step)
        else:
            made, inner = group
            result.append(made)
            dropped |= inner
    return [step for step in result if dropped.isdisjoint(step.outputs)]


def _group(step: Step, makers: Mapping[str, Step], constants: Mapping[str, Any]) -> tuple[Step, set[str]] | None:
    """The one step for a Mul, and the values that nobody makes any more."""
    if not _is(step, "Mul") or len(step.inputs) != 2:
        return None
    for dY, mask in (step.inputs, step.inputs[::-1]):
        cast = makers.get(mask)
        if cast is not None and _is(cast, "Cast") and (found := _interval(cast.inputs[0], makers, constants)):
            X, bounds, inner = found
            label = f"{step.label}, a gradient of Clip"
            return replace(step, kernel=CLIP_GRADIENT, inputs=(dY, X), attributes=bounds, label=label), {mask, *inner}
    return None


def _interval(name: str, makers: Mapping[str, Step], constants: Mapping[str, Any]) -> tuple[str, dict[str, float], set[str]] | None:
    """(X, bounds, values that are made for it) if `name` tells whether X is between the bounds."""
    made = makers.get(name)
    if made is None:
        return None
    if _is(made, "And"):
        sides = [_interval(side, makers, constants) for side in made.inputs]
        if sides[0] is None or sides[1] is None or sides[0][0] != sides[1][0] or not sides[0][1].keys().isdisjoint(sides[1][1]):
            return None
        return sides[0][0], sides[0][1] | sides[1][1], {name} | sides[0][2] | sides[1][2]
    which = _BOUNDS.get(made.kernel.op_type) if made.kernel.domain == ONNX_DOMAIN else None
    bound = constants.get(made.inputs[1]) if which else None
    if which is None or bound is None or bound.size != 1 or bound.dtype.kind != "f":
        return None
    return made.inputs[0], {which: bound.item()}, {name}


def _is(step: Step, op_type: str) -> bool:
    return step.kernel.op_type == op_type and step.kernel.domain == ONNX_DOMAIN
