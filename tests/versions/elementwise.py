"""Lines of ops that work element by element, along an axis, or over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .draw import DTYPES, Draw, Line, ints

FLOATS, WHOLE, ALL = "fdh", "bsilBSIL", "fdhbsilBSIL"
TO = {"f": 1, "B": 2, "b": 3, "S": 4, "s": 5, "i": 6, "l": 7, "?": 9, "h": 10, "d": 11, "I": 12, "L": 13}


def unary(low: float = -2, high: float = 2) -> Callable[[Draw], Any]:
    return lambda d: [d.x(d.shape(0), low, high)]


def scaled(*names: str) -> Callable[[Draw], Any]:
    return lambda d: ([d.x(d.shape())], {name: d.float(0.2, 1.5) for name in names if d.flag()})


def binary(low: float = -2, high: float = 2) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        shape = d.shape(0)
        pair = [d.x(shape, low, high), d.x(d.under(shape), low, high)]
        return pair[:: d.pick(1, -1)]

    return build


def not_zero(array: np.ndarray) -> np.ndarray:
    return np.where(array == 0, array.dtype.type(1), array)


def division(d: Draw) -> Any:
    shape = d.shape(0)
    return [d.x(shape, -9, 9), not_zero(d.x(d.under(shape)))]


def remainder(d: Draw) -> Any:
    return division(d), {"fmod": 1 if d.dtype.kind == "f" else d.flag()}


def several(broadcast: bool) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        shape = d.shape()
        return [d.x(d.under(shape) if broadcast and d.flag() else shape) for _ in range(d.int(1, 3))]

    return build


def cast(d: Draw) -> Any:
    return [d.x(d.shape(0), 0)], {"to": TO[d.pick(*TO)]}


def cast_like(d: Draw) -> Any:
    return [d.x(d.shape(0), 0), d.x((1,), dtype=DTYPES[d.pick(*TO)])]


def special(d: Draw) -> np.ndarray:
    array = d.x(d.shape())
    array.ravel()[0] = d.pick(np.nan, np.inf, -np.inf, 0)
    return array


def clip(d: Draw) -> Any:
    return [d.x(d.shape(0)), d.x((), -1, 0) if d.flag() else None, d.x((), 0, 1)]


def over_axes(as_input: bool, low: float = -2, high: float = 2) -> Callable[[Draw], Any]:
    def build(d: Draw) -> Any:
        shape, keepdims = d.shape(), d.flag()
        axes = d.axes(len(shape), d.version >= 11) if d.flag() else None
        if not as_input:
            return [d.x(shape, low, high)], {"keepdims": keepdims, **({"axes": axes} if axes else {})}
        return [d.x(shape, low, high), None if axes is None else ints(*axes)], {"keepdims": keepdims, "noop_with_empty_axes": d.flag()}

    return build


def along(d: Draw, **attributes: Any) -> Any:
    shape = d.shape()
    return [d.x(shape)], {"axis": d.axis(len(shape), 0 if d.version < 11 else None), **attributes}


def place(last: bool) -> Callable[[Draw], Any]:
    return lambda d: along(d, keepdims=d.flag(), **({"select_last_index": d.flag()} if last else {}))


def running(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape), np.array(d.axis(len(shape)), np.int32)], {"exclusive": d.flag(), "reverse": d.flag()}


def slope(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape), d.x(d.under(shape))]


def power(d: Draw) -> Any:
    shape = d.shape(0)
    return [d.x(shape, 0.2, 2), d.x(d.under(shape), 0, 1, None if d.version < 12 else d.pick("float32", "int64", "float64"))]


def shift(d: Draw) -> Any:
    shape = d.shape()
    return [d.x(shape, 0, 20), d.x(d.under(shape), 0, 1)], {"direction": d.pick("LEFT", "RIGHT")}


def where(d: Draw) -> Any:
    shape = d.shape(0)
    return [d.x(d.under(shape), dtype=bool), d.x(shape), d.x(d.under(shape))]


SMOOTH = (
    "Asinh",
    "Atan",
    "Cos",
    "Cosh",
    "Erf",
    "Exp",
    "Sigmoid",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Tan",
    "Tanh",
    "HardSwish",
    "Mish",
)
REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceMean", "ReduceSumSquare", "ReduceMax", "ReduceMin")

PRODUCTS = (("fdh", -2), ("il", -0.4))  # whole ones stay small: onnxruntime cuts off products that int32 cannot hold

LINES = (
    *(Line(op, unary(), FLOATS) for op in SMOOTH),
    *(Line(op, unary(), "fdhbsilB") for op in ("Abs", "Neg", "Sign")),
    *(Line(op, unary(-9, 9), FLOATS) for op in ("Ceil", "Floor", "Round")),
    *(Line(op, unary(-0.9, 0.9), FLOATS) for op in ("Acos", "Asin", "Atanh")),
    *(Line(op, unary(1.1, 3), FLOATS) for op in ("Acosh", "Log", "Sqrt", "Reciprocal")),
    Line("Relu", unary(), "fdhbsil"),
    *(Line(op, scaled("alpha"), FLOATS) for op in ("Celu", "Elu", "LeakyRelu", "ThresholdedRelu")),
    Line("HardSigmoid", scaled("alpha", "beta"), FLOATS),
    Line("Selu", scaled("alpha", "gamma"), FLOATS),
    *(Line(op, binary(), ALL) for op in ("Add", "Sub")),
    Line("Mul", binary(-9, 9), ALL),
    Line("Div", division, ALL),
    Line("Mod", remainder, ALL),
    Line("Pow", power, "fdil"),
    Line("PRelu", slope, "fdhilIL"),
    Line("Equal", binary(-0.5, 0.5), ALL + "?"),
    *(Line(op, binary(-0.5, 0.5), ALL) for op in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual")),
    *(Line(op, lambda d: [special(d)], "fdh") for op in ("IsNaN", "IsInf")),
    *(Line(op, several(broadcast=False), until=7) for op in ("Max", "Min", "Sum", "Mean")),
    *(Line(op, several(broadcast=True), "fdhil", since=8) for op in ("Max", "Min", "Sum", "Mean")),
    Line("Clip", lambda d: ([d.x(d.shape())], {"min": d.float(-1, 0), "max": d.float(0, 1)}), until=10),
    Line("Clip", clip, "fdhbilBIL", since=11),
    Line("Cast", cast, "fdhsilBSIL?"),
    Line("CastLike", cast_like, "fdhsilBSIL?"),
    Line("BitShift", shift, "BSIL"),
    Line("Where", where, ALL + "?"),
    *(Line(op, over_axes(as_input=False), "fdhil", until=17) for op in REDUCTIONS),
    *(Line(op, over_axes(as_input=True), "fdhil", since=18) for op in REDUCTIONS),
    *(Line("ReduceProd", over_axes(as_input=False, low=low, high=-low), kinds, until=17) for kinds, low in PRODUCTS),
    *(Line("ReduceProd", over_axes(as_input=True, low=low, high=-low), kinds, since=18) for kinds, low in PRODUCTS),
    *(Line(op, over_axes(as_input=False, low=0.2), "fd", until=17) for op in ("ReduceLogSum", "ReduceLogSumExp")),
    *(Line(op, over_axes(as_input=True, low=0.2), "fd", since=18) for op in ("ReduceLogSum", "ReduceLogSumExp")),
    Line("ReduceSum", over_axes(as_input=False), "fdil", until=12),
    Line("ReduceSum", over_axes(as_input=True), "fdil", since=13),
    *(Line(op, along, FLOATS) for op in ("Softmax", "LogSoftmax", "Hardmax")),
    *(Line(op, place(last=False), "fdbilB", until=11) for op in ("ArgMax", "ArgMin")),
    *(Line(op, place(last=True), "fdbilB", since=12) for op in ("ArgMax", "ArgMin")),
    Line("CumSum", running, "fdil"),
    Line("Identity", unary(), ALL + "?"),
    Line("Dropout", unary(), "fd"),
)
