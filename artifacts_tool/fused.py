"""written_apart: ops of com.microsoft that stand for several others, as these, which have gradients.

Source: microsoft/onnxruntime:onnxruntime/core/graph/contrib_ops (the fused ops' inputs and attributes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES, ONNX_DOMAIN, Attribute, AttributeType, Node, Tensor, TensorType

from .op_schemas import since_version

CLIP_INPUTS_SINCE = 11
CONV_ATTRIBUTES = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
GEMM_ATTRIBUTES = ("alpha", "beta", "transA", "transB")
SKIP_EPSILON = 1e-12  # of SkipLayerNormalization where it names none
PARAMETERS = {  # activation: its attributes, in the order of activation_params
    "Clip": ("min", "max"),
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "ThresholdedRelu": ("alpha",),
}


def is_fused(node: Node) -> bool:
    """Whether it stands for several others."""
    return node.domain == MS_DOMAIN and node.op_type in _WRITERS


def written_apart(node: Node, types: Mapping[str, TensorType], opset: int) -> list[Node]:
    """The nodes that the fused one stands for; [node] where a type or rank is needed that is not known."""
    if node.inputs[0] not in types:
        return [node]
    parts = _Parts(node, types, opset)
    _WRITERS[node.op_type](parts)
    return parts.nodes or [node]


@dataclass
class _Parts:
    """The nodes so far. Helper names start with the fused node's first output."""

    node: Node
    types: Mapping[str, TensorType]
    opset: int
    nodes: list[Node] = field(default_factory=list)

    def input(self, place: int) -> str:
        return self.node.inputs[place] if place < len(self.node.inputs) else ""

    def output(self, place: int) -> str:
        """The node's output, "" when it is left out."""
        return self.node.outputs[place] if place < len(self.node.outputs) else ""

    def attribute(self, name: str, default: float) -> float:
        found = self.node.attributes.get(name)
        return default if found is None else found.value  # type: ignore[return-value]  # the schema fixes the type

    def own(self, names: Sequence[str]) -> dict[str, Attribute]:
        """Those of the fused node's attributes."""
        return {name: value for name, value in self.node.attributes.items() if name in names}

    def emit(
        self, op_type: str, inputs: Sequence[str], outputs: Sequence[str] = (), attributes: Mapping[str, Attribute] | None = None
    ) -> str:
        prefix = f"{self.node.outputs[0]}/{self.node.op_type}/{op_type}_{len(self.nodes)}"
        names = tuple(outputs) or (f"{prefix}_output",)
        version = since_version(op_type, ONNX_DOMAIN, self.opset)
        self.nodes.append(Node(op_type, _without_tail(inputs), _without_tail(names), prefix, ONNX_DOMAIN, attributes or {}, version))
        return names[0]

    def number(self, value: float) -> str:
        """A scalar of the element type of the first input."""
        data = np.array(value, NUMPY_DTYPES[self.types[self.input(0)].element])
        return self.emit("Constant", [], attributes={"value": Attribute(AttributeType.TENSOR, Tensor("", data))})

    def activated(self, value: str, parameters: Sequence[float]) -> None:
        """The node's output = its activation of `value`."""
        found = self.node.attributes.get("activation")
        activation = str(found.value) if found is not None and found.value else "Identity"
        named = dict(zip(PARAMETERS.get(activation, ()), parameters, strict=False))
        if activation == "Clip" and self.opset >= CLIP_INPUTS_SINCE:
            self.emit("Clip", [value, *map(self.number, named.values())], self.node.outputs[:1])
        else:
            attributes = {name: Attribute(AttributeType.FLOAT, parameter) for name, parameter in named.items()}
            self.emit(activation, [value], self.node.outputs[:1], attributes)


def _without_tail(names: Sequence[str]) -> tuple[str, ...]:
    last = max((place for place, name in enumerate(names) if name), default=-1)
    return tuple(names[: last + 1])


def _fused_gemm(parts: _Parts) -> None:
    """activation(alpha A' B' + beta C)."""
    total = parts.emit("Gemm", parts.node.inputs, attributes=parts.own(GEMM_ATTRIBUTES))
    parts.activated(total, [parts.attribute(f"activation_{name}", 0.0) for name in ("alpha", "beta")])


def _fused_conv(parts: _Parts) -> None:
    """activation(Conv(X, W, B) + Z)."""
    total = parts.emit("Conv", parts.node.inputs[:3], attributes=parts.own(CONV_ATTRIBUTES))
    if parts.input(3):
        total = parts.emit("Add", [total, parts.input(3)])
    given = parts.node.attributes.get("activation_params")
    parts.activated(total, () if given is None else given.value)  # type: ignore[arg-type]  # the schema fixes the type


def _fused_mat_mul(parts: _Parts) -> None:
    """alpha A' B', the operands transposed as asked."""
    operands = [_turned(parts, place, which) for place, which in enumerate("AB")]
    if not all(operands):
        parts.nodes.clear()
        return
    alpha = parts.attribute("alpha", 1.0)
    product = parts.emit("MatMul", operands)
    parts.emit("Mul", [product, parts.number(alpha)], parts.node.outputs)


def _turned(parts: _Parts, place: int, which: str) -> str:
    """The operand; "" when its rank is needed and not known."""
    name = parts.input(place)
    batch, trans = parts.attribute(f"transBatch{which}", 0), parts.attribute(f"trans{which}", 0)
    known = parts.types.get(name)
    if not (batch or trans) or known is None or known.shape is None:
        return "" if batch or trans else name
    order = np.arange(len(known.shape))
    if len(order) < 2:
        return name
    if batch:
        order[:-1] = np.roll(order[:-1], -1)
    if trans:
        order[-2:] = order[-2:][::-1]
    return parts.emit("Transpose", [name], attributes={"perm": Attribute(AttributeType.INTS, tuple(map(int, order)))})


def _skip_layer_normalization(parts: _Parts) -> None:
    """LayerNormalization(input + skip + bias) over the last axis; the sum is output 3."""
    total = _skipped(parts, 4)
    statistics = [parts.output(place) for place in (0, 1, 2)]
    parts.emit("LayerNormalization", [total, parts.input(2), parts.input(3)], statistics, _epsilon(parts))


def _skip_simplified_layer_normalization(parts: _Parts) -> None:
    """SimplifiedLayerNormalization(input + skip + bias) over the last axis; the sum is output 3."""
    total = _skipped(parts, 3)
    statistics = [parts.output(0), parts.output(2)]
    parts.emit("SimplifiedLayerNormalization", [total, parts.input(2)], statistics, _epsilon(parts))


def _epsilon(parts: _Parts) -> dict[str, Attribute]:
    return {"epsilon": Attribute(AttributeType.FLOAT, parts.attribute("epsilon", SKIP_EPSILON))}


def _skipped(parts: _Parts, bias: int) -> str:
    outputs = [parts.output(3)] if parts.output(3) else []
    if not parts.input(bias):
        return parts.emit("Add", [parts.input(0), parts.input(1)], outputs)
    return parts.emit("Add", [parts.emit("Add", [parts.input(0), parts.input(1)]), parts.input(bias)], outputs)


_WRITERS: Mapping[str, Callable[[_Parts], None]] = {
    "FusedConv": _fused_conv,
    "FusedGemm": _fused_gemm,
    "FusedMatMul": _fused_mat_mul,
    "SkipLayerNormalization": _skip_layer_normalization,
    "SkipSimplifiedLayerNormalization": _skip_simplified_layer_normalization,
}
