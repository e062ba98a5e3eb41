"""Cases of kernels/average_pool.py: every attribute, one to three spatial axes."""

from __future__ import annotations

from typing import Any

from .case import Case, floats

# name: (shape of X, attributes)
GEOMETRIES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 3, 6, 7), {"kernel_shape": [2, 3]}),
    "strides": ((2, 3, 6, 7), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "pads": ((2, 3, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 0, 1, 2]}),
    "pads_count": ((2, 3, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 0, 1, 2], "count_include_pad": 1}),
    "same_upper": ((1, 2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    "same_lower": ((1, 2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 1], "auto_pad": "SAME_LOWER"}),
    "same_count": ((1, 2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER", "count_include_pad": 1}),
    "valid": ((1, 2, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "VALID"}),
    "one_axis": ((2, 3, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    "three_axes": ((1, 2, 4, 5, 6), {"kernel_shape": [2, 3, 2], "strides": [2, 1, 2], "pads": [1, 0, 1, 0, 1, 0]}),
    "ceil": ((1, 2, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "ceil_pads": ((1, 2, 7, 6), {"kernel_shape": [2, 2], "strides": [3, 3], "pads": [1, 1, 1, 1], "ceil_mode": 1}),
    "ceil_count": ((1, 2, 6, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 0, 0], "ceil_mode": 1, "count_include_pad": 1}),
    "dilations": ((1, 2, 8, 9), {"kernel_shape": [2, 3], "dilations": [3, 2]}),
    "dilations_pads": ((1, 2, 8, 9), {"kernel_shape": [2, 3], "dilations": [2, 2], "pads": [1, 2, 1, 2], "count_include_pad": 1}),
}
SEVEN = {"kernel_shape", "strides", "pads", "auto_pad", "count_include_pad"}
ORT = {"oracle": "onnxruntime", "reason": "onnx's reference divides otherwise where pads or ceil_mode come in"}


def since_of(attributes: dict[str, Any]) -> int:
    """The oldest version from 10 on that has the attributes."""
    return 19 if "dilations" in attributes else 11


CASES = [
    *(
        Case(name, "AveragePool", since_of(attributes), [floats(*shape)], attributes, **ORT)
        for name, (shape, attributes) in GEOMETRIES.items()
    ),
    *(
        Case(name, "AveragePool", since, [floats(*shape)], attributes, **ORT)
        for name, (shape, attributes) in GEOMETRIES.items()
        if attributes.keys() <= SEVEN
        for since in (7, 10, 22)
    ),
    *(
        Case(f"{name}_p{p}", "LpPool", since, [floats(*shape)], {**attributes, "p": p}, **ORT)
        for name, (shape, attributes) in GEOMETRIES.items()
        if attributes.keys() <= SEVEN - {"count_include_pad"}
        for since, p in ((2, 1), (11, 2), (18, 3))
    ),
    *(
        Case(name, "LpPool", 18, [floats(*shape)], attributes, **ORT)
        for name, (shape, attributes) in GEOMETRIES.items()
        if name in ("ceil", "dilations")
    ),
    *(Case(f"p{p}", "GlobalLpPool", 2, [floats(2, 3, 5, 4)], {"p": p}, **ORT) for p in (1, 2, 3)),
    Case(
        "plain",
        "AveragePoolGrad",
        9,
        [floats(1, 1, 2, 2)],
        {"kernel_shape": [2, 2], "output_shapes": ((1, 1, 3, 3),)},
        oracle="none",
        reason="a training op, not in onnxruntime; held to differences of AveragePool in test_pool.py",
    ),
]
