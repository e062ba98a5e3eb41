"""Cases of kernels/layout.py."""

import numpy as np

from .case import Case, floats, int64

X = floats(2, 3, 4)
ONES = floats(1, 3, 1, 4)

CASES = [
    *(Case("sizes", "Shape", since, [X]) for since in (1, 13, 15)),
    *(Case(f"{start}_{end}", "Shape", 15, [X], {"start": start, "end": end}) for start, end in ((1, 3), (-2, 3), (0, -1), (2, 1), (-9, 9))),
    Case("start", "Shape", 15, [X], {"start": 1}),
    *(Case("number", "Size", since, [X]) for since in (1, 13)),
    *(Case("both_ways", "Expand", since, [floats(3, 1), int64(2, 1, 4)]) for since in (8, 13)),
    Case("fewer_axes", "Expand", 13, [floats(2, 3), int64(3)]),
    Case("scalar", "Expand", 13, [floats(), int64(2, 2)]),
    *(Case("minus_one", "Reshape", since, [X, int64(4, -1)]) for since in (5, 13, 14)),
    Case("keep", "Reshape", 14, [X, int64(0, -1, 2)]),
    Case("to_scalar", "Reshape", 14, [floats(1, 1), int64()]),
    Case("allowzero", "Reshape", 14, [np.empty((0, 3), np.float32), int64(3, 0, 2)], {"allowzero": 1}),
    *(Case("default", "Flatten", since, [X]) for since in (1, 9, 11, 13)),
    *(Case(f"axis{axis}", "Flatten", 13, [X], {"axis": axis}) for axis in (0, 2, 3, -1)),
    *(Case("reversed", "Transpose", since, [X]) for since in (1, 13)),
    Case("perm", "Transpose", 13, [X], {"perm": [1, 0, 2]}),
    Case("axes", "Unsqueeze", 1, [X], {"axes": [0, 4]}),
    Case("negative", "Unsqueeze", 11, [X], {"axes": [-1, 1]}),
    Case("negative", "Unsqueeze", 13, [X, int64(-1, 1)]),
    Case("axes", "Squeeze", 1, [ONES], {"axes": [0]}),
    Case("all", "Squeeze", 11, [ONES]),
    Case("negative", "Squeeze", 13, [ONES, int64(-2)]),
    Case("all", "Squeeze", 13, [ONES]),
]
