"""Cases of pagetrain_ops/pad.py."""

import numpy as np

from .case import Case, floats, int64, integers, scalar

X = floats(2, 4, 5)
MODES = ("constant", "reflect", "edge")
PADS = int64(0, 1, 2, 1, 0, 3)

CASES = [
    *(Case(mode, "Pad", 2, [X], {"mode": mode, "pads": [0, 1, 2, 1, 0, 3]}) for mode in ("constant", "edge")),
    Case("value", "Pad", 2, [X], {"pads": [1, 0, 0, 0, 0, 1], "value": 1.5}),
    *(Case(mode, "Pad", since, [X, PADS], {"mode": mode}) for mode in MODES for since in (11, 13, 18, 19)),
    Case("wrap", "Pad", 19, [X, int64(0, 3, 2, 1, 0, 4)], {"mode": "wrap"}),
    Case("value", "Pad", 13, [X, PADS, scalar(1.5)]),
    Case("axes", "Pad", 18, [X, int64(1, 2, 0, 3), scalar(1.5), int64(-1, 1)]),
    Case("axes_reflect", "Pad", 18, [X, int64(1, 3, 2, 2), None, int64(1, 2)], {"mode": "reflect"}),
    Case("negative", "Pad", 13, [X, int64(0, -1, 2, 0, 0, -3)], oracle="onnxruntime", reason="the reference refuses"),
    Case(
        "negative_edge", "Pad", 13, [X, int64(0, -1, 2, 0, 2, -3)], {"mode": "edge"}, oracle="onnxruntime", reason="the reference refuses"
    ),
    Case("int64", "Pad", 13, [integers(2, 3, low=0, high=9), int64(1, 0, 0, 2), scalar(-1, np.int64)]),
    *(Case("repeats", "Tile", since, [X, int64(2, 1, 3)]) for since in (6, 13)),
    Case("none", "Tile", 13, [X, int64(2, 0, 3)]),
    *(Case("_".join(map(str, to)), "CenterCropPad", 18, [X, int64(*to)]) for to in ((2, 2, 8), (5, 7, 2), (1, 4, 4))),
    Case("axes", "CenterCropPad", 18, [X, int64(2, 9)], {"axes": [-1, 0]}),
]
