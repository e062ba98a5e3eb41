"""Cases of artifacts_tool/gradient/grid_sample.py."""

from ..projection import Case
from .values import ints, normal

X, GRID = normal(2, 3, 4, 5), normal(2, 3, 2, 2) * 0.6
REGIONS = abs(normal(3, 4)) * 2 + (0, 0, 3, 3)
POOLED = {"output_height": 2, "output_width": 3, "sampling_ratio": 2, "spatial_scale": 0.8}

CASES = [
    *(
        Case("GridSample", [X, GRID], (0,), {"mode": mode, "padding_mode": pad, "align_corners": align}, note=f"{mode}_{pad}{align}")
        for mode in ("bilinear", "nearest", "bicubic")
        for pad in ("zeros", "border", "reflection")
        for align in (0, 1)
    ),
    Case("GridSample", [normal(1, 2, 3, 4, 2), normal(1, 2, 2, 3, 3) * 0.6], (0,), opset=20, note="volume"),
    Case("GridSample", [X, GRID], (0,), opset=22, symbolic={0: ("N", 3, "H", "W"), 1: ("N", "h", "w", 2)}, note="symbolic"),
    *(Case("RoiAlign", [X, REGIONS, ints(0, 1, 0)], (0,), POOLED, opset=opset, note=f"opset{opset}") for opset in (10, 16, 22)),
    Case("RoiAlign", [X, REGIONS, ints(0, 1, 0)], (0,), symbolic={0: ("N", 3, "H", "W")}, note="symbolic"),
]
