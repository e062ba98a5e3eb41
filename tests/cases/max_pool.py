"""Cases of kernels/max_pool.py: every attribute, one to three spatial axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, floats, integers

# name: (shape of X, attributes)
GEOMETRIES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 3, 6, 7), {"kernel_shape": [2, 3]}),
    "strides": ((2, 3, 6, 7), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "pads": ((2, 3, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 0, 1, 2]}),
    "ceil": ((1, 2, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "ceil_pads": ((1, 2, 7, 6), {"kernel_shape": [2, 2], "strides": [3, 3], "pads": [1, 1, 1, 1], "ceil_mode": 1}),
    "dilations": ((1, 2, 8, 9), {"kernel_shape": [2, 3], "dilations": [3, 2]}),
    "same_upper": ((1, 2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    "same_lower": ((1, 2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 1], "auto_pad": "SAME_LOWER"}),
    "valid": ((1, 2, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "VALID"}),
    "one_axis": ((2, 3, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    "three_axes": ((1, 2, 4, 5, 6), {"kernel_shape": [2, 3, 2], "strides": [2, 1, 2], "pads": [1, 0, 1, 0, 1, 0]}),
    "column_major": ((2, 3, 6, 7), {"kernel_shape": [2, 3], "strides": [2, 2], "storage_order": 1}),
    "column_major_three_axes": ((1, 2, 4, 5, 6), {"kernel_shape": [2, 2, 2], "storage_order": 1}),
}
OLD = {"kernel_shape", "strides", "pads", "auto_pad"}
ORT = {"oracle": "onnxruntime", "reason": "onnx's reference counts Indices otherwise"}

CASES = [
    *(Case(name, "MaxPool", 12, [floats(*shape)], attributes, outputs=2, **ORT) for name, (shape, attributes) in GEOMETRIES.items()),
    *(
        Case(f"{name}_alone", "MaxPool", since, [floats(*shape)], attributes, oracle="onnxruntime", reason="as above")
        for name, (shape, attributes) in GEOMETRIES.items()
        if attributes.keys() <= OLD
        for since in (1, 8, 10, 11, 22)
    ),
    Case("uint8", "MaxPool", 12, [integers(1, 2, 5, 5, low=0, high=255, dtype=np.uint8)], {"kernel_shape": [2, 2]}, **ORT),
    *(Case("2d", "GlobalMaxPool", since, [floats(2, 3, 5, 4)]) for since in (1, 22)),
    Case("1d", "GlobalMaxPool", 1, [floats(2, 3, 5)], oracle="onnxruntime", reason="onnx's reference takes the maximum over the channels"),
    Case(
        "overlapping",
        "MaxPoolGrad",
        9,
        [floats(1, 1, 2, 2), np.array([[[[4, 4], [7, 4]]]], np.int64)],
        {"kernel_shape": [2, 2], "output_shapes": ((1, 1, 3, 3),)},
        oracle="none",
        reason="a training op, not in onnxruntime; held to differences of MaxPool in test_pool.py",
    ),
]
