"""Cases of artifacts_tool/gradient/hyperbolic.py."""

import numpy as np

from ..projection import Case
from .values import away, normal

CASES = [
    *(Case(op, [normal(3, 4)], (0,)) for op in ("Sinh", "Cosh", "Atan", "Asinh")),
    *(Case(op, [np.tanh(normal(3, 4)) * 0.9], (0,)) for op in ("Asin", "Acos", "Atanh")),
    Case("Acosh", [1 + np.abs(away(3, 4))], (0,)),
]
