"""Cases of kernels/grid_sample.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, floats, int64

X, GRID = floats(2, 3, 5, 4), floats(2, 4, 3, 2, seed=1, low=-1.6, high=1.6)
DEEP, DEEP_GRID = floats(1, 2, 3, 4, 5), floats(1, 2, 3, 2, 3, seed=1, low=-1.3, high=1.3)
WHOLE = np.arange(20, dtype=np.float32).reshape(1, 1, 4, 5)
OLD_MODES, MODES = ("bilinear", "nearest", "bicubic"), ("linear", "nearest", "cubic")
PADDINGS = ("zeros", "border", "reflection")
SINGLE: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-5, "reason": "float32 coordinates"}
THETA, THETA_3D = floats(2, 2, 3), floats(2, 3, 4)

REFERENCE_LACKS: dict[str, Any] = {"oracle": "onnxruntime", "reason": "float32 coordinates; the reference has not these modes"}
REFERENCE_MOVES: dict[str, Any] = {
    "oracle": "onnxruntime",
    "reason": "float32 coordinates; the reference moves a place beyond the border there first, the specification speaks of values",
}


def sample(since, mode, padding, corners):
    oracle = REFERENCE_LACKS if mode in OLD_MODES[::2] else REFERENCE_MOVES if (mode, padding) == ("cubic", "border") else {}
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    return Case(f"{mode}_{padding}_{corners}", "GridSample", since, [X, GRID], attributes, **{**SINGLE, **oracle})


CASES = [
    *(
        sample(since, mode, padding, corners)
        for since, modes in ((16, OLD_MODES), (20, MODES), (22, MODES))
        for mode in modes
        for padding in PADDINGS
        for corners in (0, 1)
    ),
    *(
        Case(f"volume_{mode}_{padding}", "GridSample", 22, [DEEP, DEEP_GRID], {"mode": mode, "padding_mode": padding}, **SINGLE)
        for mode in MODES[:2]
        for padding in PADDINGS
    ),
    *(
        Case(f"{name}_{corners}", "AffineGrid", 20, [theta, size], {"align_corners": corners}, **SINGLE)
        for name, theta, size in (("plane", THETA, int64(2, 3, 4, 5)), ("volume", THETA_3D, int64(2, 3, 4, 5, 3)))
        for corners in (0, 1)
    ),
]
