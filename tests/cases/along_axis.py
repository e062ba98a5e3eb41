"""Cases of pagetrain_ops/along_axis.py."""

import numpy as np

from .case import Case, floats, int64, integers, scalar

X, TIES = floats(3, 4, 5), integers(4, 5, low=0, high=3).astype(np.float32)

CASES = [
    *(Case("default", op, since, [X]) for op in ("ArgMax", "ArgMin") for since in (1, 11, 12, 13)),
    *(Case("axis", op, since, [X], {"axis": -1, "keepdims": 0}) for op in ("ArgMax", "ArgMin") for since in (11, 13)),
    *(
        Case(f"ties_{last}", op, 13, [TIES], {"axis": 1, "keepdims": keepdims, "select_last_index": last})
        for op in ("ArgMax", "ArgMin")
        for last, keepdims in ((0, 0), (1, 0), (1, 1))
        if (last, keepdims) != (1, 0)
    ),
    Case("last", "ArgMax", 13, [TIES], {"axis": 0, "keepdims": 0, "select_last_index": 1}),
    *(Case("axis", "CumSum", since, [X, scalar(1, np.int64)]) for since in (11, 14)),
    *(
        Case(
            f"exclusive{exclusive}_reverse{reverse}", "CumSum", 14, [X, scalar(-1, np.int32)], {"exclusive": exclusive, "reverse": reverse}
        )
        for exclusive in (0, 1)
        for reverse in (0, 1)
    ),
    Case("axis_in_list", "CumSum", 14, [X, int64(0)], {"exclusive": 1}, oracle="onnxruntime", reason="onnx takes scalars alone"),
    Case("int64", "CumSum", 14, [integers(3, 4, low=-9, high=9), scalar(0, np.int64)]),
    *(Case(f"axis{axis}", "Hardmax", 13, [X], {"axis": axis}) for axis in (0, 1, -1)),
    Case("ties", "Hardmax", 13, [TIES]),
    *(
        Case(
            f"axis{axis}", "Hardmax", since, [X], {"axis": axis}, oracle="onnxruntime", reason="onnx's reference has the per-axis form only"
        )
        for since, axis in ((1, 1), (1, 2), (11, 0), (11, -1))
    ),
    *(
        Case(
            f"exclusive{exclusive}_reverse{reverse}",
            "CumProd",
            26,
            [X, scalar(-1, np.int32)],
            {"exclusive": exclusive, "reverse": reverse},
            oracle="onnx",
            reason="newer than onnxruntime",
        )
        for exclusive in (0, 1)
        for reverse in (0, 1)
    ),
]
