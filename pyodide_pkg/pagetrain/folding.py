"""What bind may compute ahead of time from constants: so much that a small file can ask neither for a large array nor for hours.

Whatever is left out is computed at each run instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import ElementType

MOST_ELEMENTS = 1 << 26  # of a value
MOST_BYTES = 1 << 28  # of all that is made, the constants that were there apart
MOST_WORK = 1 << 28  # elements to go through for all of it

Value = Any  # an array, a list of them (a sequence), or None for an input left out

VIEWS = frozenset({"Constant", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"})  # of values that are there already
# What a kernel makes, and how much work that is: for _LIKE_LARGEST at most the elements of the largest input, in a few passes over it;
# for _BROADCAST those of all inputs, broadcast; for _PRODUCT each element of one input with each of the others.
_LIKE_LARGEST = {
    "ArgMax", "ArgMin", "BitCast", "CastLike", "Compress", "CumSum", "DequantizeLinear", "QuantizeLinear", "ReduceL1", "ReduceL2",
    "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
    "Shape", "Size", "Slice", "TopK", "Trilu",
}  # fmt: skip
_BROADCAST = {
    "Abs", "Add", "And", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Cast", "Ceil", "Clip", "Cos", "Div",
    "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Log", "Max",
    "Mean", "Min", "Mod", "Mul", "Neg", "Not", "Or", "Pow", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Softmax",
    "Sqrt", "Sub", "Sum", "Tanh", "Transpose", "Where", "Xor",
}  # fmt: skip
_PRODUCT = {"Gather", "GatherElements", "GatherND", "Gemm", "MatMul", "ScatterElements", "ScatterND"}


@dataclass
class Room:
    """What may still be made."""

    size: int = MOST_BYTES
    work: int = MOST_WORK

    @classmethod
    def beside(cls, constants: Mapping[str, Value]) -> Room:
        """As much again as a few times the constants, where these are many."""
        size = sum(bytes_of(value) for value in constants.values())
        return cls(max(MOST_BYTES, 4 * size), max(MOST_WORK, 4 * size))

    def has(self, op_type: str, inputs: Sequence[Value], attributes: Mapping[str, Any]) -> bool:
        """Whether the node may be computed, which is then paid for."""
        bound = most_elements(op_type, inputs, attributes)
        width = max((value.itemsize for value in inputs if isinstance(value, np.ndarray | np.generic)), default=8)
        if bound is None or bound > min(MOST_ELEMENTS, self.work) or bound * width > self.size:
            return False
        self.work -= bound
        return True

    def pay(self, op_type: str, made: Sequence[Value]) -> None:
        """Counts what was made."""
        if op_type not in VIEWS:
            self.size -= sum(bytes_of(value) for value in made)


def bytes_of(value: Value) -> int:
    """Of all elements, whether or not they share memory."""
    return int(value.nbytes) if isinstance(value, np.ndarray | np.generic) else 0


def told_size(op_type: str, inputs: Sequence[Value]) -> int | None:
    """The elements of the result, of an op whose inputs tell them by their values; None of other ops."""
    if op_type in ("ConstantOfShape", "Expand", "Tile"):
        own = inputs[0].size if len(inputs) > 1 else 1
        return int(own * math.prod(max(1, int(size)) for size in inputs[-1].ravel()))
    if op_type == "Range":
        start, limit, delta = (float(value.reshape(-1)[0]) if value.size else 0.0 for value in inputs)
        steps = (limit - start) / delta if delta else math.inf
        return max(0, math.ceil(steps)) if math.isfinite(steps) else MOST_ELEMENTS + 1
    return None


def most_elements(op_type: str, inputs: Sequence[Value], attributes: Mapping[str, Any]) -> int | None:
    """How many elements the result can have, and be made of, at most; 0 for a view. None if that cannot be told."""
    makes_texts = attributes.get("to") == ElementType.STRING
    return None if makes_texts else _bound(op_type, [value for value in inputs if value is not None])


def _bound(op_type: str, inputs: Sequence[Value]) -> int | None:
    if op_type in VIEWS:
        return 0
    if not all(isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject for value in inputs):
        return None
    try:
        told = told_size(op_type, inputs)
        spread = math.prod(np.broadcast_shapes(*(value.shape for value in inputs))) if op_type in _BROADCAST else None
    except (ArithmeticError, LookupError, TypeError, ValueError):  # inputs that the op does not take
        return None
    if told is not None or spread is not None:
        return spread if told is None else told
    if op_type == "FoldBatchNormalization":  # see batch_norm_folding.py
        return int(inputs[0].size) if all(value.shape == inputs[0].shape[:1] for value in inputs[1:]) else None
    sizes = [int(value.size) for value in inputs]
    if op_type in _LIKE_LARGEST:
        return max(sizes, default=0)
    if op_type in ("Concat", "NonZero"):
        return sum(sizes) * (max((value.ndim for value in inputs), default=0) if op_type == "NonZero" else 1)
    return math.prod(max(1, size) for size in sizes) if op_type in _PRODUCT else None
