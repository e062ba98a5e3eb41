"""Cases of kernels/rearrange.py."""

import numpy as np

from .case import MS, Case, floats, int64, scalar

X = floats(2, 8, 3, 5)
PICTURES = floats(2, 3, 4, 6)
SQUARES = floats(2, 4, 5)

CASES = [
    *(Case("default", "DepthToSpace", since, [X], {"blocksize": 2}) for since in (1, 11, 13)),
    *(Case(mode, "DepthToSpace", 13, [X], {"blocksize": 2, "mode": mode}) for mode in ("DCR", "CRD")),
    *(Case("blocks", "SpaceToDepth", since, [PICTURES], {"blocksize": 2}) for since in (1, 13)),
    *(Case(mode, "SpaceToDepth", 28, [PICTURES], {"blocksize": 2, "mode": mode}, oracle="onnx", reason="new") for mode in ("DCR", "CRD")),
    Case("time_first", "ReverseSequence", 10, [floats(5, 3, 2), int64(5, 1, 3)]),
    Case("batch_first", "ReverseSequence", 10, [floats(3, 5, 2), int64(5, 0, 3)], {"batch_axis": 0, "time_axis": 1}),
    *(Case(f"upper{upper}", "Trilu", 14, [SQUARES], {"upper": upper}) for upper in (0, 1)),
    *(Case(f"k{k}_upper{u}", "Trilu", 14, [SQUARES, scalar(k, np.int64)], {"upper": u}) for k in (-2, 1, 9) for u in (0, 1)),
    Case("int64", "Trilu", 14, [int64(1, 2, 3, 4).reshape(2, 2)]),
    Case("k1", "Trilu", 1, [SQUARES, scalar(1, np.int64)], {"upper": 0}, MS, oracle="onnxruntime", reason="not in ONNX"),
]
