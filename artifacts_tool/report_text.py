"""The reports of check and inspect as text for people; as JSON they are their dataclasses."""

from __future__ import annotations

from collections.abc import Iterator

from pagetrain.graph import Shape

from .check.report import Cached, Report
from .inspection import Inspection
from .value_types import shape_text


def check_text(report: Report) -> str:
    """The verdict, what is in the way with its fix, notes, what would train, the frozen prefix, sizes."""
    return "\n".join(_check_lines(report))


def _check_lines(report: Report) -> Iterator[str]:
    if report.ready:
        yield "ready to train"
    else:
        yield f"{len(report.blockers)} things in the way:" if len(report.blockers) > 1 else "1 thing in the way:"
    yield from blocker_lines(report)
    yield from (f"note: {note}" for note in report.notes)
    yield training_text(report)


def training_text(report: Report) -> str:
    """What would train, the frozen prefix, sizes."""
    return "\n".join(_training_lines(report))


def _training_lines(report: Report) -> Iterator[str]:
    labels = f", with the input {report.labels!r}" if report.labels else ""
    because = (
        f" ({report.scored_because})" if report.scored_because and not any(report.scored_because in note for note in report.notes) else ""
    )
    yield f"loss: {report.loss or 'the value itself'} on {report.scored!r}{because}{labels}"
    share = 100 * report.trainable_parameters / max(report.total_parameters, 1)
    yield f"trains {report.trainable_parameters:,} of {report.total_parameters:,} parameters ({share:.3g} %):"
    for weight in report.trainable:
        yield f"  {weight.name} {shape_text(weight.shape)}" + (f"  of {weight.op} {weight.node!r}" if weight.op else "")
    yield from _prefix_lines(report)
    if report.checkpoint_bytes is not None and report.download_bytes is not None:
        yield f"the checkpoint has {size_text(report.checkpoint_bytes)}; a page downloads about {size_text(report.download_bytes)}"


def blocker_lines(report: Report) -> Iterator[str]:
    """One line for each thing in the way."""
    for number, blocker in enumerate(report.blockers, 1):
        where = f"{blocker.op} {blocker.node!r}: " if blocker.op else ""
        yield f"  {number}. {where}{blocker.why}. Fix: {blocker.fix}."


def _prefix_lines(report: Report) -> Iterator[str]:
    together: dict[object, list[Cached]] = {}  # those of which the same unknown sizes have to be said
    for cached in report.prefix:
        together.setdefault((cached.for_gradients, cached.open_sizes, cached.bytes is None or cached.value), []).append(cached)
    for alike in together.values():
        what = "the gradients need" if alike[0].for_gradients else "the frozen prefix ends at"
        values = ", ".join(f"{cached.value!r} {shape_text(cached.shape)}" for cached in alike)
        yield f"{what} {values}: {_cached_text(alike[0])}"
    sizes = [cached.bytes for cached in report.prefix if cached.bytes is not None]
    if len(sizes) > 1 and len(sizes) == len(report.prefix):
        yield f"to keep for each example: {size_text(sum(sizes))}"
    if report.ready and not report.prefix:
        yield "there is no frozen prefix: nothing of an example can be computed once and kept"


def _cached_text(cached: Cached) -> str:
    if cached.bytes is None:
        named = f" ({', '.join(cached.open_sizes)})" if cached.open_sizes else ""
        return f"how much there is to keep for each example depends on open sizes of the input{named}"
    return f"{cached.elements:,} numbers, {size_text(cached.bytes)} to keep for each example"


def size_text(size: int) -> str:
    """1,234 bytes, with the megabytes if there are any."""
    return f"{size:,} bytes" + (f" ({size / 1e6:.1f} MB)" if size >= 100_000 else "")


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
        yield f"  {_op_text(op.op)} {op.count}" + (f"; {', '.join(lacks)}" if lacks else "")
    yield f"{len(found.layers)} layers with weights, {found.parameters:,} parameters:"
    for number, layer in enumerate(reversed(found.layers), 1):
        weights = ", ".join(f"{name} {shape_text(shape)}" for name, shape in layer.weights.items())
        yield f"  last:{number} {layer.op} {layer.node!r}: {weights}"
    if count := len(found.trainable):
        yield f"--trainable means {count} weight{'s' * (count > 1)}: {', '.join(found.trainable)}"


def _op_text(op: str) -> str:
    """ ":Add:14" -> "Add-14", "ai.onnx.ml:Scaler:1" -> "ai.onnx.ml.Scaler-1"."""
    domain, op_type, version = op.rsplit(":", 2)
    return f"{domain}.{op_type}-{version}".lstrip(".")


def _value_line(word: str, name: str, element: str, shape: Shape | None) -> str:
    return f"{word} {name!r}: {element} {shape_text(shape)}"
