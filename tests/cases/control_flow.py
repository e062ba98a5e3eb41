"""Cases of kernels/control_flow.py."""

from typing import Any

import numpy as np

from pagetrain.graph import ElementType, Graph, Tensor, TensorType, ValueInfo
from tests.graphs import node

from .case import Case, floats, scalar


def value(name: str, *shape: int, element: ElementType = ElementType.FLOAT) -> ValueInfo:
    return ValueInfo(name, TensorType(element, shape))


def branch(number: float) -> Graph:
    made = node("Constant", "", "made", value=Tensor("number", np.float32([number, number])))
    return Graph(f"branch_{number}", (made, node("Neg", "made", "negative")), (), (value("made", 2), value("negative", 2)))


BRANCHES = {"then_branch": branch(1.0), "else_branch": branch(2.0)}
STEP = value("step", element=ElementType.INT64)
GOING, STAYS = value("going", element=ElementType.BOOL), value("stays", element=ElementType.BOOL)
# x doubles at each step, which a scan output keeps together with the number of the step.
DOUBLING = Graph(
    "doubling",
    (
        node("Add", "x x", "twice"),
        node("Identity", "twice", "row"),
        node("Identity", "step", "number"),
        node("Identity", "going", "stays"),
    ),
    (STEP, GOING, value("x", 2)),
    (STAYS, value("twice", 2), value("row", 2), value("number", element=ElementType.INT64)),
)
# The same until the first element is 20 or more.
BOUNDED = Graph(
    "bounded",
    (
        node("Add", "x x", "twice"),
        node("ReduceMax", "twice", "largest", keepdims=0),
        node("Constant", "", "limit", value=Tensor("twenty", np.float32(20))),
        node("Less", "largest limit", "stays"),
    ),
    (STEP, GOING, value("x", 2)),
    (STAYS, value("twice", 2)),
)
X = floats(2, low=1)
FIVE, TRUE, FALSE = scalar(5, np.int64), np.array(True), np.array(False)
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "onnx's reference wants a condition"}
VERSIONS = (1, 11, 13, 16, 19, 21, 23)

CASES = [
    *(Case(str(cond.item()), "If", since, [cond], BRANCHES, outputs=2) for cond in (TRUE, FALSE) for since in VERSIONS),
    Case("one_axis", "If", 13, [np.array([True])], BRANCHES, outputs=2),
    *(Case("counted", "Loop", since, [FIVE, None, X], {"body": DOUBLING}, outputs=3, **ORT) for since in VERSIONS),
    *(Case("until", "Loop", since, [None, TRUE, X], {"body": BOUNDED}) for since in (11, 23)),
    Case("both", "Loop", 13, [scalar(2, np.int64), TRUE, X], {"body": BOUNDED}),
    Case("never", "Loop", 13, [FIVE, FALSE, X], {"body": BOUNDED}),
    Case("no_rows", "Loop", 13, [scalar(0, np.int64), TRUE, X], {"body": DOUBLING}, outputs=3, **ORT),
    Case("no_steps", "Loop", 13, [scalar(0, np.int64), TRUE, X], {"body": BOUNDED}),
]
