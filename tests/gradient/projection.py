"""The float64 check of a gradient rule: u . J v by the rule's nodes, against a central difference of u . f(x + h v).

The rule's nodes run on pagetrain's kernels. In float64 the difference is good to about 1e-9, so no tolerance hides a wrong term.
Source: the idea of HIPS/autograd:autograd/test_util.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from artifacts_tool.fused import is_fused
from artifacts_tool.gradient import differentiate
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.op_schemas import since_version
from artifacts_tool.value_types import value_types
from pagetrain import executor, kernels, plan
from pagetrain.graph import ELEMENT_TYPES, Attribute, AttributeType, Graph, Model, Node, Tensor, TensorType, ValueInfo

STEP = 1e-6


@dataclass(frozen=True)
class Case:
    """One forward node. inputs: arrays in order (None: left out); differentiable: positions of those to differentiate by."""

    op_type: str
    inputs: Sequence[np.ndarray | None]
    differentiable: tuple[int, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    opset: int = 17
    symbolic: Mapping[int, tuple[Any, ...] | None] = field(default_factory=dict)  # input position -> declared shape (None: no rank)
    note: str = ""
    domain: str = ""
    constants: tuple[int, ...] = ()  # positions of inputs that are initializers
    seen: tuple[int, ...] = ()  # the outputs that the loss is about, the only ones that are named; if empty, the first of all
    captured: tuple[int, ...] = ()  # positions of values that are no inputs of the node: its bodies read them, as x<position>

    def __str__(self) -> str:
        return "-".join(filter(None, [self.op_type, self.domain, self.note, f"by{''.join(map(str, self.differentiable))}"]))


def attribute(value: Any) -> Attribute:
    match value:
        case Graph():
            return Attribute(AttributeType.GRAPH, value)
        case str():
            return Attribute(AttributeType.STRING, value)
        case float():
            return Attribute(AttributeType.FLOAT, value)
        case int():
            return Attribute(AttributeType.INT, value)
        case [str(), *_]:
            return Attribute(AttributeType.STRINGS, tuple(value))
        case _:
            return Attribute(AttributeType.FLOATS if any(isinstance(item, float) for item in value) else AttributeType.INTS, tuple(value))


def node(case: Case) -> Node:
    names = tuple("" if array is None else f"x{index}" for index, array in enumerate(case.inputs) if index not in case.captured)
    outputs = tuple(f"y{index}" if not case.seen or index in case.seen else "" for index in range(case.outputs))
    attributes = {name: attribute(value) for name, value in case.attributes.items()}
    version = since_version(case.op_type, case.domain, case.opset)
    return Node(case.op_type, names, outputs, "node", case.domain, attributes, version)


def inputs_of(case: Case) -> list[ValueInfo]:
    """The graph inputs: what is neither left out nor constant."""
    return [
        ValueInfo(f"x{index}", TensorType(ELEMENT_TYPES[array.dtype], case.symbolic.get(index, array.shape)))
        for index, array in enumerate(case.inputs)
        if array is not None and index not in case.constants
    ]


def _made(op_type: str, inputs: tuple[str, ...], output: str, opset: int, **attributes: int) -> Node:
    typed = {name: attribute(value) for name, value in attributes.items()}
    return Node(op_type, inputs, (output,), f"make_{output}", "", typed, since_version(op_type, "", opset))


def projected(case: Case, u: np.ndarray) -> Graph:
    """x0, x1, ... -> loss = u . y0 (of the outputs that are seen, one after the other), with every value typed."""
    names = [f"y{index}" for index in case.seen or (0,)]
    rows = [f"{name}_row" for name in names]
    tail = [_made("Reshape", (name, "row"), row, case.opset) for name, row in zip(names, rows, strict=True)]
    if len(rows) > 1:
        tail.append(_made("Concat", tuple(rows), "flat", case.opset, axis=1))
    tail += [_made("MatMul", ("flat" if len(rows) > 1 else rows[0], "u"), "product", case.opset)]
    tail += [_made("Reshape", ("product", "scalar"), "loss", case.opset)]
    constants = (
        Tensor("row", np.array([1, -1 if case.seen else u.size])),
        Tensor("u", u.reshape(-1, 1)),
        Tensor("scalar", np.zeros(0, np.int64)),
    )
    inputs = inputs_of(case)
    constants = (*constants, *(Tensor(f"x{index}", np.asarray(case.inputs[index])) for index in case.constants))
    loss = ValueInfo("loss", TensorType(ELEMENT_TYPES[u.dtype], ()))
    # Inference knows no other domain; results of these are as x0, but for the fused ones.
    known = (ValueInfo("y0", inputs[0].type),) if case.domain and not is_fused(node(case)) else ()
    graph = Graph("case", (node(case), *tail), tuple(inputs), (loss,), constants, known)
    return infer_types(Model(graph, 8, {"": case.opset, "com.microsoft": 1})).graph


def feeds_of(case: Case) -> dict[str, np.ndarray]:
    return {f"x{index}": array for index, array in enumerate(case.inputs) if array is not None}


def run(graph: Graph, feeds: Mapping[str, np.ndarray], fetches: Sequence[str]) -> dict[str, np.ndarray]:
    """A pass over read-only inputs, so that a kernel that writes them fails if it does not say that it does."""
    arrays = {name: np.array(value) for name, value in feeds.items()}
    found = ((node, kernels.find(node.domain, node.op_type, node.since_version)) for node in graph.nodes)
    mutated = {node.inputs[position] for node, kernel in found if kernel for position in kernel.mutates}
    for name, array in arrays.items():
        array.flags.writeable = name in mutated
    return executor.run(plan.bind(graph, fetches), arrays)


def output_size(case: Case) -> int:
    """Number of elements of y0, or of the outputs that are seen, found by running the node."""
    names = [f"y{index}" for index in case.seen or (0,)]
    inputs, outputs = (tuple(ValueInfo(name, None) for name in values) for values in (feeds_of(case), names))
    return sum(value.size for value in run(Graph("forward", (node(case),), inputs, outputs), feeds_of(case), names).values())


def backward(graph: Graph, parameters: Sequence[str], opset: int) -> Graph:
    """The graph with its backward pass; no output, so that any value can be fetched."""
    made = differentiate(graph, value_types(graph), parameters, "loss", opset)
    declared = (*graph.value_info, *(ValueInfo(name, known) for name, known in made.types.items()))
    return Graph("whole", (*made.forward, *made.nodes), graph.inputs, (), (*graph.initializers, *made.initializers), declared)


def check(case: Case, seed: int = 0) -> None:
    """Raises AssertionError when the rule's gradient is not that of the finite difference, or has not the input's shape."""
    rng = np.random.default_rng(seed)
    graph = projected(case, rng.normal(size=output_size(case)))
    check_graph(graph, feeds_of(case), [f"x{index}" for index in case.differentiable], case.opset, rng)


def check_graph(
    graph: Graph,
    feeds: Mapping[str, np.ndarray],
    names: Sequence[str],
    opset: int,
    rng: np.random.Generator,
    step: float = STEP,
    rtol: float = 1e-7,
) -> None:
    """As check, for the gradients of the graph's loss by the inputs `names`."""
    gradients = run(backward(graph, names, opset), feeds, [f"{name}_grad" for name in names])
    direction = {name: rng.normal(size=feeds[name].shape) for name in names}
    for name in names:
        assert gradients[f"{name}_grad"].shape == feeds[name].shape, name
        assert gradients[f"{name}_grad"].dtype == np.float64, name
    ahead, behind = (
        run(graph, {n: feeds[n] + sign * step * direction[n] if n in direction else feeds[n] for n in feeds}, ["loss"])["loss"]
        for sign in (1, -1)
    )
    expected = (ahead - behind) / (2 * step)
    found = sum(np.vdot(gradients[f"{name}_grad"], direction[name]) for name in names)
    # A central difference with h = 1e-6 is off by h^2 f''' (about 1e-12) and rounding / h (about 1e-16 / 1e-6 = 1e-10 of the value).
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-8)
