"""Lines of ops that arrange, pick, pad and resample elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .draw import Draw, Line, ints

ANY = "fdhilB?"


def anything(d: Draw) -> Any:
    return [d.x(d.shape(0))]


def shape_of(d: Draw) -> Any:
    bounds = {"start": d.int(-5, 5), "end": d.int(-5, 5)}
    return [d.x(d.shape(0))], {name: value for name, value in bounds.items() if d.version >= 15 and d.flag()}


def reshape(d: Draw) -> Any:
    shape = d.shape(2)
    target = [int(np.prod(shape[:2])), *shape[2:]]
    target[d.int(0, len(target) - 1)] = -1
    if d.flag():  # the first size stays
        target = [0, -1]
    return [d.x(shape), ints(*target)]


def flatten(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape)], {"axis": d.int(0 if d.version < 11 else -len(shape), len(shape))}


def transpose(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape)], {"perm": d.order(len(shape))} if d.flag() else {}


def ones(as_input: bool, there: bool) -> Callable[[Draw], Any]:
    """Squeeze (the axes of size 1 are there) and Unsqueeze."""

    def build(d: Draw) -> Any:
        shape = d.shape(1, 3)
        axes = d.axes(len(shape) + 1, d.version >= 11)[: 1 if there else 2]
        if there:
            shape = (*shape[: axes[0]], 1, *shape[axes[0] :]) if axes[0] >= 0 else np.expand_dims(np.empty(shape), axes[0]).shape
        elif len(axes) == 2:
            axes = axes[:1]
        return ([d.x(shape), ints(*axes)], {}) if as_input else ([d.x(shape)], {"axes": axes})

    return build


def concat(d: Draw) -> Any:
    shape = list(d.shape())
    axis, parts = d.axis(len(shape), 0 if d.version < 11 else None), []
    for _ in range(d.int(1, 3)):
        shape[axis] = d.int(0 if parts else 1, 3)
        parts.append(d.x(tuple(shape)))
    return parts, {"axis": axis}


def split(form: str) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        sizes, shape = [d.int(1, 3) for _ in range(d.int(1, 3))], list(d.shape())
        axis = d.axis(len(shape), 0 if d.version < 11 else None)
        if form == "count":
            shape[axis] = d.int(4, 7)
            return [d.x(tuple(shape))], {"axis": axis, "num_outputs": 3}, 3
        shape[axis] = sum(sizes)
        if form == "attribute":
            return [d.x(tuple(shape))], {"axis": axis, "split": sizes}, len(sizes)
        return [d.x(tuple(shape)), ints(*sizes)], {"axis": axis}, len(sizes)

    return build


def slice_of(as_input: bool) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        shape = d.shape()
        axes = d.axes(len(shape), negative=d.version >= 11)
        starts, ends = ([d.int(-5, 5) for _ in axes] for _ in range(2))
        if not as_input:
            return [d.x(shape)], {"axes": axes, "starts": starts, "ends": ends}
        return [d.x(shape), ints(*starts), ints(*ends), ints(*axes), ints(*(d.pick(1, 2, -1, -2) for _ in axes))]

    return build


def gather(d: Draw) -> Any:
    shape = d.shape()
    axis = d.axis(len(shape))
    indices = d.indices(d.shape(0, 2), shape[axis], d.pick("int32", "int64"))
    return [d.x(shape), np.asarray(np.abs(indices) % shape[axis]) if d.version < 11 else indices], {"axis": axis}


def gather_elements(d: Draw) -> Any:
    shape = d.shape()
    axis = d.axis(len(shape))
    picked = tuple(d.int(1, size) for size in shape)
    return [d.x(shape), d.indices(picked, shape[axis])], {"axis": axis}


def gather_nd(d: Draw) -> Any:
    batch = d.int(0, 1) if d.version >= 12 else 0
    shape = d.shape(2 + batch)
    depth = d.int(1, len(shape) - batch)
    indices = np.stack([d.indices((*shape[:batch], 3), size) for size in shape[batch : batch + depth]], axis=-1)
    return [d.x(shape), indices], {"batch_dims": batch} if batch else {}


def scatter(d: Draw) -> Any:
    """Each place once, where the order would count."""
    shape = d.shape()
    axis = d.axis(len(shape))
    reduction = d.pick("none", "add", "mul", *(("max", "min") if d.version >= 18 else ())) if d.version >= 16 else "none"
    picked = tuple(d.int(1, size) for size in shape)
    order = np.argsort(d.x(shape, dtype="float64"), axis=axis)[tuple(slice(0, size) for size in picked)].astype(np.int64)
    attributes = {"axis": axis, **({"reduction": reduction} if d.version >= 16 else {})}
    return [d.x(shape), order if reduction == "none" else d.indices(picked, shape[axis]), d.x(picked)], attributes


def scatter_nd(d: Draw) -> Any:
    shape = d.shape(2)
    reduction = d.pick("none", "add", "mul", *(("max", "min") if d.version >= 18 else ())) if d.version >= 16 else "none"
    rows = np.array(d.order(shape[0]), np.int64)[: d.int(1, shape[0]), None]
    if reduction != "none":
        rows = d.indices((3, 1), shape[0])
    return [d.x(shape), rows, d.x((len(rows), *shape[1:]))], {"reduction": reduction} if d.version >= 16 else {}


def compress(d: Draw) -> Any:
    shape = d.shape()
    if d.flag():
        return [d.x(shape), d.x((d.int(1, int(np.prod(shape))),), dtype=bool)]
    axis = d.axis(len(shape), 0 if d.version < 11 else None)
    return [d.x(shape), d.x((d.int(1, shape[axis]),), dtype=bool)], {"axis": axis}


def one_hot(d: Draw) -> Any:
    shape, depth = d.shape(1, 3), d.int(1, 4)
    return [d.indices(shape, depth + 1).astype(d.dtype), ints(depth), d.x((2,), dtype="float32")], {"axis": d.axis(len(shape) + 1)}


def expand(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(d.under(shape)), ints(*d.under(shape))]


def tile(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape), ints(*(d.int(0, 3) for _ in shape))]


def pad(d: Draw) -> Any:
    shape = d.shape(1, 3, size=4)
    places = d.axes(len(shape), negative=True) if d.version >= 18 and d.flag() else None
    count = 2 * len(places if places is not None else shape)
    mode = d.pick("constant", "edge", "reflect", *(("wrap",) if d.version >= 19 else ()))
    widths = [d.int(0, 3 if mode in ("constant", "edge") else min(shape) - 1) for _ in range(count)]
    if d.version < 11:
        return [d.x(shape)], {"pads": widths, "mode": mode, **({"value": 1.5} if d.flag() else {})}
    value = d.x(()) if d.flag() else None
    return [d.x(shape), ints(*widths), value, *([ints(*places)] if places is not None else [])], {"mode": mode}


def top_k(d: Draw) -> Any:
    shape = d.shape()
    axis = d.axis(len(shape), 0 if d.version < 10 else None)
    k = d.int(1, shape[axis])
    if d.version < 10:
        return [d.distinct(shape)], {"axis": axis, "k": k}, 2
    return [d.distinct(shape), ints(k)], {"axis": axis, **({"largest": d.flag()} if d.version >= 11 else {})}, 2


def unique(d: Draw) -> Any:
    shape = d.shape(1, 2)
    return [d.x(shape, -0.4, 0.4)], {"sorted": d.flag(), **({"axis": d.axis(len(shape))} if d.flag() else {})}, 4


def reverse_sequence(d: Draw) -> Any:
    shape = d.shape(2)
    batch = d.flag()
    return [d.x(shape), d.places((shape[batch],), shape[1 - batch] + 1)], {"batch_axis": batch, "time_axis": 1 - batch}


def depth_to_space(d: Draw) -> Any:
    n, c, h, w, b = (d.int(1, 3) for _ in range(5))
    return [d.x((n, c * b * b, h, w))], {"blocksize": b, **({"mode": d.pick("DCR", "CRD")} if d.version >= 11 else {})}


def space_to_depth(d: Draw) -> Any:
    n, c, h, w, b = (d.int(1, 3) for _ in range(5))
    return [d.x((n, c, h * b, w * b))], {"blocksize": b}


def filled(d: Draw) -> Any:
    return [ints(*d.shape())], {"value": d.x((1,))}


def eye(d: Draw) -> Any:
    return [d.x((d.int(1, 4), d.int(1, 4)))], {"k": d.int(-3, 3), **({"dtype": d.pick(1, 7, 11)} if d.flag() else {})}


def range_of(d: Draw) -> Any:
    start, step = d.int(-4, 4), d.pick(-2, -1, 1, 3)
    return [np.array(value, d.dtype) for value in (start, start + step * d.int(0, 4) + d.flag(), step)]


def resize_old(d: Draw) -> Any:
    """Scales as an attribute of Upsample-7, else as an input."""
    shape, mode = (d.int(1, 2), d.int(1, 2), d.int(1, 4), d.int(1, 4)), d.pick("nearest", "linear")
    scales = [1.0, 1.0, d.pick(1.0, 2.0, 3.0), d.pick(1.0, 2.0, 4.0)]
    return ([d.x(shape)], {"mode": mode, "scales": scales}) if d.version < 9 else ([d.x(shape), np.float32(scales)], {"mode": mode})


def resize_scales(coordinates: str, size: int) -> list[float]:
    """Not those that give a size with a fraction where onnxruntime counts without it, and onnx's node tests with it."""
    limit = {"align_corners": np.inf, "pytorch_half_pixel": 2}.get(coordinates, 0)
    return [scale for scale in (0.5, 1.0, 1.5, 2.0) if (scale * size).is_integer() or scale * size >= limit]


def resize(d: Draw) -> Any:
    shape, mode = (d.int(1, 2), d.int(1, 2), d.int(2, 5), d.int(2, 5)), d.pick("nearest", "linear", "cubic")
    how = {"mode": mode, "coordinate_transformation_mode": d.pick("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")}
    if mode == "nearest":
        how["nearest_mode"] = d.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    none = np.empty(0, np.float32) if d.version < 13 else None
    if d.flag():
        scales = [d.pick(*resize_scales(how["coordinate_transformation_mode"], size)) for size in shape[2:]]
        return [d.x(shape), none, np.float32([1, 1, *scales])], how
    return [d.x(shape), none, none, ints(*shape[:2], d.int(1, 8), d.int(1, 8))], how


LINES = (
    Line("Shape", shape_of, ANY),
    Line("Size", anything, ANY),
    Line("Reshape", reshape, ANY),
    Line("Flatten", flatten, ANY),
    Line("Transpose", transpose, ANY),
    Line("Squeeze", ones(as_input=False, there=True), ANY, until=12),
    Line("Squeeze", ones(as_input=True, there=True), ANY, since=13),
    Line("Unsqueeze", ones(as_input=False, there=False), ANY, until=12),
    Line("Unsqueeze", ones(as_input=True, there=False), ANY, since=13),
    Line("Concat", concat, ANY),
    Line("Split", split("attribute"), "fil", until=12),
    Line("Split", split("input"), "fil", since=13),
    Line("Split", split("count"), "fil", since=18),
    Line("Slice", slice_of(as_input=False), ANY, until=9),
    Line("Slice", slice_of(as_input=True), ANY, since=10),
    Line("Gather", gather, ANY),
    Line("GatherElements", gather_elements, ANY),
    Line("GatherND", gather_nd, ANY),
    Line("ScatterElements", scatter, "fdil"),
    Line("ScatterND", scatter_nd, "fdil"),
    Line("Compress", compress, ANY),
    Line("OneHot", one_hot, "fil"),
    Line("NonZero", anything, "filB?"),
    Line("Expand", expand, ANY),
    Line("Tile", tile, "fdilB"),
    Line("Pad", pad, "fdilB"),
    Line("TopK", top_k, "fdil"),
    Line("Unique", unique, "fdl"),
    Line("ReverseSequence", reverse_sequence, ANY),
    Line("DepthToSpace", depth_to_space, "fd"),
    Line("SpaceToDepth", space_to_depth, "fd"),
    Line("Constant", lambda d: ([], {"value": d.x(d.shape(0))}), ANY),
    Line("ConstantOfShape", filled, ANY),
    Line("EyeLike", eye, "fdil"),
    Line("Range", range_of, "fdsil"),
    Line("Upsample", resize_old),
    Line("Resize", resize_old, until=10),
    Line("Resize", resize, since=11),
)
