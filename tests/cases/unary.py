"""Cases of kernels/unary.py."""

import numpy as np

from .case import Case, floats, integers

X, POSITIVE = floats(2, 3, 4), floats(2, 3, 4, low=0.1, high=9)
WHOLE = np.float32([-2.5, -1.5, -1.2, -0.5, -0.0, 0.5, 1.5, 1.7, 2.5, 3.0])

CASES = [
    *(Case("floats", op, since, [X]) for op in ("Exp", "Abs", "Reciprocal") for since in (6, 13)),
    *(Case("floats", op, since, [POSITIVE]) for op in ("Log", "Sqrt") for since in (6, 13)),
    *(Case("floats", op, since, [X]) for op in ("Sin", "Cos", "Tan") for since in (7, 22)),
    *(Case("floats", op, since, [floats(4, 5, low=-5, high=5)]) for op in ("Sign", "Erf") for since in (9, 13)),
    Case("near_zero", "Erf", 13, [floats(9, low=-0.01, high=0.01)], atol=0),
    *(Case("halves", op, since, [WHOLE]) for op in ("Floor", "Ceil") for since in (6, 13)),
    *(Case("halves", "Round", since, [WHOLE]) for since in (11, 22)),
    *(Case("int32", op, 13, [integers(3, 4, low=-5, high=5, dtype=np.int32)]) for op in ("Abs", "Sign")),
    Case("channels", "Exp", 13, [floats(2, 3, 4, 5)]),
]
