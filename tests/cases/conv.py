"""Cases of kernels/conv.py: every attribute, one to three spatial axes, grouped, depthwise, pointwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import MS, Case, floats

# name: (shape of X, shape of W, attributes); B is given for every second one
GEOMETRIES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 3, 7, 6), (4, 3, 3, 3), {}),
    "pads_uneven": ((2, 3, 7, 6), (4, 3, 3, 2), {"pads": [1, 0, 2, 1]}),
    "strides": ((1, 3, 9, 8), (4, 3, 3, 3), {"strides": [2, 3], "pads": [1, 1, 1, 1]}),
    "dilations": ((2, 2, 9, 9), (3, 2, 3, 2), {"dilations": [2, 3], "kernel_shape": [3, 2]}),
    "strides_dilations": ((1, 2, 11, 10), (3, 2, 3, 3), {"dilations": [2, 1], "strides": [2, 2], "pads": [2, 1, 2, 1]}),
    "same_upper": ((1, 3, 8, 7), (4, 3, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "same_lower": ((1, 3, 8, 7), (4, 3, 3, 3), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "same_upper_even": ((1, 3, 6, 6), (4, 3, 2, 4), {"auto_pad": "SAME_UPPER"}),
    "same_lower_even": ((1, 3, 6, 6), (4, 3, 2, 4), {"auto_pad": "SAME_LOWER"}),
    "valid": ((1, 3, 8, 7), (4, 3, 3, 3), {"auto_pad": "VALID", "strides": [2, 2]}),
    "groups": ((2, 4, 6, 6), (6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}),
    "groups_pointwise": ((2, 4, 5, 5), (6, 2, 1, 1), {"group": 2}),
    "depthwise": ((2, 4, 7, 7), (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "depthwise_5x5_stride": ((1, 3, 9, 9), (3, 1, 5, 5), {"group": 3, "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    "depthwise_same_lower": ((1, 3, 8, 8), (3, 1, 3, 3), {"group": 3, "strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    "depthwise_dilations": ((1, 3, 9, 9), (3, 1, 3, 3), {"group": 3, "dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "depthwise_multiplier": ((2, 3, 6, 6), (6, 1, 3, 3), {"group": 3}),
    "pointwise": ((2, 5, 4, 4), (7, 5, 1, 1), {"kernel_shape": [1, 1]}),
    "pointwise_narrow": ((2, 7, 4, 4), (3, 7, 1, 1), {}),
    "pointwise_strides_pads": ((2, 3, 5, 6), (4, 3, 1, 1), {"strides": [2, 3], "pads": [1, 0, 0, 1]}),
    "one_channel": ((2, 1, 6, 6), (1, 1, 3, 3), {}),
    "one_axis": ((2, 3, 9), (4, 3, 3), {"pads": [1, 1], "strides": [2]}),
    "one_axis_depthwise": ((2, 3, 9), (3, 1, 4), {"group": 3, "dilations": [2]}),
    "three_axes": ((1, 2, 5, 4, 6), (3, 2, 2, 3, 2), {"pads": [0, 1, 1, 1, 1, 0], "strides": [1, 2, 2]}),
    "three_axes_depthwise": ((1, 2, 5, 4, 6), (2, 1, 2, 3, 2), {"group": 2}),
}


def conv_inputs(name: str) -> list[np.ndarray | None]:
    """X, W and, for every second geometry, B."""
    x_shape, w_shape, _ = GEOMETRIES[name]
    with_bias = list(GEOMETRIES).index(name) % 2 == 0
    return [floats(*x_shape), floats(*w_shape, seed=1), floats(w_shape[0], seed=2) if with_bias else None]


def _same_lower(attributes: dict[str, Any]) -> dict[str, str]:
    if attributes.get("auto_pad") != "SAME_LOWER":
        return {}
    return {"oracle": "onnxruntime", "reason": "onnx's reference pads SAME_LOWER as SAME_UPPER"}


CASES = [
    *(Case(name, "Conv", 11, conv_inputs(name), geometry[2], **_same_lower(geometry[2])) for name, geometry in GEOMETRIES.items()),
    Case("plain", "Conv", 1, conv_inputs("plain")),
    Case("plain", "Conv", 22, conv_inputs("plain")),
    Case(
        "double",
        "Conv",
        11,
        [floats(1, 2, 5, 5).astype(np.float64), floats(3, 2, 3, 3).astype(np.float64)],
        oracle="onnx",
        reason="onnxruntime has float32 only",
    ),
    *(
        Case(name, "FusedConv", 1, conv_inputs(name), {**GEOMETRIES[name][2], **activation}, MS, oracle="onnxruntime", reason="not in ONNX")
        for name, activation in (
            ("same_upper", {"activation": "Relu"}),
            ("depthwise", {"activation": "Clip", "activation_params": [0.0, 6.0]}),
            ("pads_uneven", {"activation": "Clip", "activation_params": [-1.0, 2.0]}),
        )
    ),
    Case(
        "with_Z",
        "FusedConv",
        1,
        [floats(1, 2, 5, 5), floats(3, 2, 3, 3, seed=1), floats(3, seed=2), floats(1, 3, 3, 3, seed=3)],
        {"activation": "Relu"},
        MS,
        oracle="onnxruntime",
        reason="not in ONNX",
    ),
    Case(
        "plain",
        "ConvGrad",
        1,
        [floats(2, 4, 5, 4), *conv_inputs("plain")[:2]],
        {},
        MS,
        outputs=3,
        oracle="none",
        reason="no kernel in onnxruntime; held to differences of Conv, for every geometry, in test_conv.py",
    ),
]
