"""Cases of kernels/random.py; tests/kernels/test_random.py holds them to what a draw has to be."""

from __future__ import annotations

from typing import Any

from .case import Case, floats

X = floats(3, 4, low=0, high=1)
DRAWN: dict[str, Any] = {"oracle": "none", "reason": "random numbers"}

CASES = [
    *(Case("plain", op, since, [], {"shape": [2, 3]}, **DRAWN) for op in ("RandomUniform", "RandomNormal") for since in (1, 22)),
    *(Case("plain", op, since, [X], **DRAWN) for op in ("RandomUniformLike", "RandomNormalLike") for since in (1, 22)),
    *(Case("plain", "Bernoulli", since, [X], **DRAWN) for since in (15, 22)),
    *(Case("plain", "Multinomial", since, [X], {"sample_size": 5}, **DRAWN) for since in (7, 22)),
]
