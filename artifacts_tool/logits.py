"""find_scored: the value that a loss belongs on, where a model ends in probabilities or in a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Graph, Node, TensorType

from .gradient.path import FLOAT_TYPES
from .loss import LossType

# What a loss contains itself, so that it must stand before it.
ENDINGS = {LossType.CrossEntropyLoss: ("Softmax", "LogSoftmax"), LossType.BCEWithLogitsLoss: ("Sigmoid",)}
SQUASHING = ("Softmax", "LogSoftmax", "Sigmoid")
PASS_ON = ("Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "ZipMap", "ArrayFeatureExtractor", "TopK", "Round", "Greater")


@dataclass(frozen=True, slots=True)
class Scored:
    """The value that the loss is about. why: how it was found, a clause. moved: it is no output of the model."""

    value: str
    why: str
    moved: bool = False


def find_scored(graph: Graph, loss: LossType | None) -> Scored:
    """The value before the first Softmax (Sigmoid for BCEWithLogitsLoss) behind an output, or what an ArgMax picks from.

    Where there is none, the first output of floats; where there is no such output either, the first output. Raises InvalidInputError for
    a model without outputs.
    """
    if not graph.outputs:
        raise InvalidInputError(f"The graph {graph.name!r} has no outputs, so there is nothing to put a loss on; declare one.")
    made = makers(graph)
    for output in graph.outputs:
        found = _before_ending(output.name, made, ENDINGS.get(loss, ()) if loss else ())
        if found is not None:
            name, node = found
            kind = f"{output.name!r} comes out of {node.label}"
            return Scored(name, f"{kind}, so {loss.name if loss else ''} belongs on {name!r} before it", True)
    if loss is None or len(graph.outputs) == 1:
        return Scored(graph.outputs[0].name, "the model's first output" if len(graph.outputs) > 1 else "the model's output")
    floats = [value.name for value in graph.outputs if isinstance(value.type, TensorType) and value.type.element in FLOAT_TYPES]
    names = ", ".join(value.name for value in graph.outputs)
    if floats:
        return Scored(floats[0], f"the first of floats among the outputs {names}; --loss-input-names takes another")
    return Scored(graph.outputs[0].name, f"the first of the outputs {names}")


def squashed_by(graph: Graph, name: str) -> Node | None:
    """The Softmax, LogSoftmax or Sigmoid that a value comes out of, as it is or only formed anew."""
    found = _before_ending(name, makers(graph), SQUASHING)
    return found[1] if found and found[1].op_type in SQUASHING else None


def makers(graph: Graph) -> dict[str, Node]:
    """{value: the node that makes it}."""
    return {name: node for node in graph.nodes for name in node.outputs if name}


def _before_ending(name: str, made: Mapping[str, Node], endings: tuple[str, ...]) -> tuple[str, Node] | None:
    """Through ops that change no number to an ending; what an ArgMax has picked from, if no ending is found behind it."""
    picked: tuple[str, Node] | None = None
    seen: set[str] = set()
    while endings and name in made and name not in seen:
        seen.add(name)
        node = made[name]
        if node.op_type in endings:
            return node.inputs[0], node
        if node.op_type == "ArgMax":
            picked = picked or (node.inputs[0], node)
        elif node.op_type not in PASS_ON:
            break
        name = node.inputs[1] if node.op_type == "ArrayFeatureExtractor" else node.inputs[0]
    return picked
