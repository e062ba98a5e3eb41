"""shapes_of(): the shapes of an op's results from those of its inputs; itemsize_of(): how many bytes their elements have.

The rules of the ops in pagetrain-ops lie there, in the module of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from math import ceil
from types import ModuleType
from typing import Any

import numpy as np

from . import distributions
from .graph import NUMPY_DTYPES, ElementType
from .kernels import Kernel, Spec
from .kernels.window import conv_window, pool_window

Sizes = tuple[int, ...]
Specs = Sequence[Spec | None]
Values = Sequence[np.ndarray | None]  # of inputs that are small and known before anything runs
Rule = Callable[[Sequence[Sizes], Values, Mapping[str, Any]], Sequence[Sizes | None]]


def shapes_of(op_type: str, inputs: Specs, values: Values, attributes: Mapping[str, Any]) -> list[Sizes | None]:
    """The shapes of the first results; [] where no rule knows, or an input that it needs is not known.

    Raises InvalidInputError, ValueError, IndexError, KeyError or TypeError where the inputs do not fit.
    """
    rule = rules().get(op_type)
    if rule is None or (inputs and inputs[0] is None):
        return []
    return list(rule([() if spec is None else spec.shape for spec in inputs], values, attributes))


def itemsize_of(kernel: Kernel, position: int, inputs: Specs, attributes: Mapping[str, Any]) -> int | None:
    """Bytes of an element of the result at this position; None where no input tells."""
    told = element_types().get(kernel.op_type, "").split(";")
    typed_by = kernel.typed_by[position : position + 1]
    for word in [*(told[position].split() if position < len(told) else ()), *(f"={place}" for place in (*typed_by, 0))]:
        if word[0] == "@" and (element := attributes.get(word[1:])):
            return element.itemsize if isinstance(element, np.ndarray) else NUMPY_DTYPES[ElementType(element)].itemsize
        if word[0] == "=" and int(word[1:]) < len(inputs) and (spec := inputs[int(word[1:])]):
            return spec.itemsize
        if word.isdecimal():
            return int(word)
    return None


@cache
def rules() -> Mapping[str, Rule]:
    """{op_type: its rule} of all that is installed."""
    return {**_RULES, **(found.RULES if (found := _beside()) else {})}


@cache
def element_types() -> Mapping[str, str]:
    """{op_type: for each result, parted by ";", where its element type is found}, where the first input has another one.

    Words in order: @attribute, =input, or bytes.
    """
    return {**_ELEMENTS, **(found.ELEMENTS if (found := _beside()) else {})}


def _beside() -> ModuleType | None:
    """The rules of pagetrain-ops, where it is installed."""
    return import_module(f"{distributions.OPS}.shape_rules") if distributions.installed(distributions.OPS) else None


def broadcast(*positions: int) -> Rule:
    """Of an op whose result has the shape that these inputs (none: all) have together."""
    return lambda shapes, values, attributes: [np.broadcast_shapes(*([shapes[at] for at in positions] or shapes))]


def like(*positions: int) -> Rule:
    """Of an op whose results have the shapes of these inputs."""
    return lambda shapes, values, attributes: [shapes[at] for at in positions]


def named(position: int) -> Rule:
    """Of an op with an input that says the shape."""
    return lambda shapes, values, attributes: [] if (value := values[position]) is None else [tuple(int(size) for size in value)]


def conv(x: int, w: int) -> Rule:
    """Of a convolution of these two inputs, which may have its channels last."""

    def rule(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes | None]:
        X, W, last = shapes[x], shapes[w], attributes.get("channels_last")
        sizes = conv_window((X[0], X[-1], *X[1:-1]) if last else X, W, attributes).output
        return [(X[0], *sizes, W[0]) if last else (X[0], W[0], *sizes)]

    return rule


def pool(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    """Of MaxPool and its like."""
    return [(*shapes[0][:2], *pool_window(shapes[0], attributes).output)] * 2


def matmul(a: int, b: int) -> Rule:
    """Of a matrix product of these two inputs, as numpy.matmul."""

    def rule(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
        A, B = (_turned(shapes[at], attributes, side) for at, side in ((a, "A"), (b, "B")))
        if min(len(A), len(B)) < 2:
            return [A[:-1] + B[:-2] + B[-1:] if len(B) > 1 else A[:-1]]
        return [(*np.broadcast_shapes(A[:-2], B[:-2]), A[-2], B[-1])]

    return rule


def _turned(shape: Sizes, attributes: Mapping[str, Any], side: str) -> Sizes:
    if len(shape) < 2:
        return shape
    if attributes.get(f"transBatch{side}"):
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if attributes.get(f"trans{side}") else shape


def reduced(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    """Of a reduction along axes, which an input or an attribute tells."""
    given = values[1] if len(values) > 1 and values[1] is not None else attributes.get("axes")
    if given is None and len(shapes) > 1 and shapes[1] != ():
        raise ValueError("the axes are not known before the step runs")
    rank = len(shapes[0])
    none = () if attributes.get("noop_with_empty_axes") else range(rank)
    axes = {int(axis) % rank for axis in given} if given is not None and len(given) else set(none)
    if attributes.get("keepdims", 1):
        return [tuple(1 if axis in axes else size for axis, size in enumerate(shapes[0]))]
    return [tuple(size for axis, size in enumerate(shapes[0]) if axis not in axes)]


def concat(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    """Of arrays one after the other."""
    axis = attributes["axis"] % len(shapes[0])
    return [(*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :]), (len(shapes),)]


def global_pool(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    """Of one number for each channel."""
    return [(*shapes[0][:2], *[1] * (len(shapes[0]) - 2))]


def normalized(*outputs: str) -> Rule:
    """Of a normalization over the axes from `axis` on; outputs: "X" as the first input, "one" with these axes of size 1, "" not made."""

    def rule(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes | None]:
        X, axis = shapes[0], attributes.get("axis", -1)
        kept = len(X[:axis]) if axis < 0 else axis
        return [X if output == "X" else (*X[:kept], *[1] * (len(X) - kept)) if output else None for output in outputs]

    return rule


def _before_pool(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    declared = attributes["output_shapes"][0]
    return [(*shapes[0][:2], *(int(size) for size in declared[2:]))]


def _loss(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    return [shapes[1] if attributes.get("reduction") == "none" else (), shapes[0]]


def _gather(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    data, indices = shapes
    axis = attributes.get("axis", 0) % len(data)
    return [(*data[:axis], *indices, *data[axis + 1 :])]


def _gather_nd(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    data, indices = shapes
    return [(*indices[:-1], *data[attributes.get("batch_dims", 0) + indices[-1] :])]


def _compress(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    if values[1] is None:
        return []
    X, count, axis = shapes[0], int(values[1].sum()), attributes.get("axis")
    return [(count,) if axis is None else (*X[: axis % len(X)], count, *X[axis % len(X) + 1 :])]


def _one_hot(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    if values[1] is None:
        return []
    place = attributes.get("axis", -1) % (len(shapes[0]) + 1)
    return [(*shapes[0][:place], int(values[1].item()), *shapes[0][place:])]


def _range(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    start, limit, delta = (value.item() for value in values if value is not None)
    return [(max(0, ceil((limit - start) / delta)),)]


def _pad(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    pads = values[1] if len(values) > 1 else attributes["pads"]
    if pads is None:
        return []
    rank = len(shapes[0])
    axes = range(rank) if len(values) < 4 or values[3] is None else [int(axis) % rank for axis in values[3]]
    sizes = list(shapes[0])
    for axis, begin, end in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        sizes[axis] += int(begin) + int(end)
    return [tuple(sizes)]


def _tile(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    return [] if values[1] is None else [tuple(size * int(count) for size, count in zip(shapes[0], values[1], strict=True))]


def _each(ops: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(ops.split(), rule)


_RULES: Mapping[str, Rule] = {
    **_each(
        """Abs Add And Cast Ceil Celu Clip Cos Div Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish IsInf IsNaN
        LeakyRelu Less LessOrEqual Log LogSoftmax Max Mean Min Mish Mod Mul Neg Not Or PRelu Pow QuickGelu Reciprocal Relu Round Selu
        Shrink Sigmoid Sign Sin Softmax Softplus Softsign Sqrt Sub Sum SwiGLU Swish Tan Tanh ThresholdedRelu Where Xor""",
        broadcast(),
    ),
    **_each(
        """BiasGelu CastLike ClipGradient DropoutGrad FastGelu FastGeluGrad GeluGrad LeakyReluGrad LogSoftmaxGrad LogSoftmaxGrad_13
        QuickGeluGrad RMSNormalization ReluGrad Scale SigmoidGrad SoftmaxGrad SoftmaxGrad_13 TanhGrad""",
        like(0),
    ),
    **_each(
        """ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
        ReduceSumTraining""",
        reduced,
    ),
    **_each("AveragePool MaxPool", pool),
    **_each("AveragePoolGrad MaxPoolGrad", _before_pool),
    **_each("BatchNormInternal BatchNormalization", like(0, 3, 3, 3, 3)),
    **_each("BatchNormalizationGrad LayerNormalizationGrad", like(1, 2, 2)),
    **_each("Concat ConcatTraining", concat),
    **_each("ConstantOfShape GatherGrad GatherNDGrad", named(0)),
    **_each("Conv FusedConv", conv(0, 1)),
    **_each("FusedGemm FusedMatMul Gemm MatMul", matmul(0, 1)),
    **_each("GatherElementsGrad SliceGrad", named(1)),
    **_each("GlobalAveragePool GlobalMaxPool", global_pool),
    **_each("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss SoftmaxCrossEntropyLossInternal", _loss),
    **_each("SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyLossInternalGrad GatherElements", like(1)),
    "Compress": _compress,
    "ConvGrad": lambda shapes, values, attributes: [shapes[1], shapes[2], shapes[2][:1]],
    "DivGrad": like(1, 2),
    "Dropout": like(0, 0),
    "FoldBatchNormalization": like(0, 1),
    "Gather": _gather,
    "GatherND": _gather_nd,
    "InPlaceAccumulatorV2": lambda shapes, values, attributes: [(1,), shapes[0]],
    "LayerNormalization": normalized("X", "one", "one"),
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "SimplifiedLayerNormalization": normalized("X", "one"),
    "SkipLayerNormalization": normalized("X", "one", "one", "X"),
    "Tile": _tile,
}
_ELEMENTS: Mapping[str, str] = {
    **dict.fromkeys(["Equal", "Greater", "GreaterOrEqual", "InPlaceAccumulatorV2", "IsInf", "IsNaN", "Less", "LessOrEqual"], "1"),
    "Cast": "@to",
    "CastLike": "=1",
    "ConcatTraining": "=0;8",
    "ConstantOfShape": "@value 4",
    "Dropout": "=0;1",
    **dict.fromkeys(["GatherGrad", "GatherNDGrad", "OneHot"], "=2"),
    "MaxPool": "=0;8",
    "NonZero": "8",
    "SoftmaxCrossEntropyLossGrad": "=1",
    "SoftmaxCrossEntropyLossInternalGrad": "=1",
    "Where": "=1",
}
