"""Cases of artifacts_tool/gradient/col2im.py."""

from ..projection import Case
from .values import ints, normal

WINDOWS = {"strides": (1, 2), "pads": (1, 0, 0, 1), "dilations": (1, 2)}
PLACES = ints(5, 7, 13, 15, 17, 22, 24, 31).reshape(1, 2, 2, 2)
POOL = {"kernel_shape": (2, 2), "strides": (2, 2)}

CASES = [
    Case("Col2Im", [normal(1, 5, 5), ints(5, 5), ints(1, 5)], (0,), opset=18, constants=(2,)),
    Case("Col2Im", [normal(2, 18, 8), ints(4, 7), ints(2, 3)], (0,), WINDOWS, opset=18, constants=(2,), note="attributes"),
    Case("Col2Im", [normal(2, 4, 6), ints(7), ints(2)], (0,), opset=28, symbolic={0: ("N", 4, "L")}, constants=(2,), note="symbolic"),
    *(Case("MaxUnpool", [normal(1, 2, 2, 2), PLACES], (0,), POOL, opset=opset, note=f"opset{opset}") for opset in (9, 11, 22)),
    Case("MaxUnpool", [normal(1, 2, 2, 2), PLACES, ints(1, 2, 5, 5)], (0,), POOL, note="output_shape"),
    Case("MaxUnpool", [normal(1, 2, 2, 2), PLACES], (0,), POOL, symbolic={0: ("N", 2, "H", "W")}, note="symbolic"),
]
