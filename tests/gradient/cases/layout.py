"""Cases of artifacts_tool/gradient/layout.py."""

from ..projection import Case
from .values import ints, normal

CASES = [
    Case("Flatten", [normal(2, 3, 4)], (0,)),
    Case("Flatten", [normal(2, 3, 4)], (0,), {"axis": 2}, note="axis2"),
    Case("Reshape", [normal(2, 6), ints(3, -1)], (0,)),
    Case("Reshape", [normal(2, 6), ints(0, 2, 3)], (0,), note="zero"),
    Case("Transpose", [normal(2, 3, 4)], (0,)),
    Case("Transpose", [normal(2, 3, 4)], (0,), {"perm": (1, 2, 0)}, note="perm"),
]
