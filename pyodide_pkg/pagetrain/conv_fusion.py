"""fused(): Conv, the Add of a residual and the Relu or Clip behind it become one FusedConv, which writes over its own result.

activation(Conv(X, W, B) + Z) is what com.microsoft FusedConv-1 computes; onnxruntime makes the same chains into it when it optimises a
graph. Fewer arrays are made and gone through, and a backend can do all of it while a result is in registers. Other activations of FusedConv
stay apart: they need an array of their own anyway, and no backend has them in registers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from . import kernels
from .graph import MS_DOMAIN, ONNX_DOMAIN, TensorType

if TYPE_CHECKING:
    from .plan import Step

_CLAMPS = ("Clip", "Relu")


def fused(steps: Sequence[Step], kept: Collection[str], constants: Mapping[str, Any], types: Mapping[str, TensorType]) -> list[Step]:
    """The steps, each such chain in the place of its last one.

    kept: values that are wanted. A chain ends with a value that somebody else reads or wants, too, such as what the activation's gradient
    needs. A residual is joined where the graph does not say that it is of another shape than what it is added to.
    """
    readers = Counter([*kept, *(name for step in steps for name in step.reads)])
    result: list[Step] = []
    convolutions: dict[str, int] = {}  # value that one step alone reads -> the place in `result` of the convolution that makes it
    joined = set()
    for step in steps:
        source = max((name for name in step.inputs if name in convolutions), key=convolutions.__getitem__, default="")
        longer = _longer(result[convolutions[source]], step, source, constants, types) if source else None
        if longer is not None:
            joined.add(source)
        made = step if longer is None else longer
        if made.kernel.op_type in ("Conv", "FusedConv") and readers[made.outputs[0]] == 1:
            convolutions[made.outputs[0]] = len(result)
        result.append(made)
    return [step for step in result if joined.isdisjoint(step.outputs)]


def _longer(conv: Step, step: Step, source: str, constants: Mapping[str, Any], types: Mapping[str, TensorType]) -> Step | None:
    """The convolution that does what `step` does with its result `source`, too; None where FusedConv has no place for it."""
    if step.kernel.domain != ONNX_DOMAIN or conv.attributes.get("activation"):
        return None
    if step.kernel.op_type == "Add":
        return _with_residual(conv, step, source, constants, types)
    parameters = _parameters(step, constants) if step.inputs[0] == source and step.kernel.op_type in _CLAMPS else None
    if parameters is None:
        return None
    return _joined(conv, step, conv.inputs, {"activation": step.kernel.op_type, "activation_params": parameters})


def _with_residual(conv: Step, step: Step, source: str, constants: Mapping[str, Any], types: Mapping[str, TensorType]) -> Step | None:
    residual = step.inputs[1 if step.inputs[0] == source else 0]
    shapes = {types[name].shape for name in (source, residual) if name in types}
    if len(conv.inputs) > 3 or residual in constants or len(shapes) > 1 or conv.attributes.get("group", 1) > 1:
        return None
    return _joined(conv, step, (*conv.inputs, *[""] * (3 - len(conv.inputs)), residual), {})


def _parameters(step: Step, constants: Mapping[str, Any]) -> tuple[float, ...] | None:
    """The activation's parameters as FusedConv has them; None where they are not known before the step runs."""
    if step.kernel.op_type == "Relu":
        return ()
    given = {**(getattr(step.kernel.run, "__kwdefaults__", None) or {}), **step.attributes}
    for place, name in zip(("min", "max"), step.inputs[1:], strict=False):
        bound = constants.get(name)
        if name and (bound is None or bound.size != 1 or bound.dtype.kind != "f"):
            return None
        given |= {place: bound.item()} if bound is not None else {}
    return given.get("min", -inf), given.get("max", inf)


def _joined(conv: Step, step: Step, inputs: tuple[str, ...], attributes: Mapping[str, Any]) -> Step:
    kernel = kernels.find(MS_DOMAIN, "FusedConv", 1)
    assert kernel is not None
    label = f"{conv.label} + {step.label}"
    return replace(conv, kernel=kernel, inputs=inputs, outputs=step.outputs, attributes={**conv.attributes, **attributes}, label=label)
