"""Cases of kernels/parts.py."""

import numpy as np

from .case import MS, Case, floats, int64, integers

X = floats(4, 6, 5)
FAR = np.iinfo(np.int64).max
TRAINING = {"domain": MS, "oracle": "none", "reason": "not in onnxruntime's inference package"}

CASES = [
    Case("axes", "Slice", 1, [X], {"axes": [1, 2], "starts": [1, -3], "ends": [5, 9]}),
    Case("first", "Slice", 1, [X], {"starts": [1, 2], "ends": [-1, 4]}),
    *(Case("axes", "Slice", since, [X, int64(1, -3), int64(5, FAR), int64(1, -1)]) for since in (10, 11, 13)),
    Case("first", "Slice", 13, [X, int64(1), int64(3)]),
    Case("steps", "Slice", 13, [X, int64(0, 1), int64(FAR, 6), int64(0, 1), int64(3, 2)]),
    Case("reversed", "Slice", 13, [X, int64(-1, 9, 3), int64(-FAR, 1, 0), int64(1, 0, 2), int64(-1, -1, -2)]),
    Case("int32", "Slice", 13, [X, np.int32([1]), np.int32([3]), np.int32([2]), np.int32([1])]),
    Case(
        "before_the_first",
        "Slice",
        13,
        [X, int64(-99), int64(-FAR), int64(1), int64(-1)],
        oracle="onnxruntime",
        reason="the reference slices as numpy does",
    ),
    Case("none", "Slice", 13, [X, int64(3), int64(3), int64(1)]),
    *(Case("equal", "Split", since, [X], {"axis": 1}, outputs=3) for since in (2, 11, 13)),
    *(Case("sizes", "Split", since, [X], {"axis": -1, "split": [1, 4]}, outputs=2) for since in (2, 11)),
    *(Case("sizes", "Split", since, [X, int64(1, 0, 4)], {"axis": 2}, outputs=3) for since in (13, 18)),
    Case("num_outputs", "Split", 18, [X], {"axis": 1, "num_outputs": 2}, outputs=2),
    Case(
        "last_smaller", "Split", 18, [X], {"axis": 1, "num_outputs": 4}, outputs=4, oracle="onnx", reason="onnxruntime wants no empty part"
    ),
    Case("uneven", "Split", 18, [X], {"axis": 2, "num_outputs": 2}, outputs=2),
    *(Case("axis", "Concat", since, [X, floats(4, 1, 5), floats(4, 2, 5)], {"axis": 1}) for since in (4, 11, 13)),
    Case("negative", "Concat", 13, [floats(2, 3), floats(2, 1)], {"axis": -1}),
    Case("one", "Concat", 13, [X], {"axis": 0}),
    Case("int64", "Concat", 13, [int64(2, 3), integers(0, low=0, high=1), int64(-1)], {"axis": 0}),
    Case("rows", "SliceGrad", 1, [floats(2, 6), int64(4, 6), int64(1), int64(3), int64(0)], **TRAINING),
    Case("sizes", "SplitTraining", 1, [X, int64(1, 4)], {"axis": 2}, outputs=2, **TRAINING),
    Case("axis", "ConcatTraining", 1, [X, floats(4, 1, 5)], {"axis": 1}, outputs=2, **TRAINING),
]
