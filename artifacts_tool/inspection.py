"""inspect: what a model is made of, and what of it can be run and trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pagetrain import kernels
from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Model, Node, Shape, TensorType, ValueInfo

from .forward import lift_constants, prepare
from .gradient.path import FLOAT_TYPES
from .gradient.registry import rule_of
from .layers import layers_of, parameters_of, weights_of
from .onnx_io import infer_types
from .recurrent import is_recurrent
from .value_types import value_types


@dataclass(frozen=True, slots=True)
class Op:
    """One op version of the model. runs: it has a kernel; trains: it has a gradient, or here no float goes through it."""

    op: str
    count: int
    runs: bool
    trains: bool


@dataclass(frozen=True, slots=True)
class LayerLine:
    """One layer with its weights."""

    node: str
    op: str
    weights: dict[str, Shape]
    parameters: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a model is made of. inputs, outputs: name -> (element type, shape)."""

    producer: str
    ir_version: int
    opsets: dict[str, int]
    inputs: dict[str, tuple[str, Shape | None]]
    outputs: dict[str, tuple[str, Shape | None]]
    ops: list[Op]
    layers: list[LayerLine]
    parameters: int
    trainable: list[str]


def inspect(model: Model, trainable: Sequence[str] = ()) -> Inspection:
    """The parts of a model, Constant nodes counted among its weights. trainable: names of weights to point out."""
    graph = lift_constants(model).graph
    sizes = {tensor.name: tensor.data for tensor in graph.initializers}
    layers = [
        LayerLine(
            layer.node.name,
            layer.node.op_type,
            {name: sizes[name].shape for name in layer.weights},
            sum(sizes[name].size for name in layer.weights),
        )
        for layer in layers_of(graph)
    ]
    return Inspection(
        " ".join(filter(None, (model.producer_name, model.producer_version))),
        model.ir_version,
        dict(model.opset_import),
        _described(graph.inputs),
        _described(graph.outputs),
        _ops(graph.nodes, _prepared(model)),
        layers,
        sum(sizes[name].size for name in parameters_of(graph)),
        list(trainable),
    )


def _ops(nodes: Sequence[Node], prepared: Graph) -> list[Op]:
    """prepared: what is left of `nodes` when functions are written out and constants computed; what is gone is no problem."""
    types = value_types(prepared)
    left = {kernels.op_id(node.domain, node.op_type, node.since_version) for node in prepared.nodes}
    through = [node for node in prepared.nodes if _holds_floats(node.inputs, types) and _holds_floats(node.outputs, types)]
    differentiated = {kernels.op_id(node.domain, node.op_type, node.since_version) for node in through}
    of = {kernels.op_id(node.domain, node.op_type, node.since_version): node for node in nodes}
    counts = Counter(kernels.op_id(node.domain, node.op_type, node.since_version) for node in nodes)
    return [
        Op(
            op,
            counts[op],
            op not in left or kernels.find(node.domain, node.op_type, node.since_version) is not None,
            op not in differentiated or rule_of(node) is not None or is_recurrent(node),
        )
        for op, node in sorted(of.items())
    ]


def _holds_floats(names: Iterable[str], types: Mapping[str, TensorType]) -> bool:
    """Whether one is of floats, or may be."""
    return any(name and (name not in types or types[name].element in FLOAT_TYPES) for name in names)


def _prepared(model: Model) -> Graph:
    try:
        return infer_types(prepare(model, weights_of(lift_constants(model).graph))).graph
    except PagetrainError:  # types that contradict each other: what is seen is what is there
        return model.graph


def _described(values: Sequence[ValueInfo]) -> dict[str, tuple[str, Shape | None]]:
    tensors = {value.name: value.type for value in values if isinstance(value.type, TensorType)}
    return {name: (known.element.name.lower(), known.shape) for name, known in tensors.items()}
