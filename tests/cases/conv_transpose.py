"""Cases of kernels/conv_transpose.py: every attribute, one to three spatial axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats

# name: (shape of X, shape of W, attributes); B is given for every second one
GEOMETRIES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 3, 4, 5), (3, 4, 3, 2), {}),
    "strides": ((2, 3, 4, 5), (3, 4, 3, 3), {"strides": [2, 3]}),
    "pads": ((2, 3, 4, 5), (3, 4, 3, 3), {"strides": [2, 2], "pads": [1, 0, 2, 1]}),
    "output_padding": ((1, 3, 4, 5), (3, 2, 3, 3), {"strides": [2, 3], "pads": [1, 1, 1, 1], "output_padding": [1, 2]}),
    "dilations": ((1, 3, 4, 5), (3, 2, 3, 2), {"dilations": [2, 3], "kernel_shape": [3, 2]}),
    "groups": ((2, 4, 4, 4), (4, 3, 3, 3), {"group": 2, "strides": [2, 2]}),
    "depthwise": ((2, 4, 4, 4), (4, 1, 3, 3), {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "same_upper": ((1, 3, 4, 5), (3, 2, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "same_lower": ((1, 3, 4, 5), (3, 2, 3, 4), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "valid": ((1, 3, 4, 5), (3, 2, 3, 4), {"auto_pad": "VALID", "strides": [2, 1]}),
    "output_shape": ((1, 3, 4, 5), (3, 2, 3, 3), {"strides": [2, 2], "output_shape": [8, 10]}),
    "output_shape_upper": ((1, 3, 4, 5), (3, 2, 3, 3), {"strides": [2, 2], "output_shape": [8, 10], "auto_pad": "SAME_UPPER"}),
    "pointwise": ((2, 3, 4, 5), (3, 4, 1, 1), {"strides": [2, 2]}),
    "one_axis": ((2, 3, 6), (3, 4, 3), {"strides": [2], "pads": [1, 0]}),
    "three_axes": ((1, 2, 3, 4, 2), (2, 3, 2, 3, 2), {"strides": [1, 2, 2], "pads": [0, 1, 0, 1, 1, 0]}),
}
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "onnx's reference is wrong for groups, dilations and pads that come of sizes"}


def inputs_of(name: str) -> list[np.ndarray | None]:
    """X, W and, for every second geometry, B."""
    x_shape, w_shape, attributes = GEOMETRIES[name]
    with_bias = list(GEOMETRIES).index(name) % 2 == 0
    return [floats(*x_shape), floats(*w_shape, seed=1), floats(w_shape[1] * attributes.get("group", 1), seed=2) if with_bias else None]


CASES = [
    *(Case(name, "ConvTranspose", 11, inputs_of(name), geometry[2], **ORT) for name, geometry in GEOMETRIES.items()),
    *(Case("plain", "ConvTranspose", since, inputs_of("plain"), **ORT) for since in (1, 22)),
    Case(
        "plain",
        "ConvTransposeGrad",
        1,
        [floats(2, 4, 6, 6), *inputs_of("plain")[:2]],
        {},
        MS,
        outputs=3,
        oracle="none",
        reason="no kernel in onnxruntime; held to differences of ConvTranspose in the gradient checks",
    ),
]
