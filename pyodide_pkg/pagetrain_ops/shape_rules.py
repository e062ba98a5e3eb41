"""The shapes of the results of the ops in this distribution: see pagetrain/shape_rules.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.window import pool_window
from pagetrain.shape_rules import Rule, Sizes, Values, broadcast, concat, conv, global_pool, like, matmul, normalized, pool, reduced

from .resize import targets_of

Attributes = Mapping[str, Any]


def _arg(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> Sequence[Sizes | None]:
    return reduced(shapes[:1], (), {"axes": [attributes.get("axis", 0)], "keepdims": attributes.get("keepdims", 1)})


def _attention(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes | None]:
    if "num_heads" in attributes:
        return _attention_ms(shapes, attributes)
    groups, heads = attributes.get("kv_num_heads"), attributes.get("q_num_heads")
    q, k, v = (_by_heads(X, count) for X, count in zip(shapes[:3], (heads, groups, groups), strict=True))
    past = shapes[4][2] if len(shapes) > 4 and shapes[4] else 0
    T, Y = past + k[2], (*q[:3], v[3])
    return [Y if len(shapes[0]) == 4 else (q[0], q[2], q[1] * v[3]), (*k[:2], T, k[3]), (*v[:2], T, v[3]), (*q[:3], T)]


def _by_heads(X: Sizes, heads: int | None) -> Sizes:
    return X if len(X) == 4 else (X[0], heads or 1, X[1], X[2] // (heads or 1))


def _attention_ms(shapes: Sequence[Sizes], attributes: Attributes) -> list[Sizes | None]:
    (N, S, _), heads = shapes[0], attributes["num_heads"]
    sizes = attributes.get("qkv_hidden_sizes") or (shapes[1][1] // 3,) * 3
    past = shapes[4][3] if len(shapes) > 4 and shapes[4] else 0
    return [(N, S, sizes[2]), (2, N, heads, past + S, sizes[1] // heads)]


def _embedded(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    total = (*shapes[0], shapes[2][1])
    return [total, shapes[0][:1], total]


def _linear_attention(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    (N, T, wide), heads, groups = shapes[0], attributes["q_num_heads"], attributes["kv_num_heads"]
    e = shapes[2][2] // groups
    return [(N, T, heads * e), (N, groups, wide // heads, e)]


def _causal(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    return [shapes[0], (*shapes[0][:2], shapes[1][-1] - 1)]


def _conv_transpose(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
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


def _col2im(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    image, block = values[1:3]
    if image is None or block is None:
        return []
    return [(shapes[0][0], shapes[0][1] // prod(block.tolist()), *image.tolist())]


def _unpooled(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    if len(shapes) > 2 and shapes[2]:
        return [] if values[2] is None else [tuple(int(size) for size in values[2])]
    X, kernel = shapes[0], attributes["kernel_shape"]
    rank = len(kernel)
    strides, pads = attributes.get("strides") or (1,) * rank, attributes.get("pads") or (0,) * 2 * rank
    return [(*X[:2], *((X[2 + at] - 1) * strides[at] + kernel[at] - pads[at] - pads[rank + at] for at in range(rank)))]


def _einsum(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    terms, told, output = attributes["equation"].replace(" ", "").partition("->")
    if not told:  # then it is what stands there once, by the alphabet
        output = "..." * ("..." in terms) + "".join(sorted(letter for letter in set(terms) - {",", "."} if terms.count(letter) == 1))
    sizes: dict[str, int] = {}
    wide: Sizes = ()
    for term, shape in zip(terms.split(","), shapes, strict=True):
        before, _, after = term.partition("...")
        ends = len(shape) - len(after)
        wide = np.broadcast_shapes(wide, shape[len(before) : ends])
        for letter, size in zip(before + after, (*shape[: len(before)], *shape[ends:]), strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    before, dots, after = output.partition("...")
    return [(*(sizes[letter] for letter in before), *(wide if dots else ()), *(sizes[letter] for letter in after))]


def _affine_grid(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    if values[1] is None:
        return []
    size = values[1].tolist()
    return [(shapes[0][0], *size[2:], len(size) - 2)]


def _qlinear_concat(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> Sequence[Sizes]:
    return concat(shapes[2::3], (), attributes)[:1]


def _lstm_8_bit(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    return _states(shapes[0], shapes[2][0], shapes[2][1], 0)


def _recurrent(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    return _states(shapes[0], shapes[2][0], shapes[2][2], attributes.get("layout", 0))


def _states(X: Sizes, ways: int, hidden: int, layout: int) -> list[Sizes]:
    state = (X[0], ways, hidden) if layout else (ways, X[1], hidden)
    return [(X[0], X[1], ways, hidden) if layout else (X[0], *state), state, state]


def _channels_last_pool(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    X = shapes[0]
    return [(X[0], *pool_window((X[0], X[-1], *X[1:-1]), attributes).output, X[-1])]


def _qlinear_pool(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    if attributes.get("channels_last"):
        return _channels_last_pool(shapes, values, attributes)
    return [(*shapes[0][:2], *pool_window(shapes[0], attributes).output)]


def _qlinear_global_pool(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    X = shapes[0]
    ones = [1] * (len(X) - 2)
    return [(X[0], *ones, X[-1]) if attributes.get("channels_last") else (*X[:2], *ones)]


def _blocks(up: bool) -> Rule:
    def rule(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
        (N, C, H, W), b = shapes[0], attributes["blocksize"]
        return [(N, C // b**2, H * b, W * b) if up else (N, C * b**2, H // b, W // b)]

    return rule


def _resize(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    X, scales = shapes[0], values[2] if len(values) > 2 else values[1] if len(values) > 1 else np.array(attributes["scales"])
    sizes = values[3] if len(values) > 3 else None
    if scales is None and sizes is None:
        return []
    places = [axis % len(X) for axis in attributes.get("axes") or range(len(X))]
    targets = targets_of([X[axis] for axis in places], scales, sizes, attributes.get("keep_aspect_ratio_policy", "stretch"))[1]
    found = dict(zip(places, targets, strict=True))
    return [tuple(found.get(axis, size) for axis, size in enumerate(X))]


def _top_k(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    k = attributes.get("k") if len(values) < 2 else values[1]
    if k is None:
        return []
    X, axis = shapes[0], attributes.get("axis", -1) % len(shapes[0])
    return [(*X[:axis], int(np.asarray(k).item()), *X[axis + 1 :])] * 2


def _spectrum(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    X, (length, axis) = shapes[0], [value and int(value.item()) for value in (*values, None, None)[1:3]]
    onesided, inverse = attributes.get("onesided"), attributes.get("inverse")
    if len(values) > 1 and length is None and axis is None:
        return []  # whatever it is, it is not known
    if axis is None and len(X) > 3 and "axis" not in attributes and (onesided or length):
        return []  # the default depends on the version
    place = attributes.get("axis", -2 if axis is None else axis) % len(X)
    size = length or (2 * (X[place] - 1) if onesided and inverse else X[place])
    size = size // 2 + 1 if onesided and not inverse else size
    return [(*X[:place], size, *X[place + 1 : -1], 1 if onesided and inverse else 2)]


def _frames(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    told = values[3] if len(values) > 3 else None
    if values[1] is None or (told is None and len(shapes) > 3 and shapes[3]):
        return []
    N, total = shapes[0][:2]
    length = int(told.item()) if told is not None else shapes[2][0] if len(shapes) > 2 and shapes[2] else total
    count = len(range(0, total - length + 1, int(values[1].item())))
    return [(N, count, length // 2 + 1 if attributes.get("onesided", 1) else length, 2)]


def _mel(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    bins, length = values[:2]
    return [] if bins is None or length is None else [(int(length.item()) // 2 + 1, int(bins.item()))]


def _window(shapes: Sequence[Sizes], values: Values, attributes: Attributes) -> list[Sizes]:
    return [] if values[0] is None else [(int(values[0].item()),)]


def _center(shapes: Sequence[Sizes], values: Values, attributes: Mapping[str, Any]) -> list[Sizes]:
    if values[1] is None:
        return []
    sizes = list(shapes[0])
    for axis, size in zip(attributes.get("axes") or range(len(sizes)), values[1], strict=True):
        sizes[axis] = int(size)
    return [tuple(sizes)]


def _each(ops: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(ops.split(), rule)


RULES: Mapping[str, Rule] = {
    **_each("BitShift BitwiseAnd BitwiseOr BitwiseXor", broadcast()),
    **_each(
        """Acos Acosh Asin Asinh Atan Atanh Bernoulli BitCast BitwiseNot Cosh CumProd CumSum DequantizeLinear EyeLike GroupNormalization
        Hardmax InstanceNormalization LRN LpNormalization MeanVarianceNormalization OptionalGetElement QLinearLeakyRelu QLinearSigmoid
        QLinearSoftmax QuantizeLinear RandomNormalLike RandomUniformLike ReverseSequence RotaryEmbedding Scaler Scatter ScatterElements
        ScatterND Sinh TensorScatter Trilu""",
        like(0),
    ),
    **_each("ArgMax ArgMin", _arg),
    **_each("BlackmanWindow HammingWindow HannWindow", _window),
    **_each("DynamicQuantizeMatMul MatMulInteger MatMulIntegerToFloat", matmul(0, 1)),
    **_each("GRU LSTM RNN", _recurrent),
    **_each("QGemm QLinearMatMul", matmul(0, 3)),
    **_each("QLinearAdd QLinearMul", broadcast(0, 3)),
    **_each("RandomNormal RandomUniform", lambda shapes, values, attributes: [tuple(attributes["shape"])]),
    **_each("Resize Upsample", _resize),
    "AffineGrid": _affine_grid,
    "ArrayFeatureExtractor": lambda shapes, values, attributes: [(*((1,) * (len(shapes[0]) < 2)), *shapes[0][:-1], prod(shapes[1]))],
    "Attention": _attention,
    "CausalConvWithState": _causal,
    "CenterCropPad": _center,
    "Col2Im": _col2im,
    "ConvInteger": conv(0, 1),
    "ConvTranspose": _conv_transpose,
    "ConvTransposeGrad": lambda shapes, values, attributes: [shapes[1], shapes[2], (shapes[0][1],)],
    "DFT": _spectrum,
    "DeformConv": lambda shapes, values, attributes: [(shapes[0][0], shapes[1][0], *shapes[2][2:])],
    "DepthToSpace": _blocks(up=True),
    "Det": lambda shapes, values, attributes: [shapes[0][:-2]],
    "DynamicQuantizeLSTM": _lstm_8_bit,
    "DynamicQuantizeLinear": lambda shapes, values, attributes: [shapes[0], (), ()],
    "Einsum": _einsum,
    "EmbedLayerNormalization": _embedded,
    "GridSample": lambda shapes, values, attributes: [(*shapes[0][:2], *shapes[1][1:-1])],
    "LinearAttention": _linear_attention,
    "GlobalLpPool": global_pool,
    "LpPool": pool,
    "MaxRoiPool": lambda shapes, values, attributes: [(shapes[1][0], shapes[0][1], *attributes["pooled_shape"])],
    "MaxUnpool": _unpooled,
    "MelWeightMatrix": _mel,
    "Multinomial": lambda shapes, values, attributes: [(shapes[0][0], attributes.get("sample_size", 1))],
    "NhwcMaxPool": _channels_last_pool,
    "OptionalHasElement": lambda shapes, values, attributes: [()],
    "QLinearAveragePool": _qlinear_pool,
    "QLinearConcat": _qlinear_concat,
    "QLinearConv": conv(0, 3),
    "QLinearGlobalAveragePool": _qlinear_global_pool,
    "QLinearWhere": broadcast(0, 1, 4),
    "RoiAlign": lambda shapes, values, attributes: [
        (shapes[1][0], shapes[0][1], attributes.get("output_height", 1), attributes.get("output_width", 1))
    ],
    "STFT": _frames,
    "SkipSimplifiedLayerNormalization": normalized("X", "", "one", "X"),
    "SpaceToDepth": _blocks(up=False),
    "TfIdfVectorizer": lambda shapes, values, attributes: [(*shapes[0][:-1], max(attributes["ngram_indexes"], default=-1) + 1)],
    "TopK": _top_k,
}
ELEMENTS: Mapping[str, str] = {
    **dict.fromkeys(["ArgMax", "ArgMin", "NonMaxSuppression"], "8"),
    **dict.fromkeys(["Bernoulli", "EyeLike", "RandomNormalLike", "RandomUniformLike"], "@dtype"),
    **dict.fromkeys(["RandomNormal", "RandomUniform"], "@dtype 4"),
    **dict.fromkeys(["BlackmanWindow", "HammingWindow", "HannWindow", "MelWeightMatrix"], "@output_datatype 4"),
    **dict.fromkeys(["ConvInteger", "MatMulInteger", "Multinomial", "Scaler", "TfIdfVectorizer"], "@dtype 4"),
    "BitCast": "@to",
    "DequantizeLinear": "@output_dtype =1",
    "DynamicQuantizeLinear": "1;4;1",
    "EmbedLayerNormalization": "=2;4;=2",
    "MatMulIntegerToFloat": "=2",
    "OptionalHasElement": "1",
    "QGemm": "=8 4",
    "QLinearConcat": "=1",
    "QLinearWhere": "=1",
    "QuantizeLinear": "@output_dtype =2 1",
    "TopK": "=0;8",
    "Unique": "=0;8;8;8",
}
