"""Scope: what a gradient rule sees of one forward node, and where it emits the backward nodes.

The vocabulary (I, O, GI, GO) is that of microsoft/onnxruntime:orttraining/orttraining/core/graph/gradient_builder.cc.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import MS_DOMAIN, Attribute, AttributeType, ElementType, Graph, Node, Shape, Tensor, TensorType

from ..op_schemas import exists, since_version

BACKWARD = "Backward pass"
Default = TypeVar("Default")
AttributeValue = int | float | str | tuple[int, ...] | Graph

MOST_ELEMENTS = 1 << 26  # of a constant that a rule makes


@dataclass
class Emitted:
    """The backward pass so far: nodes, constants, and the types of values that shape inference cannot know.

    `forward`: the graph's own nodes, with the outputs that the backward pass reads.
    """

    forward: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    initializers: list[Tensor] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)


@dataclass
class Scope:
    """One forward node. `opset`: of the default domain. `prefix`: unique, stands before every helper name. `constants`: initializers."""

    node: Node
    prefix: str
    opset: int
    types: Mapping[str, TensorType]
    constants: Mapping[str, np.ndarray]
    output_gradients: tuple[str, ...]
    input_gradients: tuple[str, ...]
    emitted: Emitted
    _count: int = 0

    def I(self, index: int) -> str:  # noqa: E743, N802 - ORT's word
        """The node's input; "" when left out."""
        return self.node.inputs[index] if index < len(self.node.inputs) else ""

    def O(self, index: int) -> str:  # noqa: E743, N802 - ORT's word
        """The node's output."""
        return self.node.outputs[index]

    def GO(self, index: int) -> str:  # noqa: N802 - ORT's word
        """The gradient of the loss by output `index`."""
        return self.output_gradients[index]

    def GI(self, index: int) -> str:  # noqa: N802 - ORT's word
        """The name under which the gradient by input `index` is wanted; "" when it is not. Values that bodies capture follow the inputs."""
        return self.input_gradients[index] if index < len(self.input_gradients) else ""

    def attribute(self, name: str, default: Default) -> Default:
        """The forward node's attribute value, of the default's type."""
        found = self.node.attributes.get(name)
        return default if found is None else found.value  # type: ignore[return-value]  # the schema fixes the type

    def shape(self, name: str) -> Shape:
        """The shape of a forward value. Raises InvalidInputError when not even its rank is known."""
        known = self.shape_if_known(name)
        if known is None:
            raise InvalidInputError(
                f"The gradient of {self.node.label} needs the rank of {name!r}, which shape inference did not find; "
                "give the model's inputs and outputs shapes (symbolic sizes will do)."
            )
        return known

    def shape_if_known(self, name: str) -> Shape | None:
        """The shape of a forward value, None when not even its rank is known."""
        known = self.types.get(name)
        return None if known is None else known.shape

    def element(self, name: str) -> ElementType:
        """The element type of a forward value; float where inference did not find it."""
        known = self.types.get(name)
        return known.element if known else ElementType.FLOAT

    def typed(self, like: str, shape: Shape) -> TensorType:
        """The type of a helper with the element type of a forward value."""
        return TensorType(self.element(like), shape)

    def helper(self, suffix: str, declared: TensorType | None = None) -> str:
        """A name for a value between backward nodes. declared: its type where inference cannot tell, as of com.microsoft ops."""
        name = f"{self.prefix}/{suffix}"
        if declared is not None:
            self.emitted.types[name] = declared
        return name

    def refuse_huge(self, *sizes: int) -> None:
        """Raises InvalidInputError where a constant of these sizes would be larger than any real model needs."""
        if math.prod(sizes) > MOST_ELEMENTS:
            raise InvalidInputError(f"The gradient of {self.node.label} needs a table of the absurd size {sizes}.")

    def constant(self, suffix: str, data: np.ndarray) -> str:
        """A new initializer of the training graph."""
        name = f"{self.prefix}/{suffix}"
        self.emitted.initializers.append(Tensor(name, data))
        return name

    def replace_forward(self, node: Node) -> None:
        """Puts another node in the place of the forward one, with further outputs that the backward pass reads."""
        self.emitted.forward = [node if known is self.node else known for known in self.emitted.forward]

    def emit(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        domain: str = "",
        copied: Mapping[str, Attribute] | None = None,
        **attributes: AttributeValue,
    ) -> str:
        """Appends a backward node and returns its first output. copied: attributes taken over from the forward node.

        Raises UnsupportedOpError for an op that the model's opset has not.
        """
        if not exists(op_type, domain, self.opset):
            raise UnsupportedOpError(
                f"The gradient of {self.node.label} needs {op_type}, which opset {self.opset} has not; export the model with a newer one.",
                (f"{domain}:{op_type}:1",),
            )
        made = {name: attribute_of(value) for name, value in attributes.items()}
        self.emitted.nodes.append(
            Node(
                op_type,
                tuple(inputs),
                tuple(outputs),
                name=f"{self.prefix}/{op_type}_{self._count}",
                domain=domain,
                attributes={**(copied or {}), **made},
                since_version=1 if domain == MS_DOMAIN else since_version(op_type, domain, self.opset),
                doc_string=BACKWARD,
            )
        )
        self._count += 1
        return outputs[0]


def attribute_of(value: AttributeValue) -> Attribute:
    """The attribute of the value's type."""
    match value:
        case int():
            return Attribute(AttributeType.INT, value)
        case float():
            return Attribute(AttributeType.FLOAT, value)
        case str():
            return Attribute(AttributeType.STRING, value)
        case Graph():
            return Attribute(AttributeType.GRAPH, value)
        case _:
            return Attribute(AttributeType.INTS, value)
