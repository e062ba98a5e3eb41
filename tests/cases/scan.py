"""Cases of kernels/scan.py: states, scan inputs and outputs along any axis, in both directions."""

from __future__ import annotations

from typing import Any

from pagetrain.graph import ElementType, Graph, TensorType, ValueInfo
from tests.graphs import node

from .case import Case, floats, integers


def value(name: str, *shape: int) -> ValueInfo:
    return ValueInfo(name, TensorType(ElementType.FLOAT, shape))


# onnx's own example: running sums.
SUMS = Graph(
    "sums",
    (node("Add", "before x", "after"), node("Identity", "after", "y")),
    (value("before", 2), value("x", 2)),
    (value("after", 2), value("y", 2)),
)
# Two states, two scan inputs, two scan outputs; the second state is only passed on, by a node, because onnxruntime forgets it without.
MIXED = Graph(
    "mixed",
    (
        node("MatMul", "a x", "product"),
        node("Add", "product b", "a_next"),
        node("Identity", "b", "b_next"),
        node("Tanh", "a_next", "y"),
        node("Mul", "x z", "w"),
    ),
    (value("a", 2, 3), value("b", 2, 3), value("x", 3, 3), value("z", 3, 3)),
    (value("a_next", 2, 3), value("b_next", 2, 3), value("y", 2, 3), value("w", 3, 3)),
)
# No state: a map.
SQUARES = Graph("squares", (node("Mul", "x x", "y"),), (value("x", 2, 4),), (value("y", 2, 4),))
SUM_INPUTS = [floats(2), floats(4, 2, seed=1)]
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "onnx's reference walks forwards along axis 0 alone"}
MIXED_INPUTS = [floats(2, 3), floats(2, 3, seed=1), floats(3, 4, 3, seed=2), floats(3, 3, 4, seed=3)]

ORT_8: dict[str, Any] = {"oracle": "onnxruntime", "reason": "onnx's reference takes every version for the ninth"}
BATCH_INPUTS = [floats(3, 2), floats(3, 4, 2, seed=1)]

CASES = [
    Case("batch", "Scan", 8, [None, *BATCH_INPUTS], {"body": SUMS, "num_scan_inputs": 1}, outputs=2, **ORT_8),
    Case(
        "lengths",
        "Scan",
        8,
        [integers(3, low=1, high=5), *BATCH_INPUTS],
        {"body": SUMS, "num_scan_inputs": 1, "directions": [1]},
        outputs=2,
        **ORT_8,
    ),
    *(Case("sums", "Scan", since, SUM_INPUTS, {"body": SUMS, "num_scan_inputs": 1}, outputs=2) for since in (9, 11, 16)),
    Case("reverse", "Scan", 16, SUM_INPUTS, {"body": SUMS, "num_scan_inputs": 1, "scan_input_directions": [1]}, outputs=2, **ORT),
    Case("prepend", "Scan", 16, SUM_INPUTS, {"body": SUMS, "num_scan_inputs": 1, "scan_output_directions": [1]}, outputs=2, **ORT),
    Case(
        "axes",
        "Scan",
        16,
        MIXED_INPUTS,
        {
            "body": MIXED,
            "num_scan_inputs": 2,
            "scan_input_axes": [1, -1],
            "scan_input_directions": [0, 1],
            "scan_output_axes": [2, -2],
            "scan_output_directions": [1, 0],
        },
        outputs=4,
        **ORT,
    ),
    Case("map", "Scan", 16, [floats(2, 3, 4)], {"body": SQUARES, "num_scan_inputs": 1, "scan_input_axes": [1]}, **ORT),
]
