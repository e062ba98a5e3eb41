"""The reports of check and inspect as text for people; as JSON they are their dataclasses."""

from __future__ import annotations

from collections.abc import Iterator

from pagetrain.graph import Shape

from .check import Cached, Report
from .inspection import Inspection
from .value_types import shape_text


def check_text(report: Report) -> str:
    """Loss, what would train, the frozen prefix, notes, and every blocker with its fix."""
    return "\n".join(_check_lines(report))


def _check_lines(report: Report) -> Iterator[str]:
    yield f"loss: {report.loss} on {report.scored!r}"
    yield f"trains {report.trainable_parameters:,} of {report.total_parameters:,} parameters:"
    yield from (f"  {name} {shape_text(shape)}" for name, shape in report.trainable.items())
    for cached in report.prefix:
        yield f"the frozen prefix ends at {cached.value!r} {shape_text(cached.shape)}: {_size(cached)}"
    yield from (f"note: {note}" for note in report.notes)
    if not report.blockers:
        yield "ready to train"
        return
    yield f"{len(report.blockers)} in the way:" if len(report.blockers) > 1 else "1 thing in the way:"
    for number, blocker in enumerate(report.blockers, 1):
        where = f"{blocker.op} {blocker.node!r}: " if blocker.op else ""
        yield f"  {number}. {where}{blocker.why}. Fix: {blocker.fix}."


def _size(cached: Cached) -> str:
    if cached.elements is None:
        return "its size depends on the input's"
    return f"{cached.elements:,} numbers, {cached.bytes:,} bytes cached per input"


def inspect_text(found: Inspection) -> str:
    """Interface, ops with what they can do, layers with weights."""
    return "\n".join(_inspect_lines(found))


def _inspect_lines(found: Inspection) -> Iterator[str]:
    opsets = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in found.opsets.items())
    yield f"{found.producer or 'unknown producer'}; IR version {found.ir_version}; opsets {opsets}"
    for word, values in (("input", found.inputs), ("output", found.outputs)):
        yield from (_value_line(word, name, element, shape) for name, (element, shape) in values.items())
    yield "ops (count; what cannot be run or trained):"
    for op in found.ops:
        lacks = [word for word, has in (("no kernel", op.runs), ("no gradient", op.trains)) if not has]
        yield f"  {op.op} {op.count}" + (f"; {', '.join(lacks)}" if lacks else "")
    yield f"{len(found.layers)} layers with weights, {found.parameters:,} parameters:"
    for number, layer in enumerate(reversed(found.layers), 1):
        weights = ", ".join(f"{name} {shape_text(shape)}" for name, shape in layer.weights.items())
        yield f"  last:{number} {layer.op} {layer.node!r}: {weights}"


def _value_line(word: str, name: str, element: str, shape: Shape | None) -> str:
    return f"{word} {name!r}: {element} {shape_text(shape)}"
