"""Cases of artifacts_tool/gradient/reduction.py: axes as attribute and as input, kept and not, some, all and none."""

import numpy as np

from ..projection import Case
from .values import away, ints, normal

OPS = (
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSum",
    "ReduceLogSumExp",
)
ZEROS = np.array([[0.0, 2.0, 3.0, 0.5], [0.0, 1.0, 0.0, 4.0], [1.5, -2.0, 0.5, 3.0]])


def inputs(op, opset, axes):
    """X, positive under a logarithm, and the axes where they are an input."""
    X = away(2, 3, 4)
    X = np.abs(X) if op == "ReduceLogSum" else X
    return [X, ints(*axes)] if axes and takes_axes(op, opset) else [X]


def takes_axes(op, opset):
    return opset >= (13 if op == "ReduceSum" else 18)


def case(op, opset, axes, keepdims):
    attributes = {"keepdims": keepdims} | ({"axes": axes} if axes and not takes_axes(op, opset) else {})
    return Case(op, inputs(op, opset, axes), (0,), attributes, opset=opset, note=f"opset{opset}_axes{axes}_keep{keepdims}")


CASES = [
    *(case(op, opset, axes, keep) for op in OPS for opset in (7, 12, 17, 20) for axes in ((1,), (0, 2), ()) for keep in (0, 1)),
    *(case(op, opset, (-1,), keep) for op in OPS for opset in (11, 18) for keep in (0, 1)),
    *(Case(op, inputs(op, 18, ()), (0,), {"noop_with_empty_axes": 1}, opset=18, note="noop") for op in OPS),
    Case("ReduceMean", [normal(2, 3, 4), ints(1)], (0,), {"keepdims": 0}, opset=18, symbolic={0: ("N", 3, None)}, note="symbolic"),
    Case("ReduceProd", [ZEROS, ints(1)], (0,), {"keepdims": 0}, opset=18, note="zeros"),
]
