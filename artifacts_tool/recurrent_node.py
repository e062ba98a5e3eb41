"""RecurrentNode: what an RNN, GRU or LSTM node says, read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, Dimension, ElementType, Node, TensorType
from pagetrain_ops.gates import NamedActivation, named_activations

from .half_precision import HALVES
from .more_types import is_said
from .node_writer import NodeWriter

ACTIVATIONS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
LENGTHS = 4  # position of the input sequence_lens
Default = TypeVar("Default")


@dataclass(frozen=True)
class RecurrentNode:
    """One node with the type of its X. hidden: the size of a state."""

    node: Node
    X: TensorType
    hidden: int

    @property
    def name(self) -> str:
        """A name that no other node has."""
        return next(name for name in self.node.outputs if name)

    @property
    def op_type(self) -> str:
        """RNN, GRU or LSTM."""
        return self.node.op_type

    @property
    def dtype(self) -> np.dtype:
        """That the steps are calculated in."""
        return NUMPY_DTYPES[ElementType.FLOAT if self.X.element in HALVES else self.X.element]

    @property
    def backwards(self) -> tuple[bool, ...]:
        """For each direction whether it goes from the end."""
        return {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[self.attribute("direction", "forward")]

    @property
    def batch_first(self) -> bool:
        """layout 1."""
        return self.attribute("layout", 0) == 1

    @property
    def batch(self) -> Dimension:
        """The size of the batch: a number or a name."""
        size = self.X.shape[0 if self.batch_first else 1] if self.X.shape else None
        return size if is_said(size) else f"{self.name}_batch"

    @property
    def clip(self) -> float:
        """The bound of what goes into an activation; 0 for none."""
        return self.attribute("clip", 0.0)

    @property
    def activations(self) -> list[list[NamedActivation]]:
        """For each direction."""
        given = self.attribute("activations", ()), self.attribute("activation_alpha", ()), self.attribute("activation_beta", ())
        return named_activations(*given, ACTIVATIONS[self.op_type], len(self.backwards))

    def with_float32_inputs(self, writer: NodeWriter) -> RecurrentNode:
        """The node with its inputs cast, if they are of half precision."""
        if self.X.element not in HALVES:
            return self
        inputs = (
            writer.emit("Cast", name, to=int(ElementType.FLOAT)) if name and place != LENGTHS else name
            for place, name in enumerate(self.node.inputs)
        )
        return replace(self, node=replace(self.node, inputs=tuple(inputs)), X=replace(self.X, element=ElementType.FLOAT))

    def input(self, place: int) -> str:
        """ "" for one that is left out."""
        return self.node.inputs[place] if place < len(self.node.inputs) else ""

    def output(self, place: int) -> str:
        """ "" for one that is left out."""
        return self.node.outputs[place] if place < len(self.node.outputs) else ""

    def attribute(self, name: str, default: Default) -> Default:
        """The attribute's value, of the default's type."""
        found = self.node.attributes.get(name)
        return default if found is None else found.value  # type: ignore[return-value]  # the schema fixes the type


def recurrent_node(node: Node, X: TensorType, R: TensorType | None) -> RecurrentNode:
    """Raises InvalidInputError when neither the node nor the shape of R tells the size of a state."""
    said = node.attributes.get("hidden_size")
    hidden = said.value if said is not None else R.shape[-1] if R and R.shape else None
    if not isinstance(hidden, int):
        raise InvalidInputError(f"{node.label} cannot be trained without hidden_size; give the node the attribute.")
    return RecurrentNode(node, X, hidden)
