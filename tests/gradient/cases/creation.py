"""Cases of artifacts_tool/gradient/creation.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal, scalar

CASES = [
    Case("Range", [scalar(0.3), scalar(2.1), scalar(0.5)], (0, 2)),
    Case("Range", [scalar(0.3), scalar(2.1), scalar(0.5)], (2,), opset=28, note="delta"),
    *(
        Case("OneHot", [ints(0, 2, -1, 5), np.array(3), normal(2)], (2,), {"axis": axis}, opset=opset, note=f"axis{axis}_{opset}")
        for axis, opset in ((-1, 10), (0, 11), (1, 17))
    ),
    Case("EyeLike", [normal(3, 4)], (), note="flat"),
]
