"""bind(graph) -> Plan: everything that can be done once before running."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import kernels
from .batch_norm_folding import element_types, folded
from .clip_gradient import joined
from .conv_fusion import fused
from .errors import InvalidInputError, PagetrainError, UnsupportedOpError
from .folding import Room
from .graph import Graph, Node, Tensor, TensorType
from .spare_memory import Candidates, candidates
from .topology import implicit_inputs, reads, subgraphs

if TYPE_CHECKING:
    from .description import Description
    from .plan_shapes import Given


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel call. `dead`: values that no later step and no fetch needs; `label`: the node, for messages.

    `bodies`: those of its attributes that are sub-graphs; the kernel gets them as functions, see executor.run. `spare`: inputs whose memory
    its result may take, if nobody else turns out to hold them, see spare_memory.py.
    """

    kernel: kernels.Kernel
    run: Callable[..., tuple[Any, ...]]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    dead: tuple[str, ...]
    label: str
    bodies: Mapping[str, Body]
    spare: Candidates = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Every value it depends on: its inputs, and what its bodies take from outside."""
        return (*self.inputs, *(name for body in self.bodies.values() for name in body.captured))


@dataclass(frozen=True, slots=True)
class Plan:
    """A graph made ready to run: see executor.run. `inputs`: the feeds it needs; `fetches`: the values it returns.

    `results`: what holds each fetch; another value where ops between them only pass it on. `types`: what the graph says of its values.
    """

    name: str
    steps: tuple[Step, ...]
    initializers: Mapping[str, Any]
    inputs: tuple[str, ...]
    fetches: tuple[str, ...]
    results: tuple[str, ...]
    types: Mapping[str, TensorType]

    def describe(self, sizes: Mapping[str, int] | None = None, given: Given | None = None) -> Description:
        """What a pass will do and how much memory it will take, before it runs; print it.

        sizes: {symbolic dimension, such as "batch": size}; given: {input: its shape, as a kernels.Spec, or an array},
        better known than from the graph. Raises InvalidInputError where the shape of an input stays open.
        """
        from .description import described  # with all that estimates memory: nothing else needs it

        return described(self, sizes or {}, given or {})


@dataclass(frozen=True, slots=True)
class Body:
    """A sub-graph made ready to run. `inputs`: its own, in order; `captured`: the values that it takes from the graphs around it."""

    plan: Plan
    inputs: tuple[str, ...]
    captured: tuple[str, ...]


def bind(graph: Graph, fetches: Sequence[str] | None = None, fed: Collection[str] = ()) -> Plan:
    """The plan that computes `fetches` (default: the graph's outputs), with only the steps and inputs that this needs.

    fed: values that are handed in: inner ones instead of being computed (the cut, see cut.py), initializers instead of what they hold.

    Finds each node's kernel by (domain, op_type, since_version), decodes attributes, folds normalizations into convolutions, computes what
    depends on constants alone (as much as folding.py says), leaves out what only passes a value on, joins convolutions with what comes
    right behind them, and the nodes of Clip's gradient, and notes each value's last use, and which results may take the memory of an input.
    Raises UnsupportedOpError naming every op without a kernel at once, InvalidInputError for a fetch that the graph does not make, and for
    an attribute of the wrong kind.
    """
    wanted = tuple(output.name for output in graph.outputs) if fetches is None else tuple(fetches)
    graph = replace(graph, initializers=tuple(tensor for tensor in graph.initializers if tensor.name not in fed))
    return _bound(graph, wanted, fed, Room.beside({tensor.name: tensor.data for tensor in graph.initializers}))


def _bound(graph: Graph, wanted: tuple[str, ...], fed: Collection[str], room: Room) -> Plan:
    """room: what the graph and all its bodies may make together of their constants."""
    nodes = _needed_nodes(graph.nodes, wanted, fed)
    values: dict[str, Any] = {tensor.name: tensor.data for tensor in graph.initializers}
    infos = (*graph.value_info, *graph.outputs, *graph.inputs)
    types = {value.name: value.type for value in infos if isinstance(value.type, TensorType)}
    fixed = element_types(values, [value.name for value in graph.inputs], types)
    pairs = folded(list(zip(nodes, _kernels_of(nodes), strict=True)), wanted, fixed)
    captured = {name for node in nodes for name in implicit_inputs(node)}
    holders: dict[str, str] = {}  # value that was only passed on -> the one that it is
    steps: list[Step] = []
    for node, kernel in pairs:
        step = _step(_reading(node, holders), kernel, types, room)
        passed = step.inputs[0] if kernel.passes_on and step.inputs and step.outputs else ""
        if passed and passed not in values and captured.isdisjoint(node.outputs):
            holders[step.outputs[0]] = passed
        elif not (kernel.mutates or kernel.by_chance or step.bodies) and (computed := _constants(step, values, room)):
            values.update(computed)
        else:
            steps.append(step)
    results = tuple(holders.get(name, name) for name in wanted)
    written = [node.inputs[p] for node, kernel in pairs for p in kernel.mutates if p < len(node.inputs)]
    mutated = {holders.get(name, name) for name in written}
    lasting = {name: value for name, value in values.items() if name not in mutated and isinstance(value, np.ndarray | np.generic)}
    steps = joined(fused(steps, results, lasting, types), results, lasting)
    used = {name for step in steps for name in step.reads} | set(results)
    initializers = {name: np.array(value) if name in mutated else value for name, value in values.items() if name in used}
    made = {name for step in steps for name in step.outputs}
    inputs = _inputs(graph, fed, used - (made - set(fed)) - set(initializers) - {""})
    ready = _with_last_uses([_prepared(step, lasting) for step in steps], set(results) | set(initializers))
    return Plan(graph.name, ready, initializers, inputs, wanted, results, types)


def _reading(node: Node, holders: Mapping[str, str]) -> Node:
    """The node with inputs by the names of what holds them."""
    if holders.keys().isdisjoint(node.inputs):
        return node
    return replace(node, inputs=tuple(holders.get(name, name) for name in node.inputs))


def _needed_nodes(nodes: Sequence[Node], wanted: Iterable[str], fed: Collection[str]) -> list[Node]:
    """The nodes that the wanted values depend on, in order."""
    needed, kept = set(wanted).difference(fed), []
    for node in reversed(nodes):
        if not needed.isdisjoint(name for name in node.outputs if name):
            needed.update(name for name in reads(node) if name not in fed)
            kept.append(node)
    return kept[::-1]


def _kernels_of(nodes: Sequence[Node]) -> list[kernels.Kernel]:
    found = [kernels.find(node.domain, node.op_type, node.since_version) for node in nodes]
    if without := set(_without_kernel(nodes)):
        raise kernels.unsupported(without)
    return [kernel for kernel in found if kernel is not None]


def _without_kernel(nodes: Sequence[Node]) -> Iterator[tuple[str, str, int]]:
    """Those of the nodes and of what their sub-graphs need."""
    for node in nodes:
        op = (node.domain, node.op_type, node.since_version)
        if kernels.find(*op) is None:
            yield op
        for body in subgraphs(node):
            yield from _without_kernel(_needed_nodes(body.nodes, [value.name for value in body.outputs], ()))


def _step(node: Node, kernel: kernels.Kernel, types: Mapping[str, TensorType], room: Room) -> Step:
    label = node.label
    given = {name: attribute.value for name, attribute in node.attributes.items()}
    attributes = {name: _decoded(value) for name, value in given.items() if not isinstance(value, Graph)}
    bodies = {name: _body(node, value, room) for name, value in given.items() if isinstance(value, Graph)}
    unknown = sorted(given.keys() - kernel.attributes)
    if unknown:
        op = kernels.op_id(node.domain, node.op_type, node.since_version)
        raise UnsupportedOpError(f"{label} has the attributes {unknown}, which the kernel of {op} does not know.", (op,))
    for name, value in attributes.items():
        if not _is_of_kind(value, kernel.run.__annotations__[name]):
            expected = kernel.run.__annotations__[name]
            raise InvalidInputError(f"{label} has the attribute {name} = {value!r:.40}, expected {expected}; export the model again.")
    facts: dict[str, Any] = {
        "wanted": frozenset(position for position, name in enumerate(node.outputs) if name),
        "output_count": len(node.outputs),
        "output_shapes": tuple(types[name].shape if name in types else None for name in node.outputs),
        "body_types": tuple(value.type for body in given.values() if isinstance(body, Graph) for value in body.outputs),
    }
    told = {fact: facts[fact] for fact in kernel.told}
    return Step(kernel, kernels.reference_of(kernel), node.inputs, node.outputs, attributes | told, (), label, bodies)


def _prepared(step: Step, constants: Mapping[str, Any]) -> Step:
    """The step with what will run it, made ready for those of its inputs that are constants; one that cannot be fails when it is run."""
    own = {position: constants[name] for position, name in enumerate(step.inputs) if name in constants}
    try:
        return replace(step, run=kernels.runner_of(step.kernel, own, step.attributes))
    except kernels.FAILURES:
        return step


def _body(node: Node, graph: Graph, room: Room) -> Body:
    """Of its inputs, those that have an initializer keep that, as in ONNX Runtime: files of IR version 3 list every initializer there."""
    outside, constants = implicit_inputs(node), {tensor.name for tensor in graph.initializers}
    own = tuple(value.name for value in graph.inputs if value.name not in constants)
    plan = _bound(graph, tuple(value.name for value in graph.outputs), outside, room)
    return Body(plan, own, tuple(name for name in plan.inputs if name not in own))


def _is_of_kind(value: object, annotation: str) -> bool:
    """Whether an attribute is what the kernel takes, one or several: numpy cannot be handed a text as a number and survive."""
    if isinstance(value, tuple) is not ("Sequence" in annotation):
        return False
    one = next(iter(value), None) if isinstance(value, tuple) else value
    if isinstance(one, str):
        return "str" in annotation
    if isinstance(one, np.ndarray | np.generic | Tensor):
        return "ndarray" in annotation
    return one is None or "float" in annotation or ("int" in annotation and not isinstance(one, float))


def _decoded(value: object) -> object:
    return value.data if isinstance(value, Tensor) else value


def _constants(step: Step, values: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """What the step makes of constants; {} if it needs others, or takes too much room. One that fails does so when it is run, if it is."""
    if not all(name == "" or name in values for name in step.inputs):
        return {}
    inputs = [values[name] if name else None for name in step.inputs]
    if not room.has(step.kernel.op_type, inputs, step.attributes):
        return {}
    try:
        with np.errstate(all="ignore"):
            results = step.run(*inputs, **step.attributes)
    except (PagetrainError, *kernels.FAILURES):
        return {}
    room.pay(step.kernel.op_type, results)
    return {name: result for name, result in zip(step.outputs, results, strict=False) if name}


def _inputs(graph: Graph, fed: Collection[str], free: set[str]) -> tuple[str, ...]:
    known = dict.fromkeys((*fed, *(value.name for value in graph.inputs)))
    inputs = tuple(name for name in known if name in free)
    unknown = sorted(free.difference(inputs))
    if unknown:
        outputs = [value.name for value in graph.outputs]
        raise InvalidInputError(f"The graph {graph.name!r} makes no values named {unknown}; its outputs are {outputs}.")
    return inputs


def _with_last_uses(steps: Sequence[Step], kept: set[str]) -> tuple[Step, ...]:
    """Walks backwards: a value is dead after the last step that reads it, or at once if none does."""
    seen, made, result = set(kept) | {""}, {name for step in steps for name in step.outputs}, []
    for step in reversed(steps):
        dead = tuple(dict.fromkeys(name for name in (*step.reads, *step.outputs) if name not in seen))
        seen.update(dead)
        spares = getattr(step.run, "spares", step.kernel.spares)
        result.append(replace(step, dead=dead, spare=candidates(spares, step.inputs, made.intersection(dead))))
    return tuple(reversed(result))
