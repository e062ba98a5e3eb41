"""Lines of the layers of networks: convolutions, pools, normalizations, products, recurrent ones, losses, detection, quantisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .draw import Draw, Line, ints

PLACES = {"NOTSET": 3, "SAME_UPPER": 1, "SAME_LOWER": 1, "VALID": 1}  # how often each is drawn


def window(d: Draw, rank: int, dilated: bool = True) -> dict[str, Any]:
    """Attributes that say where a window of `rank` axes stands."""
    kernel = [d.int(1, 3) for _ in range(rank)]
    found: dict[str, Any] = {"kernel_shape": kernel, "strides": [d.int(1, min(2, size)) for size in kernel]}
    auto_pad = d.pick(*(name for name, times in PLACES.items() for _ in range(times)))
    if auto_pad == "NOTSET":
        found["pads"] = [d.int(0, size - 1) for size in kernel * 2]
        if dilated:
            found["dilations"] = [d.int(1, 2) for _ in kernel]
    return {**found, **({"auto_pad": auto_pad} if auto_pad != "NOTSET" else {})}


def conv(d: Draw) -> Any:
    rank, group = d.int(1, 3), d.int(1, 2)
    where = window(d, rank)
    filters = d.x((group * d.int(1, 2), d.int(1, 2), *where["kernel_shape"]))
    X = d.x((d.int(1, 2), filters.shape[1] * group, *(d.int(5, 7) for _ in range(rank))))
    return [X, filters, *([d.x((len(filters),))] if d.flag() else [])], {**where, "group": group}


def conv_transpose(d: Draw) -> Any:
    rank, group = d.int(1, 2), d.int(1, 2)
    where = window(d, rank, dilated=False)
    filters = d.x((group * d.int(1, 2), d.int(1, 2), *where["kernel_shape"]))
    X = d.x((d.int(1, 2), len(filters), *(d.int(2, 4) for _ in range(rank))))
    return [X, filters, *([d.x((filters.shape[1] * group,))] if d.flag() else [])], {**where, "group": group}


def pool(dilated_since: int, ceil_since: int, **more: tuple[Any, ...]) -> Callable[[Draw], Any]:
    """more: further attributes, one of the values each."""

    def build(d: Draw) -> Any:
        rank = d.int(1, 3)
        where = window(d, rank, dilated=d.version >= dilated_since)
        if "auto_pad" not in where and d.version >= ceil_since:
            where["ceil_mode"] = d.flag()
        return [d.x((1, 2, *(d.int(5, 7) for _ in range(rank))))], {**where, **{name: d.pick(*values) for name, values in more.items()}}

    return build


def max_pool_places(d: Draw) -> Any:
    inputs, attributes = pool(99, 99)(d)
    return [d.distinct(inputs[0].shape)], attributes, 2


def max_unpool(d: Draw) -> Any:
    X = d.x((1, 2, 2, 3))
    return [X, np.sort(np.array(d.order(48)[:12], np.int64)).reshape(X.shape)], {"kernel_shape": [2, 2], "strides": [2, 2]}


def picture(d: Draw) -> Any:
    return [d.x((2, *d.shape(2, 4)))]


def batch_norm(d: Draw) -> Any:
    shape = d.shape(2, 4)
    stats = [d.x(shape[1:2], low, 2) for low in (-2, -2, -2, 0.3)]
    return [d.x(shape), *stats], {"epsilon": 1e-3}


def instance_norm(d: Draw) -> Any:
    shape = (2, *d.shape(2, 3), 3)
    return [d.x(shape), d.x(shape[1:2]), d.x(shape[1:2])], {"epsilon": 1e-2}


def lrn(d: Draw) -> Any:
    return [d.x((2, d.int(1, 6), 2, 3))], {"size": d.pick(1, 3, 5), "alpha": d.float(0.1, 1), "bias": d.float(1, 2)}


def lp_norm(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape, 0.2, 2)], {"axis": d.axis(len(shape)), "p": d.pick(1, 2)}


def gemm(d: Draw) -> Any:
    m, k, n = (d.int(1, 4) for _ in range(3))
    a, b = d.flag(), d.flag()
    C = d.x(d.under((m, n)) or (1,))
    return [d.x((k, m) if a else (m, k)), d.x((n, k) if b else (k, n)), C], {"transA": a, "transB": b, "alpha": 0.5, "beta": 2.0}


def matmul(d: Draw) -> Any:
    batch, (m, k, n) = d.shape(0, 2), (d.int(1, 4) for _ in range(3))
    return [d.x((*d.under(batch), m, k)), d.x((*batch, k, n))]


def einsum(d: Draw) -> Any:
    b, i, j, k = (d.int(1, 3) for _ in range(4))
    equation = d.pick("bij,bjk->bik", "bij,bjk->ki", "...ij,...jk->...ik")
    return [d.x((b, i, j)), d.x((b, j, k))], {"equation": equation}


def recurrent(gates: int, **more: tuple[Any, ...]) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        steps, batch, size, hidden = (d.int(1, 3) for _ in range(4))
        direction = d.pick("forward", "reverse", "bidirectional")
        ways = 2 if direction == "bidirectional" else 1
        weights = [d.x((ways, gates * hidden, size)), d.x((ways, gates * hidden, hidden)), d.x((ways, 2 * gates * hidden))]
        lengths = np.sort(d.places((batch,), steps) + 1)[::-1].astype(np.int32) if d.flag() else None
        states = [d.x((ways, batch, hidden)) for _ in range(2 if gates == 4 else 1)]
        how = {"direction": direction, "hidden_size": hidden, **{name: d.pick(*values) for name, values in more.items()}}
        return [d.x((steps, batch, size)), *weights, lengths, *states], how, 1 + len(states)

    return build


def loss(outputs: int) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        batch, classes, *deep = d.shape(2, 4)
        labels, scores = d.places((batch, *deep), classes), d.x((batch, classes, *deep))
        weights = d.x((classes,), 0.5, 2) if d.flag() else None
        return [scores, labels, weights], {"reduction": d.pick("none", "sum", "mean")}, outputs

    return build


def boxes(d: Draw) -> Any:
    count = d.int(1, 6)
    corners = np.concatenate((d.x((2, count, 2), 0, 1), d.x((2, count, 2), 0.4, 1.5)), axis=2)
    scores = d.distinct((2, 2, count)) / np.float32(4 * count)
    return [corners, scores, ints(d.int(1, 6)), np.float32([d.float(0, 1)]), np.float32([d.float(0, 1)])], {"center_point_box": d.flag()}


def regions(d: Draw) -> Any:
    corners = np.concatenate((d.x((3, 2), 0, 3), d.x((3, 2), 4, 9)), axis=1)
    how = {"output_height": d.int(1, 3), "output_width": d.int(1, 3), "sampling_ratio": d.int(0, 2), "spatial_scale": 0.7}
    return [d.x((2, 2, 6, 7)), corners, d.places((3,), 2)], {**how, "mode": d.pick("avg", "max")}


def pooled_regions(d: Draw) -> Any:
    corners = np.concatenate((d.places((3, 1), 2).astype(np.float32), d.x((3, 2), 0, 4), d.x((3, 2), 3, 9)), axis=1)
    return [d.x((2, 2, 6, 7)), corners], {"pooled_shape": [d.int(1, 3), d.int(1, 3)], "spatial_scale": d.pick(1.0, 0.6)}


def grid(d: Draw) -> Any:
    mode = d.pick("nearest", *(("bilinear", "bicubic") if d.version < 20 else ("linear", "cubic")))
    how = {"padding_mode": d.pick("zeros", "border", "reflection"), "align_corners": d.flag()}
    return [d.x((2, 2, d.int(2, 5), d.int(2, 5))), d.x((2, d.int(1, 3), d.int(1, 3), 2), -1.5, 1.5)], {**how, "mode": mode}


def deformed(d: Draw) -> Any:
    X, W = d.x((2, 2, d.int(3, 5), d.int(3, 5))), d.x((2, 2, 2, 3))
    return [X, W, d.x((2, 12, X.shape[2] - 1, X.shape[3] - 2), -1.5, 1.5), d.x((2,))]


def spectrum(d: Draw) -> Any:
    shape, axis = (*d.shape(2, 3), d.int(1, 2)), ints(1).reshape(())
    how = {"inverse": d.flag()}
    return ([d.x(shape)], {**how, "axis": 1}) if d.version < 20 else ([d.x(shape), None, axis], how)


def quantized(d: Draw, kind: str) -> np.ndarray:
    return np.asarray(d.x((), 0, 20, kind))


def quantize(d: Draw) -> Any:
    shape, kind = d.shape(2), d.pick("uint8", "int8", *(("uint16", "int16") if d.version >= 21 else ()))
    axis = d.axis(len(shape))
    each = shape[axis : axis + 1 or None] if d.version >= 13 and d.flag() else ()
    how = {"axis": axis} if d.version >= 13 else {}
    return [d.x(shape, -60, 60), d.x(each, 0.1, 1), d.x(each, 0, 4, kind)], how


def dequantize(d: Draw) -> Any:
    shape = d.shape(2)
    axis = d.axis(len(shape))
    each = shape[axis : axis + 1 or None] if d.version >= 13 and d.flag() else ()
    return [d.x(shape, -20, 20), d.x(each, 0.1, 1, "float32"), d.x(each, 0, 4)], {"axis": axis} if d.version >= 13 else {}


def quantized_matmul(d: Draw) -> Any:
    m, k, n = (d.int(1, 4) for _ in range(3))
    scales = [np.array(d.float(0.02, 0.1), np.float32) for _ in range(2)]
    zeros = [quantized(d, "uint8") for _ in range(3)]
    sides = [d.x((m, k), 0, 40, "uint8"), d.x((k, n), 0, 40, "uint8")]
    return [sides[0], scales[0], zeros[0], sides[1], scales[1], zeros[1], np.array(1, np.float32), zeros[2]]


LINES = (
    Line("Conv", conv),
    Line("ConvTranspose", conv_transpose),
    Line("AveragePool", pool(19, 10, count_include_pad=(0, 1)), "fd"),
    Line("MaxPool", pool(10, 10), "fd"),
    Line("MaxPool", max_pool_places, "fd", since=8),
    Line("LpPool", pool(18, 18, p=(1, 2, 3))),
    Line("MaxUnpool", max_unpool),
    *(Line(op, picture, "fd") for op in ("GlobalAveragePool", "GlobalMaxPool")),
    Line("GlobalLpPool", lambda d: (picture(d), {"p": d.pick(1, 2, 3)})),
    Line("BatchNormalization", batch_norm, "fd"),
    Line("InstanceNormalization", instance_norm),
    Line("LRN", lrn),
    Line("LpNormalization", lp_norm, "fd"),
    Line("MeanVarianceNormalization", lambda d: [d.x((2, 3, *d.shape(2, 2)))]),
    Line("Gemm", gemm, "fd"),
    Line("MatMul", matmul, "fdil"),
    Line("Einsum", einsum, "fdil"),
    Line("Det", lambda d: [d.x((*d.shape(0, 2), *[d.int(1, 3)] * 2))]),
    Line("RNN", recurrent(1)),
    Line("GRU", recurrent(3, linear_before_reset=(0, 1))),
    Line("LSTM", recurrent(4)),
    Line("SoftmaxCrossEntropyLoss", loss(2), "fd"),
    Line("NegativeLogLikelihoodLoss", loss(1), "fd"),
    Line("NonMaxSuppression", boxes),
    Line("RoiAlign", regions),
    Line("MaxRoiPool", pooled_regions),
    Line("GridSample", grid),
    Line("DeformConv", deformed),
    Line("DFT", spectrum, "fd"),
    Line("QuantizeLinear", quantize),
    Line("DequantizeLinear", dequantize, "bB"),
    Line("QLinearMatMul", quantized_matmul, "B"),
)
