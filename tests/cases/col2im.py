"""Cases of kernels/col2im.py."""

from __future__ import annotations

from typing import Any

from .case import Case, floats, int64

BLOCKS = floats(2, 12, 12)  # 2 channels, blocks of 3 x 2, 3 x 4 of them
STRIDED = floats(2, 12, 9)
VALUES, PLACES = floats(1, 2, 2, 2), int64(0, 3, 9, 15, 16, 18, 24, 27).reshape(1, 2, 2, 2)
ONNX: dict[str, Any] = {
    "oracle": "onnx",
    "reason": "onnxruntime counts the places through the given shape, the specification's example through the told one",
}

CASES = [
    Case("plain", "Col2Im", 18, [BLOCKS, int64(5, 5), int64(3, 2)]),
    Case("strided", "Col2Im", 18, [STRIDED, int64(7, 6), int64(3, 2)], {"strides": [2, 2]}),
    Case("padded", "Col2Im", 18, [BLOCKS, int64(4, 3), int64(3, 2)], {"pads": [1, 1, 0, 1]}),
    Case("dilated", "Col2Im", 18, [STRIDED, int64(5, 5), int64(3, 2)], {"dilations": [1, 2]}),
    Case("volume", "Col2Im", 18, [floats(1, 24, 8), int64(3, 3, 4), int64(2, 2, 3)], {"strides": [1, 1, 1], "pads": [0, 0, 0, 0, 0, 0]}),
    *(Case("told", "MaxUnpool", since, [VALUES, PLACES], {"kernel_shape": [2, 2], "strides": [2, 2]}) for since in (9, 11, 22)),
    Case(
        "padded",
        "MaxUnpool",
        11,
        [VALUES[..., :1, :], PLACES[..., :1, :] % 6],
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 0, 0]},
    ),
    Case("larger", "MaxUnpool", 11, [VALUES, PLACES, int64(1, 2, 5, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}, **ONNX),
]
