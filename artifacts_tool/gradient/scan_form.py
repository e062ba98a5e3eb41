"""ScanForm: a Scan node read, its body typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pagetrain.errors import UnsupportedOpError
from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, Dimension, Graph, Model, Node, Shape, Tensor, TensorType, ValueInfo
from pagetrain.topology import implicit_inputs

from ..half_precision import HALVES
from ..more_types import is_said
from ..onnx_io import infer_types
from ..value_types import value_types

SCAN_SINCE = 9  # before, it had an axis for the batch, and lengths
OLDEST_IR_VERSION = 8


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a scan input or output has its steps, and whether they go from the end (1)."""

    axis: int = 0
    direction: int = 0

    @property
    def back(self) -> Walk:
        """The same steps in the opposite order."""
        return Walk(self.axis, 1 - self.direction)


@dataclass(frozen=True)
class ScanForm:
    """states: how many. inputs, outputs: of the scan inputs and outputs. body: one step, typed.

    captured: values that the body takes from outside. types: of every value that the body reads or makes.
    whole: the body as a graph of its own, with the captured values as inputs, or as initializers where they are constants.
    """

    node: Node
    states: int
    inputs: tuple[Walk, ...]
    outputs: tuple[Walk, ...]
    body: Graph
    captured: tuple[str, ...]
    whole: Graph
    types: Mapping[str, TensorType]

    @property
    def input_names(self) -> list[str]:
        """The body's inputs: states, then elements of the scan inputs."""
        return [value.name for value in self.body.inputs]

    @property
    def output_names(self) -> list[str]:
        """The body's outputs: new states, then elements of the scan outputs."""
        return [value.name for value in self.body.outputs]

    def place(self, captured: str) -> int:
        """The position of a captured value in reads(node)."""
        return len(self.node.inputs) + self.captured.index(captured)

    def stack_of(self, name: str) -> tuple[str, Walk] | None:
        """(the value outside that holds all elements of the body's value, their walk): a scan input or output, None if there is none."""
        places = zip(self.input_names[self.states :], self.node.inputs[self.states :], self.inputs, strict=True)
        made = zip(self.output_names[self.states :], self.node.outputs[self.states :], self.outputs, strict=False)
        return next(((outer, walk) for inner, outer, walk in (*places, *made) if inner == name and outer), None)


def form_of(node: Node, outside: Mapping[str, TensorType], constants: Mapping[str, np.ndarray], opset: int) -> ScanForm:
    """outside, constants: types of the values around the node, and initializers among them.

    Raises UnsupportedOpError for a Scan-8, and for half precision.
    """
    body = node.attributes["body"].value
    assert isinstance(body, Graph), "ONNX's checker sees to it"
    if node.since_version < SCAN_SINCE:
        op = f"{ONNX_DOMAIN}:Scan:{node.since_version}"
        raise UnsupportedOpError(f"{node.label} of opset 8 has no gradient; export the model with opset 9 or newer.", (op,))
    declared = (value.type for value in (*body.inputs, *body.value_info, *body.outputs))
    if any(isinstance(known, TensorType) and known.element in HALVES for known in declared):
        raise UnsupportedOpError(
            f"{node.label} of half precision has no gradient; export the model in float32.",
            (f"{ONNX_DOMAIN}:Scan:{node.since_version}",),
        )
    inputs = _walks(node, "input", _number(node))
    states = len(node.inputs) - len(inputs)
    outputs = _walks(node, "output", len(body.outputs) - states)
    body = replace(body, inputs=_typed_inputs(body, node, inputs, outside))
    captured = implicit_inputs(node)
    body, whole = typed_body(body, {name: outside[name] for name in captured if name in outside}, constants, opset)
    return ScanForm(node, states, inputs, outputs, body, captured, whole, value_types(whole))


def typed_body(body: Graph, captured: Mapping[str, TensorType], constants: Mapping[str, np.ndarray], opset: int) -> tuple[Graph, Graph]:
    """(the body with all its values typed, the same as a graph of its own, see ScanForm)."""
    given = tuple(ValueInfo(name, known) for name, known in captured.items() if name not in constants)
    held = tuple(Tensor(name, constants[name]) for name in captured if name in constants)
    whole = replace(body, inputs=(*body.inputs, *given), initializers=(*body.initializers, *held))
    whole = infer_types(Model(whole, OLDEST_IR_VERSION, {ONNX_DOMAIN: opset, MS_DOMAIN: 1})).graph
    return replace(whole, inputs=whole.inputs[: len(body.inputs)], initializers=body.initializers), whole


def stacked(element: TensorType, walk: Walk, steps: Dimension) -> TensorType:
    """The type of a scan output. Names that inference made up for sizes in a body mean nothing outside."""
    if element.shape is None:
        return element
    sizes: list[Dimension] = [size if is_said(size) else None for size in element.shape]
    sizes.insert(walk.axis % (len(sizes) + 1), steps if is_said(steps) else None)
    return TensorType(element.element, tuple(sizes))


def _walks(node: Node, what: str, count: int) -> tuple[Walk, ...]:
    axes, directions = (_ints(node, f"scan_{what}_{which}") or (0,) * count for which in ("axes", "directions"))
    return tuple(Walk(axis, direction) for axis, direction in zip(axes, directions, strict=True))


def _number(node: Node) -> int:
    return int(node.attributes["num_scan_inputs"].value)  # type: ignore[call-overload, no-any-return]  # the schema fixes the type


def _ints(node: Node, name: str) -> tuple[int, ...]:
    found = node.attributes.get(name)
    return () if found is None else tuple(found.value)  # type: ignore[arg-type]  # the schema fixes the type


def _typed_inputs(body: Graph, node: Node, walks: tuple[Walk, ...], outside: Mapping[str, TensorType]) -> tuple[ValueInfo, ...]:
    """The body's inputs; one without a shape of its own gets what the node's input says."""
    places: tuple[Walk | None, ...] = (*[None] * (len(node.inputs) - len(walks)), *walks)
    found = []
    for value, name, walk in zip(body.inputs, node.inputs, places, strict=True):
        said = isinstance(value.type, TensorType) and value.type.shape is not None
        found.append(value if said else ValueInfo(value.name, _element(outside.get(name), walk) or value.type))
    return tuple(found)


def _element(known: TensorType | None, walk: Walk | None) -> TensorType | None:
    """The type of one step of a value; of all of it without a walk."""
    if known is None or known.shape is None or walk is None:
        return known
    sizes: Shape = known.shape
    place = walk.axis % len(sizes)
    return TensorType(known.element, (*sizes[:place], *sizes[place + 1 :]))
