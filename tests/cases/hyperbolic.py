"""Cases of kernels/hyperbolic.py."""

from .case import Case, floats

INSIDE, ABOVE = floats(2, 3, 4, low=-0.95, high=0.95), floats(2, 3, 4, low=1.1, high=5)
OLD = {"Asin": 7, "Acos": 7, "Atan": 7, "Sinh": 9, "Cosh": 9, "Asinh": 9, "Atanh": 9}

CASES = [
    *(Case("floats", op, since, [INSIDE]) for op, first in OLD.items() for since in (first, 22)),
    *(Case("floats", "Acosh", since, [ABOVE]) for since in (9, 22)),
]
