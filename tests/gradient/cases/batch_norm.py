"""Cases of artifacts_tool/gradient/batch_norm.py."""

from itertools import chain

import numpy as np

from ..projection import Case
from .values import normal

CHANNELS = [normal(3), normal(3), normal(3), np.abs(normal(3)) + 0.1]
EVERYTHING = ((0, 1, 2), (0,), (1,), (2,), (0, 2))

CASES = [
    *(Case("BatchNormalization", [normal(2, 3, 4, 5), *CHANNELS], wanted, note="2d") for wanted in EVERYTHING),
    *(
        Case("BatchNormalization", [normal(*shape), *CHANNELS], (0, 1, 2), {"epsilon": 0.1}, note=f"{len(shape)}_axes")
        for shape in ((4, 3), (4, 3, 5), (1, 3, 2, 3, 4))
    ),
    *(
        Case("BatchNormalization", [normal(2, 3, 4, 5), *CHANNELS], (0, 1, 2), opset=opset, note=f"opset{opset}")
        for opset in chain((7, 9), (12, 13, 14))
    ),
    Case("BatchNormalization", [normal(2, 3, 4), *(np.abs(normal(3, 4)) for _ in range(4))], (0, 1, 2), {"spatial": 0}, opset=7),
    Case("BatchNormalization", [normal(2, 3, 4, 5), *CHANNELS], (0, 1, 2), symbolic={0: ("N", 3, "H", "W")}, note="symbolic"),
    Case("BatchNormInternal", [normal(4, 3, 5), *CHANNELS], (0, 1, 2), {"training_mode": 1}, domain="com.microsoft"),
]
