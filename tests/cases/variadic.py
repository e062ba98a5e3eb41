"""Cases of kernels/variadic.py."""

import numpy as np

from .case import Case, floats, integers

A, B = floats(2, 3, 4), floats(3, 1, seed=1)
THREE = [floats(2, 3, seed=seed) for seed in range(3)]
VERSIONS = {"Sum": (6, 8, 13), "Mean": (6, 8, 13), "Max": (6, 8, 12, 13), "Min": (6, 8, 12, 13)}

CASES = [
    *(Case("three", op, since, THREE) for op, versions in VERSIONS.items() for since in versions),
    *(Case("one", op, 13, [A]) for op in VERSIONS),
    *(Case("broadcast", op, 13, [A, B]) for op in VERSIONS),
    *(Case("broadcast_first", op, 13, [B, A]) for op in ("Sum", "Max", "Min")),
    *(Case("int64", op, 13, [integers(3, 4, low=-9, high=9), integers(4, low=-9, high=9, seed=1)]) for op in ("Max", "Min")),
    *(Case("nan", op, 13, [np.float32([np.nan, 1, 2]), np.float32([1, np.nan, 3])]) for op in ("Max", "Min")),
]
