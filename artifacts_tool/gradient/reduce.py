"""Undoing a broadcast: the gradient of a smaller operand is the sum over the axes it was stretched along."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, ElementType, Shape, TensorType

from .expression import zeros_as
from .scope import Scope

EXPAND_SINCE = 8
AXES_ARE_AN_INPUT_SINCE = 13


def sum_to(s: Scope, gradient: str, big: Shape | None, target: str, output: str, helper: str) -> str:
    """output = `gradient` (of shape `big`) summed to the shape of the forward value `target`; Identity if that is the same.

    Sizes with the same symbolic name are equal; others (shape inference makes up names, too) and unknown ranks are compared at run time.
    helper: name suffix for what stands between. Raises InvalidInputError where the operand has more axes than the result.
    """
    small = s.shape_if_known(target)
    if big is None or small is None:
        return _sum_to_at_run_time(s, gradient, target, output, helper)
    lead = len(big) - len(small)
    if lead < 0:
        raise InvalidInputError(f"{s.node.label}: {target!r} has more axes than the result; reshape it first.")
    if any(size is None or (isinstance(size, str) and size != big[lead + axis]) for axis, size in enumerate(small)):
        return _sum_to_at_run_time(s, gradient, target, output, helper)
    stretched = tuple(lead + axis for axis, size in enumerate(small) if size == 1 and big[lead + axis] != 1)
    if not lead and not stretched:
        return s.emit("Identity", [gradient], [output])
    if not stretched:
        return reduce_sum(s, gradient, tuple(range(lead)), output, helper, keepdims=0)
    axes = (*range(lead), *stretched)
    if not lead:
        return reduce_sum(s, gradient, axes, output, helper, keepdims=1)
    kept = reduce_sum(s, gradient, axes, s.helper(f"{helper}_kept"), helper, keepdims=1)
    shape = s.emit("Shape", [target], [s.helper(f"{helper}_shape")])
    return s.emit("Reshape", [kept, shape], [output])


def _sum_to_at_run_time(s: Scope, gradient: str, target: str, output: str, helper: str) -> str:
    """The axes are those of the gradient's shape that BroadcastGradientArgs finds stretched."""
    wanted = s.emit("Shape", [target], [s.helper(f"{helper}_shape")])
    given = s.emit("Shape", [gradient], [s.helper(f"{helper}_gradient_shape")])
    axes = s.helper(f"{helper}_axes", TensorType(ElementType.INT64, (None,)))
    s.emit("BroadcastGradientArgs", [wanted, given], [axes], domain=MS_DOMAIN)
    domain, op_type = ("", "ReduceSum") if s.opset >= AXES_ARE_AN_INPUT_SINCE else (MS_DOMAIN, "ReduceSumTraining")
    kept = s.helper(f"{helper}_kept", TensorType(s.element(target)))
    s.emit(op_type, [gradient, axes], [kept], domain=domain, keepdims=1, noop_with_empty_axes=1)
    return s.emit("Reshape", [kept, wanted], [output])


def reduce_sum(s: Scope, x: str, axes: tuple[int, ...], output: str, helper: str, keepdims: int) -> str:
    """output = x summed over `axes`. helper: name suffix for the axes where they are an input."""
    if s.opset < AXES_ARE_AN_INPUT_SINCE:
        return s.emit("ReduceSum", [x], [output], axes=axes, keepdims=keepdims)
    constant = s.constant(f"ReduceAxes_for_{helper}", np.array(axes, dtype=np.int64))
    return s.emit("ReduceSum", [x, constant], [output], keepdims=keepdims)


def spread_over_input(s: Scope, value: str) -> None:
    """dX = `value` in the shape of X. Before Expand (opset 8) zeros of that shape are added."""
    if s.opset >= EXPAND_SINCE:
        s.emit("Expand", [value, s.emit("Shape", [s.I(0)], [s.helper("x_shape")])], [s.GI(0)])
    else:
        s.emit("Add", [value, zeros_as(s, s.I(0), s.I(0), "zeros")], [s.GI(0)])
