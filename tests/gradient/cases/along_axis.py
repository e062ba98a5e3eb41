"""Cases of artifacts_tool/gradient/along_axis.py."""

import numpy as np

from ..projection import Case
from .values import away, normal

ZEROS = np.array([[0.0, 2.0, 3.0, 0.5], [0.0, 1.0, 0.0, 4.0], [1.5, -2.0, 0.5, 3.0]])
WAYS = [(exclusive, reverse) for exclusive in (0, 1) for reverse in (0, 1)]
FACTORS = {"plain": (away(3, 4), 1), "zeros": (ZEROS, 0), "more_zeros": (ZEROS, -1)}

CASES = [
    *(
        Case("CumSum", [normal(3, 4), np.array(1)], (0,), {"exclusive": exclusive, "reverse": reverse}, note=f"{exclusive}{reverse}")
        for exclusive, reverse in WAYS
    ),
    *(
        Case("CumProd", [X, np.array(axis)], (0,), {"exclusive": exclusive, "reverse": reverse}, 1, 27, note=f"{note}{exclusive}{reverse}")
        for note, (X, axis) in FACTORS.items()
        for exclusive, reverse in WAYS
    ),
]
