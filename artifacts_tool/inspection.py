"""inspect: what a model is made of, and what of it can be run and trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pagetrain import kernels
from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Model, Node, Shape, TensorType, ValueInfo
from pagetrain.topology import reads

from .forward import lift_constants, prepare
from .gradient.path import FLOAT_TYPES, trace
from .gradient.registry import rule_of
from .layers import layers_of, parameters_of, weights_of
from .onnx_io import infer_types
from .recurrent import is_recurrent
from .value_types import value_types


@dataclass(frozen=True, slots=True)
class Op:
    """One op version of the model. runs: it has a kernel; trains: a gradient comes back through it, or here no float goes through."""

    op: str
    count: int
    runs: bool
    trains: bool


@dataclass(frozen=True, slots=True)
class LayerLine:
    """One layer with its weights. node: its name, or its first output where it has none."""

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
            layer.node.called,
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
    left = {_id(node) for node in prepared.nodes}
    types = value_types(prepared)
    makers = {name: index for index, node in enumerate(prepared.nodes) for name in node.outputs if name}
    of: dict[str, list[Node]] = {}
    for node in nodes:
        of.setdefault(_id(node), []).append(node)
    return [
        Op(
            op,
            len(same),
            op not in left or kernels.find(same[0].domain, same[0].op_type, same[0].since_version) is not None,
            all(_trains(node, replace(prepared, nodes=_left_of(node, prepared, makers)), types) for node in same),
        )
        for op, same in sorted(of.items())
    ]


def _id(node: Node) -> str:
    return kernels.op_id(node.domain, node.op_type, node.since_version)


def _left_of(node: Node, prepared: Graph, makers: Mapping[str, int]) -> tuple[Node, ...]:
    """The prepared nodes that make the node's outputs of what it reads: itself or its body, none if it was computed."""
    given, todo, found = set(reads(node)), list(node.outputs), set[int]()
    while todo:
        index = makers.get(todo.pop())
        if index is not None and index not in found:
            found.add(index)
            todo += [name for name in reads(prepared.nodes[index]) if name not in given]
    return tuple(prepared.nodes[index] for index in sorted(found))


def _trains(node: Node, left: Graph, types: Mapping[str, TensorType]) -> bool:
    """Whether a gradient comes back from the node's floats to those that it reads, as far as there are any on both sides."""
    read, made = _floats(reads(node), types), _floats(node.outputs, types)
    if not (left.nodes and read and made):
        return True
    path = trace(left, types, read, made)
    return bool(path.values.intersection(read)) and all(rule_of(one) is not None or is_recurrent(one) for one in path.nodes)


def _floats(names: Iterable[str], types: Mapping[str, TensorType]) -> list[str]:
    """Those that are of floats, or may be."""
    return [name for name in names if name and (name not in types or types[name].element in FLOAT_TYPES)]


def _prepared(model: Model) -> Graph:
    try:
        return infer_types(prepare(model, weights_of(lift_constants(model).graph))).graph
    except PagetrainError:  # types that contradict each other: what is seen is what is there
        return model.graph


def _described(values: Sequence[ValueInfo]) -> dict[str, tuple[str, Shape | None]]:
    tensors = {value.name: value.type for value in values if isinstance(value.type, TensorType)}
    return {name: (known.element.name.lower(), known.shape) for name, known in tensors.items()}
