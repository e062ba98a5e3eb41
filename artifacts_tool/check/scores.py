"""The loss on a value of the wrong type or shape, or with labels under a name that the model uses."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from pagetrain.graph import ElementType, Graph, Node, Shape, TensorType

from ..custom_ops import is_known
from ..gradient.path import FLOAT_TYPES
from ..logits import makers, squashed_by
from ..loss import LossType
from ..more_types import is_said
from ..value_types import shape_text, value_types
from .report import Finding, finding
from .subject import upstream

BY_CLASSES = (LossType.CrossEntropyLoss,)
LABEL_TYPES = (ElementType.INT32, ElementType.INT64)


def misplaced(graph: Graph, loss: LossType, scored: str, labels: str) -> Iterator[Finding]:
    """Reasons why the loss cannot stand on `scored`; the graph is typed and has no loss yet."""
    types, node = value_types(graph), makers(graph).get(scored)
    known = types.get(scored)
    if known is None:
        yield _unknown(graph, types, scored)
    elif known.element not in FLOAT_TYPES:
        kind = known.element.name.lower()
        why = f"{scored!r}, which {loss.name} is to score, holds {kind} numbers: answers, not scores"
        proposed = scorable(graph, loss)[:2]
        yield finding(why, f"name scores with --loss-input-names{f', such as {_or(proposed)}' if proposed else ''}", node)
    elif loss in BY_CLASSES:
        yield from _not_by_class(graph, loss, scored, known.shape, node)
    yield from _taken(graph, types, loss, scored, labels)


def _unknown(graph: Graph, types: Mapping[str, TensorType], scored: str) -> Finding:
    if scored in makers(graph):
        why = f"the type of {scored!r}, which is to be scored, is not known, as that of an op that ONNX does not know"
        return finding(why, "declare it among the model's outputs, with its shape", makers(graph)[scored])
    near = difflib.get_close_matches(scored, types, 3)
    outputs = [value.name for value in graph.outputs]
    return finding(f"the model has no value {scored!r} to be scored", f"name one with --loss-input-names, such as {_or(near or outputs)}")


def _not_by_class(graph: Graph, loss: LossType, scored: str, shape: Shape | None, node: Node | None) -> Iterator[Finding]:
    needs = f"{loss.name} needs scores of shape (N, classes), but {scored!r} is"
    if shape is None:
        yield _of_unknown_rank(graph, scored, needs, node)
    elif len(shape) < 2:
        what = "one number for each example" if shape else "a single number"
        yield finding(f"{needs} {shape_text(shape)}, {what}", _for_one_number(graph, scored), node)
    elif shape[1] == 1:
        why = f"{needs} {shape_text(shape)}, a single class, whose loss is 0 whatever is learnt"
        yield finding(why, _for_one_number(graph, scored), node)


def _of_unknown_rank(graph: Graph, scored: str, needs: str, node: Node | None) -> Finding:
    unknown = next((one for one in upstream(graph, scored) if not is_known(one)), None)
    if unknown is not None:
        why = f"{needs} of unknown rank, as ONNX does not know the op {unknown.label} before it"
        return finding(why, "see to that op first", node)
    return finding(f"{needs} of unknown rank", "declare the shape of the model's output (symbolic sizes will do)", node)


def _for_one_number(graph: Graph, scored: str) -> str:
    last = squashed_by(graph, scored)
    before = f", which goes on {last.inputs[0]!r} before the {last.op_type}" if last else ""
    return f"take --loss BCEWithLogitsLoss for yes and no{before}, or MSELoss for a quantity"


def _taken(graph: Graph, types: Mapping[str, TensorType], loss: LossType, scored: str, labels: str) -> Iterator[Finding]:
    """An input of the right type may be meant to be the labels; anything else of that name is not."""
    made = makers(graph).get(labels)
    other = f"name the loss's labels otherwise, --loss-input-names {scored},{labels}_of_loss"
    if made is not None or any(tensor.name == labels for tensor in graph.initializers):
        yield finding(f"the model has a value {labels!r} of its own, which {loss.name} would take for its labels", other, made)
    elif any(value.name == labels for value in graph.inputs) and loss in BY_CLASSES and types[labels].element not in LABEL_TYPES:
        kind = types[labels].element.name.lower()
        yield finding(f"the model's input {labels!r} holds {kind} numbers, but {loss.name} would take it for its labels", other)


def scorable(graph: Graph, loss: LossType) -> list[str]:
    """Outputs and, before them, the last values of floats that could be scores."""
    types = value_types(graph)
    order = [*(value.name for value in graph.outputs), *(name for node in reversed(graph.nodes) for name in node.outputs)]
    fit = [name for name in dict.fromkeys(order) if name in types and types[name].element in FLOAT_TYPES]
    if loss in BY_CLASSES:
        fit = [name for name in fit if len(types[name].shape or ()) > 1]
    return fit


def _or(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names))


def remarks(graph: Graph, loss: LossType | None, scored: str, labels: str) -> Iterator[str]:
    """What is worth knowing about the scores though it does not stand in the way."""
    shape = getattr(value_types(graph).get(scored), "shape", None)
    if loss is None and shape and any(size != 1 for size in shape):
        yield f"{scored!r} is taken for the loss itself, but is {shape_text(shape)}, not one number: what falls in training is the sum"
        return
    if any(value.name == labels for value in graph.inputs):
        yield f"the model's own input {labels!r} is taken for the labels of the loss"
    if shape and len(shape) > 1 and loss in BY_CLASSES:
        if not isinstance(shape[1], int):
            name = f" ({shape[1]})" if is_said(shape[1]) and shape[1] else ""
            yield f"the number of classes of {scored!r} is open{name}: page files need it fixed, and nothing checks the labels against it"
        if len(shape) > 2:
            axes = f"axis 1 of {scored!r} {shape_text(shape)} is that of the classes"
            yield f"{axes}, and the labels have the other axes; where the classes are the last axis, transpose the scores in the model"
    if shape and isinstance(shape[0], int) and len(shape) > 1:
        yield f"the batch is fixed: {scored!r} has {shape[0]} row{'s' * (shape[0] != 1)}, so every step takes as many examples"


def squashed(graph: Graph, loss: LossType, scored: str) -> Iterator[str]:
    """Probabilities in the place of scores, where it cannot be told what was meant."""
    node = squashed_by(graph, scored)
    if node and loss.name in ("CrossEntropyLoss", "BCEWithLogitsLoss"):
        fitting = "BCEWithLogitsLoss" if node.op_type == "Sigmoid" else "CrossEntropyLoss"
        where = f"--loss {fitting} --loss-input-names {node.inputs[0]!r} would score what comes before it"
        yield f"{scored!r} comes out of {node.label}, but {loss.name} wants scores, not probabilities; {where}"
