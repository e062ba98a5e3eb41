"""shapes_of(): the shapes of an op's results from those of its inputs, for the ops whose shapes graphs most often leave open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .kernels import Spec
from .kernels.window import conv_window, pool_window

Sizes = tuple[int, ...]
Specs = Sequence[Spec | None]
Values = Sequence[np.ndarray | None]  # of inputs that are small and known before anything runs
Rule = Callable[[list[Sizes], Values, Mapping[str, Any]], list[Sizes]]

_BROADCASTING = (
    *("Abs", "Add", "And", "Cast", "Ceil", "Clip", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater", "GreaterOrEqual"),
    *("HardSigmoid", "HardSwish", "Less", "LessOrEqual", "Log", "LogSoftmax", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg", "Not"),
    *("LeakyRelu", "Or", "Pow", "PRelu", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Softmax", "Softplus", "Sqrt", "Sub"),
    *("Softsign", "Sum", "Tanh", "ThresholdedRelu", "Where", "Xor"),
)
_REDUCING = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"),
    *("ReduceSumSquare", "ReduceSumTraining"),
)
_AS_FIRST = (
    *("BiasGelu", "ClipGradient", "CumSum", "Dropout", "DropoutGrad", "GeluGrad"),
    *("InstanceNormalization", "LayerNormalization", "LeakyReluGrad", "LogSoftmaxGrad_13", "ReluGrad", "Scale", "Scatter"),
    *("ScatterElements", "ScatterND", "SigmoidGrad", "SoftmaxGrad_13", "TanhGrad"),
)


def shapes_of(op_type: str, inputs: Specs, values: Values, attributes: Mapping[str, Any]) -> list[Sizes | None]:
    """The shapes of the first results; [] where no rule knows, or an input that it needs is not known.

    Raises InvalidInputError, ValueError, IndexError or KeyError where the inputs do not fit.
    """
    if not inputs or inputs[0] is None:
        return []
    shapes = [() if spec is None else spec.shape for spec in inputs]
    if op_type in _BROADCASTING:
        return [np.broadcast_shapes(*shapes)]
    if op_type in _AS_FIRST:
        return [shapes[0]]
    rule = _reduced if op_type in _REDUCING else _RULES.get(op_type)
    return list(rule(shapes, values, attributes)) if rule else []


def _conv(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    X, W = shapes[:2]
    return [(X[0], W[0], *conv_window(X, W, attributes).output)]


def _conv_grad(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    _, X, W = shapes
    return [X, W, W[:1]]


def _conv_transpose(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    X, W = shapes[:2]
    rank, auto_pad = len(X) - 2, attributes.get("auto_pad", "NOTSET")
    pads = (auto_pad == "NOTSET" and attributes.get("pads")) or (0,) * 2 * rank
    strides, dilations, more = (
        attributes.get(name) or (default,) * rank for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0))
    )
    sizes = [
        size * strides[at]
        if auto_pad.startswith("SAME")
        else (size - 1) * strides[at] + (W[2 + at] - 1) * dilations[at] + 1 + more[at] - pads[at] - pads[rank + at]
        for at, size in enumerate(X[2:])
    ]
    return [(X[0], W[1] * attributes.get("group", 1), *(attributes.get("output_shape") or sizes)[-rank:])]


def _batch_norm(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    X, mean = shapes[0], shapes[3]
    return [X, *[mean] * 4]


def _fold(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    W, scale = shapes[:2]
    return [W, scale]


def _pool(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    return [(*shapes[0][:2], *pool_window(shapes[0], attributes).output)] * 2


def _global_pool(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    return [(*shapes[0][:2], *[1] * (len(shapes[0]) - 2))]


def _matmul(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    A, B = shapes
    if min(len(A), len(B)) < 2:
        return [A[:-1] + B[:-2] + B[-1:] if len(B) > 1 else A[:-1]]
    return [(*np.broadcast_shapes(A[:-2], B[:-2]), A[-2], B[-1])]


def _gemm(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    rows, columns = shapes[0][1 if attributes.get("transA") else 0], shapes[1][0 if attributes.get("transB") else 1]
    return [(rows, columns)]


def _reduced(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    given = values[1] if len(values) > 1 and values[1] is not None else attributes.get("axes")
    if given is None and len(shapes) > 1 and shapes[1] != ():
        raise ValueError("the axes are not known before the step runs")
    rank = len(shapes[0])
    none = () if attributes.get("noop_with_empty_axes") else range(rank)
    axes = {int(axis) % rank for axis in given} if given is not None and len(given) else set(none)
    if attributes.get("keepdims", 1):
        return [tuple(1 if axis in axes else size for axis, size in enumerate(shapes[0]))]
    return [tuple(size for axis, size in enumerate(shapes[0]) if axis not in axes)]


def _concat(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    axis = attributes["axis"] % len(shapes[0])
    return [(*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])]


def _gather(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    data, indices = shapes
    axis = attributes.get("axis", 0) % len(data)
    return [(*data[:axis], *indices, *data[axis + 1 :])]


def _pad(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    pads = values[1] if len(values) > 1 else attributes["pads"]
    if pads is None:
        return []
    rank = len(shapes[0])
    axes = range(rank) if len(values) < 4 or values[3] is None else [int(axis) % rank for axis in values[3]]
    sizes = list(shapes[0])
    for axis, begin, end in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        sizes[axis] += int(begin) + int(end)
    return [tuple(sizes)]


def _resize(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    if len(values) > 3 and values[3] is not None and attributes.get("axes") is None:
        return [tuple(int(size) for size in values[3])]
    scales = values[2] if len(values) > 2 else values[1]
    return [] if scales is None else [tuple(int(np.floor(size * scale)) for size, scale in zip(shapes[0], scales, strict=True))]


def _recurrent(shapes: list[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    X, _, R = shapes[:3]
    state = (R[0], X[1], R[2]) if not attributes.get("layout") else (X[0], R[0], R[2])
    Y = (X[0], *state) if not attributes.get("layout") else (X[0], X[1], R[0], R[2])
    return [Y, state, state]


def _named(position: int) -> Rule:
    """Of an op with an input that says the shape."""
    return lambda shapes, values, attributes: [] if (value := values[position]) is None else [tuple(int(size) for size in value)]


_RULES: Mapping[str, Rule] = {
    "AveragePool": _pool,
    "BatchNormInternal": _batch_norm,
    "BatchNormalization": _batch_norm,
    "Concat": _concat,
    "ConstantOfShape": _named(0),
    "Conv": _conv,
    "ConvGrad": _conv_grad,
    "ConvTranspose": _conv_transpose,
    "FoldBatchNormalization": _fold,
    "FusedConv": _conv,
    "FusedGemm": _gemm,
    "GRU": _recurrent,
    "Gather": _gather,
    "GatherElementsGrad": _named(1),
    "GatherGrad": _named(0),
    "Gemm": _gemm,
    "GlobalAveragePool": _global_pool,
    "GlobalMaxPool": _global_pool,
    "LSTM": _recurrent,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "Pad": _pad,
    "RNN": _recurrent,
    "Resize": _resize,
}
RULED = (*_BROADCASTING, *_AS_FIRST, *_REDUCING, *_RULES)  # the ops that there is a rule for
