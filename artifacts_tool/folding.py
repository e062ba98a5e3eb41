"""fold_constants: what depends on constants alone is computed once, here, so that shapes that a graph calculates become known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from pagetrain import executor, kernels, plan
from pagetrain.errors import PagetrainError
from pagetrain.folding import MOST_ELEMENTS, told_size
from pagetrain.graph import ELEMENT_TYPES, Graph, Node, Tensor, ValueInfo

from .mode import depends_on_mode

MOST_BYTES = 1 << 28  # of all that folding makes, parameters apart
MOST_WORK = 1 << 30  # elements to go through for all of it
VIEWS = ("Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze")  # of the first input's own values
MADE_FROM_SIZES = (  # may be large whatever their inputs are
    *("AffineGrid", "BlackmanWindow", "CenterCropPad", "Col2Im", "DFT", "EyeLike", "HammingWindow", "HannWindow", "MaxRoiPool"),
    *("AveragePool", "Conv", "ConvInteger", "ConvTranspose", "DeformConv", "LpPool", "MaxPool", "QLinearConv"),
    *("MaxUnpool", "MelWeightMatrix", "OneHot", "Pad", "Resize", "RoiAlign", "STFT", "Upsample"),
)


def fold_constants(graph: Graph, parameters: Set[str]) -> Graph:
    """The graph with every node computed that depends on no input and no parameter; initializers that served them alone are gone.

    A folded value may itself be a parameter: a weight behind an Identity or a Transpose. Nodes without a kernel, of chance, of another
    result in training, with sub-graphs, or that make outputs of the graph stay; so do those that come after the limits are reached.
    """
    room = _Room()
    values = {tensor.name: tensor.data for tensor in graph.initializers if tensor.name not in parameters}
    outputs = {value.name for value in graph.outputs}
    nodes: list[Node] = []
    folded: list[Tensor] = []
    for node in graph.nodes:
        made = {} if outputs & set(node.outputs) else _computed(node, values, parameters, room)
        if made:
            folded += (Tensor(name, value) for name, value in made.items())
            values |= {name: value for name, value in made.items() if name not in parameters}
        else:
            nodes.append(node)
    if not folded:
        return graph
    return _without_unused(replace(graph, nodes=tuple(nodes)), graph, folded, parameters)


@dataclass
class _Room:
    """What may still be made."""

    size: int = MOST_BYTES
    work: int = MOST_WORK

    def has(self, node: Node, inputs: Sequence[np.ndarray], free: bool) -> bool:
        """Whether the node may be computed, which is then paid for. free: its values are needed in any case, or are not copied."""
        bound, width = _bound(node, inputs), max((array.itemsize for array in inputs), default=8)
        if bound > min(MOST_ELEMENTS, self.work) or (not free and bound * width > self.size):
            return False
        self.work -= bound
        return True

    def pay(self, made: Mapping[str, np.ndarray]) -> None:
        self.size -= sum(array.nbytes for array in made.values())


def _computed(node: Node, values: Mapping[str, np.ndarray], parameters: Set[str], room: _Room) -> dict[str, np.ndarray]:
    """The node's outputs, {} if it cannot be folded."""
    names = [name for name in node.inputs if name]
    if _is_by_chance(node) or depends_on_mode(node) or any(isinstance(one.value, Graph) for one in node.attributes.values()):
        return {}
    free = node.op_type in VIEWS or not parameters.isdisjoint(node.outputs)
    if any(name not in values for name in names) or not room.has(node, [values[name] for name in names], free):
        return {}
    wanted = [name for name in node.outputs if name]
    infos = tuple(ValueInfo(name, None) for name in wanted)
    constants = tuple(Tensor(name, values[name]) for name in dict.fromkeys(names))
    try:
        with np.errstate(all="ignore"):
            made = executor.run(plan.bind(Graph("constants", (node,), (), infos, constants), wanted), {})
    except (PagetrainError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError):
        return {}  # no kernel, or wrong inputs or attributes: whoever runs the model is told
    if not all(isinstance(value, np.ndarray) and value.dtype in ELEMENT_TYPES for value in made.values()):
        return {}
    made = {name: np.ascontiguousarray(value).reshape(value.shape) for name, value in made.items()}
    if not free:
        room.pay(made)
    return made


def _is_by_chance(node: Node) -> bool:
    """As its kernel says; a Dropout counts when it drops, which depends_on_mode tells."""
    kernel = kernels.find(node.domain, node.op_type, node.since_version)
    return kernel is not None and kernel.by_chance and node.op_type != "Dropout"


def _bound(node: Node, inputs: Sequence[np.ndarray]) -> int:
    """The most elements that the result can have: by the op where it tells a size, else by what its inputs can span."""
    if node.op_type in MADE_FROM_SIZES:
        return MOST_ELEMENTS + 1
    if node.op_type in VIEWS:
        return 0
    told = told_size(node.op_type, inputs)
    return math.prod(max(1, array.size) for array in inputs) if told is None else told


def _without_unused(graph: Graph, before: Graph, folded: Sequence[Tensor], parameters: Collection[str]) -> Graph:
    """The graph with the folded values as initializers, without those that only folded nodes used."""
    used = {*_names_used(graph), *(value.name for value in graph.outputs), *parameters}
    served = set(_names_used(before)) - used
    initializers = (*(tensor for tensor in graph.initializers if tensor.name not in served), *(t for t in folded if t.name in used))
    made = {tensor.name for tensor in folded}
    kept = tuple(value for value in graph.value_info if value.name not in made)
    return replace(graph, initializers=initializers, value_info=kept)


def _names_used(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        yield from node.inputs
        for attribute in node.attributes.values():
            if isinstance(attribute.value, Graph):
                yield from _names_used(attribute.value)
                yield from (value.name for value in attribute.value.outputs)
