"""Cases of kernels/gather.py."""

import numpy as np

from .case import MS, Case, floats, int64, integers

X = floats(4, 5, 6)
PLACES = np.array([[[0, 1], [-1, 2]], [[3, -5], [2, 2]]], np.int64)
TRAINING = {"domain": MS, "oracle": "none", "reason": "not in onnxruntime's inference package"}
SMALLER = {"oracle": "onnxruntime", "reason": "the reference wants indices of the size of data"}

CASES = [
    *(Case("rows", "Gather", since, [X, integers(2, 3, low=0, high=4)]) for since in (1, 11, 13)),
    *(Case(f"axis{axis}", "Gather", 13, [X, integers(2, 3, low=-5, high=5)], {"axis": axis}) for axis in (1, -1)),
    Case("scalar", "Gather", 13, [X, np.array(-2)], {"axis": 1}),
    Case("int32", "Gather", 13, [X, integers(7, low=0, high=4, dtype=np.int32)]),
    Case("int64", "Gather", 13, [int64(3, 5, 7), int64(1)]),
    *(Case("first", "GatherElements", since, [X, integers(2, 5, 6, low=-4, high=4)]) for since in (11, 13)),
    Case("fewer", "GatherElements", 13, [X, integers(3, 8, 2, low=0, high=5)], {"axis": 1}, **SMALLER),
    Case("last", "GatherElements", 13, [X, integers(4, 5, 1, low=0, high=6, dtype=np.int32)], {"axis": -1}, **SMALLER),
    *(Case("slices", "GatherND", since, [X, PLACES]) for since in (11, 12, 13)),
    Case("elements", "GatherND", 13, [X, integers(3, 3, low=-4, high=4)]),
    Case("batch", "GatherND", 13, [X, integers(4, 2, 1, low=0, high=5)], {"batch_dims": 1}),
    Case("batch2", "GatherND", 13, [X, integers(4, 5, 1, low=-6, high=6)], {"batch_dims": 2}),
    *(Case("axis", "Compress", since, [X, np.array([True, False, True])], {"axis": 1}) for since in (9, 11)),
    Case("flat", "Compress", 11, [X, np.array([False, True, True, False, True])]),
    Case("rows", "GatherGrad", 1, [int64(4, 2), int64(1, 1, -1), floats(3, 2)], **TRAINING),
    Case("rows", "GatherElementsGrad", 1, [floats(3, 2), int64(4, 2), integers(3, 2, low=0, high=4)], **TRAINING),
    Case("rows", "GatherNDGrad", 1, [int64(4, 2), int64(1, 1, -1).reshape(3, 1), floats(3, 2)], **TRAINING),
]
