"""folded(): a BatchNormalization by stored statistics becomes part of the convolution before it, so that no pass over the pixels is left.

Y = (Conv(X, W) + B - mean) s + bias = Conv(X, s W) + (B - mean) s + bias with s = scale / sqrt(var + epsilon): Jacob et al. 2018,
section 3.2 (arXiv:1712.05877). The filters are folded by a step of their own: once, if all is constant; else in each pass, because
parameters may change, which costs a pass over the filters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .graph import ONNX_DOMAIN, Attribute, ElementType, Node, Tensor, TensorType
from .kernels import Kernel
from .kernels.batch_norm import EPSILON
from .topology import reads

Pair = tuple[Node, Kernel]  # a node and what runs it
_SIDES = 4  # scale, bias, mean, var


def fold(
    W: np.ndarray,
    scale: np.ndarray,
    bias: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    B: np.ndarray | None = None,
    *,
    epsilon: float = EPSILON,
) -> tuple[np.ndarray, np.ndarray]:
    """(W', B') of the convolution that does both. W: (M, C / group, k1..); all others: (M,)."""
    s = scale / np.sqrt(np.asarray(var, np.float64) + epsilon)
    shifted = ((0 if B is None else B) - mean.astype(np.float64)) * s + bias
    return W * s.astype(W.dtype).reshape(-1, *[1] * (W.ndim - 1)), shifted.astype(W.dtype)


# It is no op that a file could hold, so it is not registered.
_FOLD = Kernel("pagetrain", "FoldBatchNormalization", 1, fold, frozenset(["epsilon"]))


def folded(pairs: Sequence[Pair], wanted: Iterable[str], fixed: Mapping[str, ElementType]) -> list[Pair]:
    """The pairs with such normalizations folded: each convolution moves to where the normalization was, and makes what that made.

    fixed: {value: element type} of what is there before any node runs. Left as they are: convolutions whose own result somebody else
    reads or wants, and those that are not in float32 (a folded filter would be rounded once more).
    """
    readers = Counter([*wanted, *(name for node, _ in pairs for name in reads(node))])
    makers = {node.outputs[0]: (node, kernel) for node, kernel in pairs if node.op_type == "Conv" and node.domain == ONNX_DOMAIN}
    floats = _floats(pairs, fixed)
    result: list[Pair] = []
    dropped = set()
    for node, kernel in pairs:
        source = node.inputs[0] if node.inputs else ""
        if _is_affine(node) and source in makers and readers[source] == 1:
            conv = makers[source][0]
            if len(conv.inputs) > 1 and floats.issuperset((conv.inputs[1], *filter(None, conv.inputs[2:]), *node.inputs[1:])):
                result += _joined(*makers[source], node)
                dropped.add(source)
                continue
        result.append((node, kernel))
    return [pair for pair in result if pair[0].outputs[0] not in dropped]


def _floats(pairs: Sequence[Pair], fixed: Mapping[str, ElementType]) -> set[str]:
    """What of `fixed` is float32, under all its names, with constants; exporters share parameters by Identity."""
    known = {name for name, element in fixed.items() if element == ElementType.FLOAT}
    for node, kernel in pairs:
        constant = _value(node.attributes.get("value"), None) if node.op_type == "Constant" else None
        copied = kernel.passes_on and node.inputs and node.inputs[0] in known
        if copied or (isinstance(constant, Tensor) and constant.data.dtype == np.float32):
            known.add(node.outputs[0])
    return known


def element_types(values: Mapping[str, np.ndarray], inputs: Collection[str], types: Mapping[str, TensorType]) -> dict[str, ElementType]:
    """What `folded` asks for, of initializers and of graph inputs."""
    floats = {name: ElementType.FLOAT for name, value in values.items() if getattr(value, "dtype", None) == np.float32}
    return {**floats, **{name: types[name].element for name in inputs if name in types}}


def _is_affine(node: Node) -> bool:
    """Whether it is a BatchNormalization that goes by stored statistics, one number for each channel."""
    plain = all(_value(node.attributes.get(name), usual) == usual for name, usual in (("training_mode", 0), ("spatial", 1)))
    whole = len(node.inputs) == 1 + _SIDES and all(node.inputs) and not any(node.outputs[1:])
    return node.op_type == "BatchNormalization" and node.domain == ONNX_DOMAIN and plain and whole


def _value(attribute: Attribute | None, default: object) -> object:
    return default if attribute is None else attribute.value


def _joined(conv: Node, kernel: Kernel, normalization: Node) -> list[Pair]:
    weight, bias = (f"{normalization.outputs[0]}/folded_{part}" for part in ("W", "B"))
    epsilon = {name: value for name, value in normalization.attributes.items() if name == "epsilon"}
    sides = (conv.inputs[1], *normalization.inputs[1 : 1 + _SIDES], *conv.inputs[2:3])
    folding = Node(_FOLD.op_type, sides, (weight, bias), normalization.name, _FOLD.domain, epsilon)
    return [(folding, _FOLD), (replace(conv, inputs=(conv.inputs[0], weight, bias), outputs=normalization.outputs[:1]), kernel)]
