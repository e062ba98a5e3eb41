"""Cases of artifacts_tool/gradient/unary.py."""

import numpy as np

from ..projection import Case
from .values import away, normal

POSITIVE = np.abs(away(3, 4))

CASES = [
    *(Case(op, [normal(3, 4)], (0,)) for op in ("Exp", "Erf", "Sin", "Cos")),
    *(Case(op, [POSITIVE], (0,)) for op in ("Log", "Sqrt")),
    *(Case(op, [away(3, 4)], (0,)) for op in ("Abs", "Reciprocal")),
    Case("Tan", [normal(3, 4) * 0.4], (0,)),
    *(Case(op, [away(3, 4)], (0,), opset=7, note="opset7") for op in ("Exp", "Sqrt", "Abs", "Reciprocal", "Cos")),
    *(Case(op, [np.linspace(0.1, 0.4, 4)], (), note="flat") for op in ("Ceil", "Floor", "Round", "Sign", "Hardmax")),
    Case("Cast", [normal(3, 4)], (0,), {"to": 11}),
    Case("CastLike", [normal(3, 4), np.zeros(1)], (0,)),
]
