"""What will happen in training that is worth knowing before: Dropout, BatchNormalization, shared weights, ONNX Runtime's own trainer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pagetrain.graph import ELEMENT_TYPES, MS_DOMAIN, Node

from ..assembly import Assembled
from ..gradient.path import FLOAT_TYPES
from ..half_precision import HALVES
from ..layers import layers_of, origins
from ..mode import BY_BATCH_STATISTICS
from .report import listed
from .subject import Subject

ORT = "ONNX Runtime 1.19.2"
ORT_NEWEST_OPSET = 21
ORT_NEWEST_IR = 10
ORT_HAS_NO_KERNEL = ("ConvTransposeGrad",)


def dropping(subject: Subject) -> Iterator[str]:
    """Which Dropout nodes drop."""
    values = {tensor.name: tensor.data for tensor in subject.graph.initializers}
    nodes = [node for node in subject.upstream if node.op_type == "Dropout" and not _is_off(node, values, 1)]
    path = {id(node) for node in subject.path.nodes}
    active = [node for node in nodes if len(node.inputs) > 2 and node.inputs[2] and not _is_off(node, values, 2)]
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


def _is_off(node: Node, values: Mapping[str, np.ndarray], index: int) -> bool:
    """Whether the input (ratio, training_mode) is a constant 0."""
    found = values.get(node.inputs[index]) if index < len(node.inputs) else None
    return found is not None and not np.any(found)


def partial(subject: Subject) -> Iterator[str]:
    """Layers of which only vectors are trained: a pattern may have missed a matrix that the exporter renamed."""
    graph = subject.model.graph
    matrices = {tensor.name for tensor in graph.initializers if sum(size > 1 for size in tensor.data.shape) > 1}
    found: dict[str, str] = {}
    for layer in layers_of(graph):
        chosen = [name for name in layer.weights if name in subject.chosen]
        left = [name for name in layer.weights if name in matrices and name not in subject.chosen]
        if chosen and left and not matrices.intersection(chosen):
            found[chosen[0]] = left[0]
    if found:
        without = "trains without the matrix of its layer" if len(found) == 1 else "train without the matrices of their layers"
        biases, weights = listed(list(found)), listed(list(found.values()))
        yield f"{biases} {without}, {weights}: exporters rename weights, and `inspect` lists them layer by layer"


def shared(subject: Subject) -> Iterator[str]:
    """Weights that several nodes read, directly or through an Identity, Transpose or the like."""
    found = {name: nodes for name, nodes in _uses(subject).items() if len(nodes) > 1}
    if not found:
        return
    first = next(iter(found))
    readers = ", ".join(f"{node.label}" for node in found[first][:3])
    more = f" and {len(found[first]) - 3} more" if len(found[first]) > 3 else ""
    several = ""
    if others := list(found)[1:]:
        several = (
            f"; so is {listed(others)}, by nodes of its own" if len(others) == 1 else f"; so are {listed(others)}, by nodes of their own"
        )
    yield f"{first!r} is shared by {readers}{more}{several}: a shared weight is one weight, and its gradient is the sum of theirs"
    values = {tensor.name: tensor.data for tensor in subject.model.graph.initializers}
    if alike := [name for name in found if values[name].size > 1 and (values[name] == values[name].flat[0]).all()]:
        are = "holds one number throughout" if len(alike) == 1 else "hold one number throughout, each its own"
        yield f"{listed(alike)} {are}: separate weights that were equal when the model was exported may have been merged into it"


def _uses(subject: Subject) -> dict[str, list[Node]]:
    """{chosen weight: the nodes that compute with it}."""
    origin = origins(subject.model.graph)
    found: dict[str, list[Node]] = {name: [] for name in subject.chosen}
    for node in subject.model.graph.nodes:
        if any(name in origin for name in node.outputs):
            continue  # it only hands the weight on
        for name in dict.fromkeys(origin[name] for name in node.inputs if name in origin):
            if name in found:
                found[name].append(node)
    return found


def wrapped(subject: Subject) -> Iterator[str]:
    """Weights that stand behind a Transpose or the like: the one that the file holds is trained. In another type it is the same."""
    origin = origins(subject.model.graph)
    found = {
        origin[node.outputs[0]]: node
        for node in subject.model.graph.nodes
        if node.op_type not in ("Identity", "Cast") and node.outputs and origin.get(node.outputs[0]) in subject.chosen
    }
    for name, node in list(found.items())[:3]:
        yield f"{name!r} is used through {node.label}; it is trained in the form in which the file holds it"


def elsewhere(artifacts: Assembled) -> Iterator[str]:
    """What keeps the real trainer from these artifacts."""
    made = artifacts.training_model
    if narrow := [one.name for one in artifacts.parameters if one.type.element in HALVES]:
        kinds = "frozen parameters of half precision; with --store-frozen float16 it can, where they are float16"
        yield f"{ORT} cannot read this checkpoint (pagetrain can): {listed(narrow)} are {kinds}"
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


def not_numbers(subject: Subject) -> Iterator[str]:
    """Weights with values that no training repairs. The least and the greatest are finite only if all are, and NaN spreads to both."""
    floats = [tensor for tensor in subject.model.graph.initializers if ELEMENT_TYPES[tensor.data.dtype] in FLOAT_TYPES and tensor.data.size]
    if names := [t.name for t in floats if not (np.isfinite(t.data.min()) and np.isfinite(t.data.max()))]:
        yield f"{listed(names)}: holds NaN or infinite values, which may spread to the loss and to all weights; export the model again"


def _nodes(nodes: Sequence[Node]) -> str:
    more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
    return f"{nodes[0].label}{more}"
