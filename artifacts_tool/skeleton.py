"""The inference model without parameter values: the exported file is this, with the values appended as further messages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Attribute, AttributeType, Dimension, ElementType, Graph, Model, Node, TensorType, ValueInfo
from pagetrain.names import NUM_CLASSES, PROBABILITIES, as_float16
from pagetrain.topology import reads

from .op_schemas import since_version
from .value_types import value_types

CLASSES = "K"  # the number of classes in an exported model whose head is symbolic


def inference_skeleton(eval_model: Model, parameters: Collection[str], input_name: str, logits: str, narrow: Collection[str] = ()) -> Model:
    """input -> logits, probabilities (N, K). The nodes read `parameters`, which the graph neither takes nor holds until they are appended.

    narrow: those of them that are appended as float16, under another name; the graph widens them.

    Raises InvalidInputError when the logits need another user input, have not the shape (N, classes), or are called "probabilities".
    """
    graph = _upstream(eval_model.graph, logits)
    _refuse_other_inputs(graph, parameters, input_name, logits)
    batch, classes = _logits_shape(eval_model.graph, logits)
    softmax = Node(
        "Softmax",
        (logits,),
        (PROBABILITIES,),
        name=PROBABILITIES,
        attributes={"axis": Attribute(AttributeType.INT, 1)},
        since_version=since_version("Softmax", "", eval_model.opset_import[""]),
    )
    shape = (batch, CLASSES if classes == NUM_CLASSES else classes)
    outputs = tuple(ValueInfo(name, TensorType(ElementType.FLOAT, shape)) for name in (logits, PROBABILITIES))
    inputs = tuple(value for value in graph.inputs if value.name == input_name)
    nodes = (*_widening(graph, narrow, eval_model.opset_import[""]), *graph.nodes, softmax)
    return replace(eval_model, graph=replace(graph, nodes=nodes, inputs=inputs, outputs=outputs, value_info=()))


def _widening(graph: Graph, narrow: Collection[str], opset: int) -> Iterator[Node]:
    """A Cast to float32 for each of `narrow` that the graph reads."""
    since, used = since_version("Cast", "", opset), {name for node in graph.nodes for name in reads(node)}
    for name in narrow:
        if name in used:
            to = Attribute(AttributeType.INT, int(ElementType.FLOAT))
            yield Node("Cast", (as_float16(name),), (name,), name=as_float16(name), attributes={"to": to}, since_version=since)


def _upstream(graph: Graph, output: str) -> Graph:
    """The graph with only the nodes and initializers that `output` needs."""
    needed, nodes = {output}, []
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            needed |= set(reads(node))
            nodes.append(node)
    initializers = tuple(tensor for tensor in graph.initializers if tensor.name in needed)
    return replace(graph, nodes=tuple(reversed(nodes)), initializers=initializers)


def _refuse_other_inputs(graph: Graph, parameters: Collection[str], input_name: str, logits: str) -> None:
    if any(PROBABILITIES in node.outputs for node in graph.nodes):
        raise InvalidInputError(f"The model already has a value {PROBABILITIES!r}; rename it, the exported model's softmax is called so.")
    used = {name for node in graph.nodes for name in reads(node)}
    others = [value.name for value in graph.inputs if value.name in used and value.name not in {input_name, *parameters}]
    if others:
        named = ", ".join(map(repr, others))
        raise InvalidInputError(f"{logits!r} needs the inputs {named} beside {input_name!r}; a page model takes a picture alone.")


def _logits_shape(graph: Graph, logits: str) -> tuple[Dimension, Dimension]:
    known = value_types(graph).get(logits)
    if known is None or known.shape is None or len(known.shape) != 2:
        raise InvalidInputError(f"{logits!r} must have the shape (N, classes) for a page model.")
    return known.shape[0], known.shape[1]
