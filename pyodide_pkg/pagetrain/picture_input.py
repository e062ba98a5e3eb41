"""A model that takes a picture as it is: uint8, of any size, with the manifest's preprocessing as ONNX ops before its graph.

Pillow's resize is a product with two matrices, of which each row says how much of every pixel of one side goes into a pixel of the result:

    W[j, x] = f((x + 1/2 - c[j]) / max(s, 1)), divided by its row's sum;  c[j] = (left + j + 1/2) s;  s = side / resized side

f: the resampling's kernel; left: what the crop leaves out, whose rows are not even made. Pillow rounds to whole gray levels after each of
the two, and so does this. It computes W to 22 bits, this in float64, and the product in float32: where a sum is nearly a half, a pixel
comes out one level apart, of noise at most one in 7000 with bicubic and one in 500 with bilinear, whose sums often are halves. ONNX's own
Resize is antialiased from opset 18 on only, and does not round between.
Source: Pillow's Resample.c (precompute_coeffs, bicubic_filter, ImagingResampleHorizontal_8bpc); ONNX ops of opset 13 to 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .errors import InvalidInputError
from .graph import Attribute, AttributeType, ElementType, Model, Node, Tensor, TensorType, ValueInfo
from .preprocess import Step
from .renaming import renamed

PICTURE = "image"  # the input's name
OLDEST_OPSET = 13  # since then ReduceSum and Unsqueeze take their axes as an input
_PREFIX = "picture."  # of the values before the model's own input


def with_picture_input(model: Model, steps: Sequence[Step], name: str) -> Model:
    """The model with input `image`, uint8 [height, width, 3], RGB and upright, in the place of its float input `name`; a batch of one.

    steps: of the manifest, checked; those before the resize are the caller's. Raises InvalidInputError for a model of an opset below 13,
    and for a resampling other than bicubic and bilinear.
    """
    opset = model.opset_import.get("", 0)
    if opset < OLDEST_OPSET:
        raise InvalidInputError(f"The base model is of opset {opset}; preprocessing inside needs {OLDEST_OPSET} or later.")
    ops = _Ops(opset)
    graph, tensor = model.graph, _prepared(ops, {step["op"]: step for step in steps})
    names = {PICTURE: f"{_PREFIX}own", name: tensor}
    image = ValueInfo(PICTURE, TensorType(ElementType.UINT8, ("height", "width", 3)))
    inputs = (image, *(value for value in graph.inputs if value.name != name))
    nodes = (*ops.nodes, *(renamed(node, names) for node in graph.nodes))
    return replace(model, graph=replace(graph, nodes=nodes, inputs=inputs, initializers=(*ops.constants, *graph.initializers)))


class _Ops:
    """Nodes in the order in which they are made. A call makes one and answers the name of its output; numbers and arrays are constants."""

    def __init__(self, opset: int) -> None:
        self.nodes: list[Node] = []
        self.constants: list[Tensor] = []
        self._opset = opset

    def __call__(self, op_type: str, *inputs: str | np.ndarray | np.generic, **attributes: int) -> str:
        names = tuple(one if isinstance(one, str) else self._constant(np.asarray(one)) for one in inputs)
        output = f"{_PREFIX}{len(self.nodes)}"
        given = {key: Attribute(AttributeType.INT, value) for key, value in attributes.items()}
        self.nodes.append(Node(op_type, names, (output,), output, attributes=given, since_version=self._opset))
        return output

    def _constant(self, value: np.ndarray) -> str:
        self.constants.append(Tensor(f"{_PREFIX}constant.{len(self.constants)}", value))
        return self.constants[-1].name


def _prepared(ops: _Ops, given: Mapping[str, Step]) -> str:
    """The float32 tensor that the model takes, [1, 3, H, W] or [1, H, W, 3]."""
    crop, resize, normalize = given["center-crop"], given["resize-shortest"], given["normalize"]
    shape = ops("Shape", PICTURE)
    height, width = (ops("Cast", ops("Gather", shape, np.int64(axis)), to=ElementType.DOUBLE) for axis in (0, 1))
    short = ops("Min", height, width)
    rows = _weights(ops, height, short, crop["height"], resize)
    columns = ops("Transpose", _weights(ops, width, short, crop["width"], resize))
    channels_first = given["layout"]["order"] == "NCHW"
    channels = []
    for channel in range(3):  # one after another: a large picture is never held as float as a whole
        plane = ops("Cast", ops("Gather", PICTURE, np.int64(channel), axis=2), to=ElementType.FLOAT)
        seen = _rounded(ops, ops("MatMul", rows, _rounded(ops, ops("MatMul", plane, columns))))
        mean, std = (np.float32(normalize[key][channel]) for key in ("mean", "std"))
        axes = np.array([0, 1] if channels_first else [0, 3], np.int64)
        channels.append(ops("Unsqueeze", ops("Div", ops("Sub", seen, mean), std), axes))
    return ops("Concat", *channels, axis=1 if channels_first else 3)


def _weights(ops: _Ops, side: str, short: str, crop: int, resize: Step) -> str:
    """W for one side of the picture: float32 (crop, side). side, short: float64 scalars."""
    resized = ops("Max", ops("Round", ops("Div", ops("Mul", side, np.float64(resize["size"])), short)), np.float64(crop))
    left = ops("Floor", ops("Div", ops("Sub", resized, np.float64(crop)), np.float64(2)))
    scale = ops("Div", side, resized)
    centers = ops("Mul", ops("Add", np.arange(crop)[:, np.newaxis] + 0.5, left), scale)
    positions = ops("Range", np.float64(0.5), side, np.float64(1))
    distance = ops("Abs", ops("Div", ops("Sub", positions, centers), ops("Max", scale, np.float64(1))))
    shares = _kernel(ops, distance, resize["resample"])
    whole = ops("ReduceSum", shares, np.array([1], np.int64), keepdims=1)
    return ops("Cast", ops("Div", shares, whole), to=ElementType.FLOAT)


def _kernel(ops: _Ops, distance: str, resample: str) -> str:
    """f(d) for d >= 0. bilinear: max(1 - d, 0). bicubic (a = -1/2): 1.5 d^3 - 2.5 d^2 + 1 to 1, -0.5 d^3 + 2.5 d^2 - 4 d + 2 from 1 to 2.

    Each part of the latter is 0 at the ends of its range where the other goes on, so that the sum of both, held to their ranges, is f.
    """
    if resample == "bilinear":
        return ops("Max", ops("Sub", np.float64(1), distance), np.float64(0))
    if resample != "bicubic":
        raise InvalidInputError(f"Preprocessing inside the model resizes bicubic or bilinear, not {resample}; export without it.")
    near = ops("Min", distance, np.float64(1))
    far = ops("Max", ops("Min", distance, np.float64(2)), np.float64(1))
    return ops("Add", _polynomial(ops, near, (1.5, -2.5, 0, 1)), _polynomial(ops, far, (-0.5, 2.5, -4, 2)))


def _polynomial(ops: _Ops, x: str, coefficients: Sequence[float]) -> str:
    """Horner's rule, the highest power first."""
    value = ops("Mul", x, np.float64(coefficients[0]))
    for coefficient in coefficients[1:-1]:
        value = ops("Mul", ops("Add", value, np.float64(coefficient)), x)
    return ops("Add", value, np.float64(coefficients[-1]))


def _rounded(ops: _Ops, levels: str) -> str:
    """To whole numbers from 0 to 255."""
    return ops("Clip", ops("Floor", ops("Add", levels, np.float32(0.5))), np.float32(0), np.float32(255))
