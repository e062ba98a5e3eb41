"""NodeWriter: new forward nodes in few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pagetrain.graph import ONNX_DOMAIN, Node, Tensor

from .gradient.reduce import AXES_ARE_AN_INPUT_SINCE
from .gradient.scope import AttributeValue, attribute_of
from .op_schemas import since_version


@dataclass
class NodeWriter:
    """Nodes of the default domain at an opset, from 9 on, and their constants. prefix: of every name; dtype: of float constants."""

    prefix: str
    opset: int
    dtype: np.dtype
    nodes: list[Node] = field(default_factory=list)
    constants: list[Tensor] = field(default_factory=list)

    def emit(self, op_type: str, *inputs: str, output: str = "", **attributes: AttributeValue) -> str:
        """The name of the new node's result."""
        return self.emit_several(op_type, inputs, [output or f"{self.prefix}/{op_type}_{len(self.nodes)}_output"], **attributes)[0]

    def emit_several(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: AttributeValue) -> Sequence[str]:
        """A node with several results."""
        made = {name: attribute_of(value) for name, value in attributes.items()}
        name = f"{self.prefix}/{op_type}_{len(self.nodes)}"
        version = since_version(op_type, ONNX_DOMAIN, self.opset)
        self.nodes.append(Node(op_type, tuple(inputs), tuple(outputs), name, ONNX_DOMAIN, made, version))
        return outputs

    def number(self, value: float) -> str:
        """A scalar."""
        return self._constant(np.array(value, self.dtype))

    def ints(self, *values: int) -> str:
        """An int64 tensor of one axis."""
        return self._constant(np.array(values, np.int64))

    def _constant(self, data: np.ndarray) -> str:
        name = f"{self.prefix}/constant_{len(self.constants)}"
        self.constants.append(Tensor(name, data))
        return name

    def split(self, value: str, sizes: Sequence[int], axis: int) -> Sequence[str]:
        """The value in parts of these sizes."""
        if len(sizes) == 1:
            return [value]
        names = [f"{self.prefix}/Split_{len(self.nodes)}_output_{place}" for place in range(len(sizes))]
        if self.opset < AXES_ARE_AN_INPUT_SINCE:
            return self.emit_several("Split", [value], names, axis=axis, split=tuple(sizes))
        return self.emit_several("Split", [value, self.ints(*sizes)], names, axis=axis)

    def squeeze(self, value: str, axis: int) -> str:
        """Without that axis, of size 1."""
        return self._with_axis("Squeeze", value, axis)

    def unsqueeze(self, value: str, axis: int) -> str:
        """With an axis of size 1 put in."""
        return self._with_axis("Unsqueeze", value, axis)

    def _with_axis(self, op_type: str, value: str, axis: int) -> str:
        if self.opset < AXES_ARE_AN_INPUT_SINCE:
            return self.emit(op_type, value, axes=(axis,))
        return self.emit(op_type, value, self.ints(axis))

    def joined(self, values: Sequence[str], axis: int) -> str:
        """One after the other."""
        return values[0] if len(values) == 1 else self.emit("Concat", *values, axis=axis)

    def sum(self, a: str, b: str) -> str:
        """a + b, "" being zero."""
        return self.emit("Add", a, b) if a and b else a or b
