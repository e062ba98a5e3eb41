"""Training of float16 and bfloat16 models: parameters, loss and backward pass in float32, the forward pass as the model says it.

So no gradient is rounded or lost below float16's smallest number (6e-8), none exceeds its largest (65504), and no loss scale is needed:
Micikevicius et al., Mixed Precision Training (2018), keep float32 copies for the same reason but go back in float16.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ONNX_DOMAIN, Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo

from .layers import weights_of
from .op_schemas import since_version
from .parameters import Parameter
from .value_types import value_types

HALVES = (ElementType.FLOAT16, ElementType.BFLOAT16)
MASTER_SUFFIX = "_narrowed"  # of the value that the forward pass reads in place of a float32 parameter
SCORE_SUFFIX = "_float32"  # of the value that the loss reads in place of one of half precision
BACKWARD_SUFFIX = "_widened"  # of the value that the backward pass reads in place of one of half precision
TELL_SIZES = ("Shape", "Size")  # ops to which all types are the same


def cast(name: str, output: str, to: ElementType, opset: int, doc_string: str = "") -> Node:
    """output = name as another type."""
    attributes = {"to": Attribute(AttributeType.INT, int(to))}
    version = since_version("Cast", ONNX_DOMAIN, opset)
    return Node("Cast", (name,), (output,), f"{output}/Cast", attributes=attributes, since_version=version, doc_string=doc_string)


def with_float32_masters(graph: Graph, parameters: Sequence[Parameter], opset: int) -> tuple[Graph, tuple[Parameter, ...]]:
    """(graph, parameters) with every trainable parameter of half precision as float32, cast back where nodes read it.

    Each of its numbers is one of float32, so the forward pass starts from the model's own.
    """
    narrow = {one.name: one.type for one in parameters if one.trainable and _is_half(one.type)}
    read = {name: f"{name}{MASTER_SUFFIX}" for name in narrow}
    casts = (cast(name, read[name], known.element, opset) for name, known in narrow.items())
    values = (ValueInfo(read[name], known) for name, known in narrow.items())
    nodes = (*casts, *(with_inputs(node, read) for node in graph.nodes))
    masters = (_master(one) if one.name in narrow else one for one in parameters)
    return replace(graph, nodes=nodes, value_info=(*graph.value_info, *values)), tuple(masters)


def _master(parameter: Parameter) -> Parameter:
    return replace(parameter, tensor=_wide_tensor(parameter.tensor))


def _wide_tensor(tensor: Tensor) -> Tensor:
    return replace(tensor, data=tensor.data.astype(np.float32))


def with_float32_scores(model: Model, scores: Collection[str], types: Mapping[str, TensorType]) -> tuple[Model, dict[str, str]]:
    """(the typed model with each value of `scores` that is of half precision cast to float32, {its name: the name to read})."""
    narrow = [name for name in scores if name in types and _is_half(types[name])]
    read = {name: f"{name}{SCORE_SUFFIX}" for name in narrow}
    casts = (cast(name, read[name], ElementType.FLOAT, model.opset_import[ONNX_DOMAIN]) for name in narrow)
    values = (ValueInfo(read[name], _wide(types[name])) for name in narrow)
    graph = model.graph
    return replace(model, graph=replace(graph, nodes=(*graph.nodes, *casts), value_info=(*graph.value_info, *values))), read


def with_float32_ends(model: Model) -> Model:
    """The model with its float16 inputs and weights as float32 of the same names, each cast back before it is read: what pages want.

    Raises InvalidInputError for a model with bfloat16, which a page cannot compute.
    """
    graph, opset = model.graph, model.opset_import[ONNX_DOMAIN]
    known = value_types(graph)
    if wide := [name for name, one in known.items() if one.element == ElementType.BFLOAT16]:
        raise InvalidInputError(f"{wide[0]!r} is bfloat16, which a page cannot compute; export the model as float32 or float16.")
    names = [*(value.name for value in graph.inputs), *weights_of(graph)]
    read = {name: f"{name}{MASTER_SUFFIX}" for name in names if name in known and _is_half(known[name])}
    casts = (cast(name, read[name], ElementType.FLOAT16, opset) for name in read)
    ends = replace(
        graph,
        nodes=(*casts, *(with_inputs(node, read) for node in graph.nodes)),
        inputs=tuple(replace(value, type=_wide(known[value.name])) if value.name in read else value for value in graph.inputs),
        initializers=tuple(_wide_tensor(tensor) if tensor.name in read else tensor for tensor in graph.initializers),
        value_info=tuple(value for value in graph.value_info if value.name not in read),
    )
    return replace(model, graph=ends)


def narrowed(graph: Graph) -> set[str]:
    """Values that nodes read in half precision, through a cast that was put before them here."""
    return {node.inputs[0] for node in graph.nodes if node.op_type == "Cast" and node.outputs[0] == f"{node.inputs[0]}{MASTER_SUFFIX}"}


def score_name(graph: Graph, scored: str) -> str:
    """What the loss reads of the value that it is about."""
    return f"{scored}{SCORE_SUFFIX}" if _is_half(value_types(graph)[scored]) else scored


def widened(types: Mapping[str, TensorType]) -> dict[str, TensorType]:
    """The types as the backward pass sees them: float32 for half precision."""
    return {name: _wide(known) for name, known in types.items()}


def with_float32_reads(nodes: Sequence[Node], types: Mapping[str, TensorType], opset: int, doc_string: str) -> list[Node]:
    """Backward nodes that read each half-precision value of the forward pass, of the given types, through a cast; the casts come first."""
    wide = {name: f"{name}{BACKWARD_SUFFIX}" for name, known in types.items() if _is_half(known)}
    changed = [node if node.op_type in TELL_SIZES else with_inputs(node, wide) for node in nodes]
    read = dict.fromkeys(name for node in nodes if node.op_type not in TELL_SIZES for name in node.inputs if name in wide)
    return [*(cast(name, wide[name], ElementType.FLOAT, opset, doc_string) for name in read), *changed]


def with_inputs(node: Node, names: Mapping[str, str]) -> Node:
    """The node with inputs of other names."""
    return replace(node, inputs=tuple(names.get(name, name) for name in node.inputs))


def _is_half(known: TensorType) -> bool:
    return known.element in HALVES


def _wide(known: TensorType) -> TensorType:
    return replace(known, element=ElementType.FLOAT) if _is_half(known) else known
