"""What will happen in training that is worth knowing before: Dropout, BatchNormalization, shared weights, ONNX Runtime's own trainer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pagetrain.graph import MS_DOMAIN, Model, Node

from ..half_precision import HALVES
from ..layers import origins
from ..mode import BY_BATCH_STATISTICS
from .report import listed
from .subject import Subject

ORT = "ONNX Runtime 1.19.2"
ORT_NEWEST_OPSET = 21
ORT_NEWEST_IR = 10
ORT_HAS_NO_KERNEL = ("ConvTransposeGrad",)


def dropping(subject: Subject) -> Iterator[str]:
    """Which Dropout nodes drop."""
    nodes = [node for node in subject.upstream if node.op_type == "Dropout"]
    path = {id(node) for node in subject.path.nodes}
    active = [node for node in nodes if _drops(subject, node)]
    if drops := [node for node in active if id(node) in path]:
        yield f"{_nodes(drops)}: drops in training, as exported, and not in evaluation"
    if frozen := [node for node in active if id(node) not in path]:
        yield f"{_nodes(frozen)}: exported to drop, but before all that is trained, so nothing is dropped there"
    if off := [node for node in nodes if node not in active]:
        yield f"{_nodes(off)}: exported for evaluation, so nothing is dropped there in training either"


def normalizing(subject: Subject) -> Iterator[str]:
    """Which BatchNormalization nodes go by the statistics of the batch."""
    before = {node.outputs[0]: node for node in subject.model.graph.nodes if node.op_type == "BatchNormalization"}
    moving = [before[node.outputs[0]] for node in subject.upstream if node.op_type == BY_BATCH_STATISTICS]
    if moving:
        why = "as --batch-statistics says" if subject.request.batch_statistics else "as exported (in training mode)"
        yield (
            f"{_nodes(moving)}: goes by the statistics of each batch in training, {why}, and changes the running ones; a batch of one "
            "example teaches nothing there, and no frozen prefix reaches behind it"
        )


def _drops(subject: Subject, node: Node) -> bool:
    if len(node.inputs) < 3 or not node.inputs[2]:
        return False
    known = {tensor.name: tensor.data for tensor in subject.graph.initializers}.get(node.inputs[2])
    return known is None or bool(np.any(known))


def shared(subject: Subject) -> Iterator[str]:
    """Weights that several nodes read, or one through a Transpose and the like."""
    origin = origins(subject.model.graph)
    uses: dict[str, list[Node]] = {}
    for node in subject.model.graph.nodes:
        if not any(name in origin for name in node.outputs):  # those only hand the weight on
            for name in dict.fromkeys(origin[name] for name in node.inputs if name in origin):
                uses.setdefault(name, []).append(node)
    for name in subject.chosen:
        if len(found := uses.get(name, [])) > 1:
            readers = ", ".join(f"{node.op_type} {node.name!r}" for node in found[:5])
            more = f" and {len(found) - 5} more" if len(found) > 5 else ""
            yield f"{name!r} is shared by {readers}{more}: there is one of it, and its gradient is the sum of theirs"


def wrapped(subject: Subject) -> Iterator[str]:
    """Weights that stand behind a Transpose or the like: the one that the file holds is trained."""
    for node in subject.model.graph.nodes:
        origin = origins(subject.model.graph)
        if node.outputs and node.outputs[0] in origin and origin[node.outputs[0]] in subject.chosen:
            yield f"{origin[node.outputs[0]]!r} is used through {node.op_type} {node.name!r}; it is trained as it stands in the file"


def elsewhere(made: Model) -> Iterator[str]:
    """What keeps the real trainer from these artifacts. made: the training model."""
    if (opset := made.opset_import.get("", 1)) > ORT_NEWEST_OPSET:
        yield f"{ORT} cannot load these artifacts (pagetrain can): opset {opset}, it knows {ORT_NEWEST_OPSET} at most"
    elif made.ir_version > ORT_NEWEST_IR:
        yield f"{ORT} cannot load the .onnx artifacts (pagetrain can): IR version {made.ir_version}, it knows {ORT_NEWEST_IR} at most"
    lacks = [node for node in made.graph.nodes if node.domain == MS_DOMAIN and node.op_type in ORT_HAS_NO_KERNEL]
    if lacks:
        yield f"{ORT} cannot run these artifacts (pagetrain can): it has no kernel for {lacks[0].op_type}"


def halves(subject: Subject) -> Iterator[str]:
    """Trained weights of half precision."""
    kinds = {name: subject.types[name].element for name in subject.chosen if name in subject.types}
    for kind in HALVES:
        if names := [name for name, element in kinds.items() if element == kind]:
            yield f"{listed(names)}: {kind.name.lower()} in the model, float32 in training, so that small steps are not lost"


def _nodes(nodes: Sequence[Node]) -> str:
    more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
    return f"{nodes[0].op_type} {nodes[0].name!r}{more}"
