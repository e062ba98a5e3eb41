"""Losses: each a function that appends its nodes to a forward graph. LOSSES is the door for more.

Source: onnxruntime.training.onnxblock.loss (ORT 1.19); values and nodes carry the names that it gives.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, TensorType, ValueInfo
from pagetrain.names import LABELS

from .naming import Names
from .op_schemas import since_version
from .value_types import shape_text, value_types


class LossType(enum.IntEnum):
    """ORT's names and numbers; LOSSES says which can be built."""

    MSELoss = 1
    CrossEntropyLoss = 2
    BCEWithLogitsLoss = 3
    L1Loss = 4


@dataclass(frozen=True, slots=True)
class Block:
    """What a loss adds to a graph. `output`: the scalar loss. `inputs`: user inputs it needs that the graph has not."""

    nodes: tuple[Node, ...]
    inputs: tuple[ValueInfo, ...]
    output: str


def cross_entropy(model: Model, input_names: Sequence[str], names: Names) -> Block:
    """loss = mean over the batch of -log softmax(scores)[label].

    input_names: the scores (N, C, d1..) and, if not "labels", the labels' name.
    Labels are int64 (N, d1..). Raises ShapeMismatchError for scores of one axis.
    """
    scores, labels = (*input_names, LABELS)[:2]
    types = value_types(model.graph)
    names.new("celoss.weight")  # ORT's block takes a number for the weights that it was not given
    loss, log_prob = names.new("loss"), names.new("log_prob")
    node = Node(
        "SoftmaxCrossEntropyLoss",
        (scores, labels),
        (loss, log_prob),
        name=names.new("SoftmaxCrossEntropyLoss"),
        attributes={"reduction": Attribute(AttributeType.STRING, "mean")},
        since_version=since_version("SoftmaxCrossEntropyLoss", "", model.opset_import[""]),
    )
    inputs = () if labels in types else (ValueInfo(labels, _labels_of(scores, types[scores])),)
    return Block((node,), inputs, loss)


def _labels_of(name: str, scores: TensorType) -> TensorType:
    """The type of the labels for scores whose axis 1 is the class."""
    if scores.shape is None or len(scores.shape) < 2:
        raise ShapeMismatchError(f"CrossEntropyLoss needs scores of shape (N, classes), but {name!r} is {shape_text(scores.shape)}.")
    return TensorType(ElementType.INT64, (scores.shape[0], *scores.shape[2:]))


LossFunction = Callable[[Model, Sequence[str], Names], Block]
LOSSES: Mapping[LossType, LossFunction] = {LossType.CrossEntropyLoss: cross_entropy}


def add_loss(model: Model, loss: LossType, input_names: Sequence[str] | None, names: Names) -> Block:
    """The block of `loss` over the named values (default: the only output). Raises InvalidInputError for an unknown loss or name."""
    if loss not in LOSSES:
        raise InvalidInputError(f"The loss {loss!r} cannot be built; choose one of {', '.join(known.name for known in LOSSES)}.")
    chosen = _only_output(model.graph) if input_names is None else list(input_names)
    if not 1 <= len(chosen) <= 2 or chosen[0] not in value_types(model.graph):
        raise InvalidInputError(f"loss_input_names must be a value of the model and, if wanted, a name for the labels; got {chosen}.")
    return LOSSES[loss](model, chosen, names)


def _only_output(graph: Graph) -> list[str]:
    names = [output.name for output in graph.outputs]
    if len(names) != 1:
        raise InvalidInputError(f"The model has {len(names)} outputs ({', '.join(names)}); say which one is scored with loss_input_names.")
    return names
