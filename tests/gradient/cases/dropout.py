"""Cases of artifacts_tool/gradient/dropout.py."""

import numpy as np

from ..projection import Case
from .values import normal, scalar

CASES = [
    Case("Dropout", [normal(2, 3)], (0,), {"ratio": 0.25}, opset=11),
    Case("Dropout", [normal(2, 3), scalar(0.25).astype(np.float32), np.array(False)], (0,), note="off"),
    Case("Dropout", [normal(2, 3), scalar(0).astype(np.float32), np.array(True)], (0,), note="ratio_0"),
    Case("Dropout", [normal(2, 3), scalar(0.25).astype(np.float32)], (0,)),
]
