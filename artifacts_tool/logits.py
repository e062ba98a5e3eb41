"""find_scored: the value that a loss belongs on, where a model ends in probabilities or in a label."""

from __future__ import annotations

from collections.abc import Mapping

from pagetrain.graph import Graph, Node

from .loss import LossType

# What a loss contains itself, so that it must stand before it.
ENDINGS = {LossType.CrossEntropyLoss: ("Softmax", "LogSoftmax"), LossType.BCEWithLogitsLoss: ("Sigmoid",)}
PASS_ON = ("Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "ZipMap", "ArrayFeatureExtractor", "TopK", "Round", "Greater")


def find_scored(graph: Graph, loss: LossType) -> tuple[str, str]:
    """(the value for the loss, why it is not the first output; "" if it is).

    Followed backwards from each output: the first Softmax (Sigmoid for BCEWithLogitsLoss) gives its input; an ArgMax its own.
    """
    made = {name: node for node in graph.nodes for name in node.outputs if name}
    first = graph.outputs[0].name
    for output in graph.outputs:
        found = _before_ending(output.name, made, ENDINGS.get(loss, ()))
        if found is not None:
            name, node = found
            return name, f"{output.name!r} comes out of {node.op_type} {node.name!r}, so {loss.name} belongs on {name!r} before it"
    return first, ""


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
