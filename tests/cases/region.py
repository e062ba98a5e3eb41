"""Cases of kernels/region.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, floats, int64, scalar

CORNERS = np.concatenate((floats(2, 6, 2, low=0, high=1), floats(2, 6, 2, seed=1, low=0.5, high=1.5)), axis=2)
SCORES = floats(2, 3, 6, low=0, high=1)
CENTRES = np.concatenate((floats(2, 6, 2, low=0, high=1), floats(2, 6, 2, seed=1, low=0.3, high=1)), axis=2)
TIES = np.round(SCORES * 3) / 3
FEW, ALL = int64(2), int64(10)
HALF = np.float32([0.5])
X = floats(2, 3, 8, 9)
ROIS = np.float32([[0, 0, 6, 5], [3, 2, 15, 14], [-4, -3, 5, 20], [5, 5, 5.5, 5.2]])
BATCH = int64(0, 1, 1, 0)
CELLS = {"output_height": 2, "output_width": 3}
HALF_PIXEL = {**CELLS, "coordinate_transformation_mode": "half_pixel", "spatial_scale": 0.7}
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "the reference does not have it"}
ONNX: dict[str, Any] = {"oracle": "onnx", "reason": "newer than onnxruntime"}
POOLED = np.float32([[0, 0, 0, 6, 5], [1, 3, 2, 15, 14], [1, 4, 1, 4, 1], [0, 20, 20, 24, 24]])

CASES = [
    *(Case("corners", "NonMaxSuppression", since, [CORNERS, SCORES, ALL, HALF, np.float32([0.2])]) for since in (10, 11)),
    Case("any_corners", "NonMaxSuppression", 11, [CORNERS[..., [2, 1, 0, 3]], SCORES, ALL, HALF]),
    Case("few", "NonMaxSuppression", 11, [CORNERS, SCORES, FEW, np.float32([0.3])]),
    Case("centres", "NonMaxSuppression", 11, [CENTRES, SCORES, ALL, HALF], {"center_point_box": 1}),
    Case("ties", "NonMaxSuppression", 11, [CORNERS, TIES, ALL, HALF, np.float32([1 / 3])]),
    Case("scalars", "NonMaxSuppression", 11, [CORNERS, SCORES, scalar(3, np.int64), scalar(0.4)], **ORT),
    Case("none", "NonMaxSuppression", 11, [CORNERS, SCORES], **ORT),
    *(
        Case(mode, "RoiAlign", 10, [X, ROIS, BATCH], {**CELLS, "mode": mode, "sampling_ratio": 2, "spatial_scale": 0.7}, **ORT)
        for mode in ("avg", "max")
    ),
    *(
        Case(f"{mode}_{ratio}", "RoiAlign", 16, [X, ROIS, BATCH], {**HALF_PIXEL, "mode": mode, "sampling_ratio": ratio})
        for mode in ("avg", "max")
        for ratio in (0, 2)
    ),
    Case("output_half_pixel", "RoiAlign", 16, [X, ROIS, BATCH], {**CELLS, "coordinate_transformation_mode": "output_half_pixel"}),
    Case("avg", "RoiAlign", 22, [X, ROIS, BATCH], HALF_PIXEL, **ONNX),
    Case("scaled", "MaxRoiPool", 1, [X, POOLED], {"pooled_shape": [2, 3], "spatial_scale": 0.5}, **ORT),
    Case("one_cell", "MaxRoiPool", 1, [X, POOLED], {"pooled_shape": [1, 1]}, **ORT),
]
