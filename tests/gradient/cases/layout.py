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
    Case("Reshape", [normal(2, 6), ints(3, 4)], (0,), {"allowzero": 1}, note="allowzero"),
    Case("Reshape", [normal(2, 6), ints(3, -1)], (0,), symbolic={0: ("N", "M")}, note="symbolic"),
    Case("Squeeze", [normal(1, 3, 1), ints(0, -1)], (0,)),
    Case("Squeeze", [normal(1, 3, 1)], (0,), note="all"),
    Case("Squeeze", [normal(1, 3, 1)], (0,), {"axes": (0,)}, opset=12, note="attribute"),
    Case("Unsqueeze", [normal(2, 3), ints(0, -1)], (0,)),
    Case("Unsqueeze", [normal(2, 3)], (0,), {"axes": (0, 3)}, opset=12, note="attribute"),
    Case("Expand", [normal(3, 1), ints(2, 1, 4)], (0,), constants=(1,)),
    Case("Expand", [normal(2, 3), ints(2, 3)], (0,), constants=(1,), note="same"),
    Case("Expand", [normal(1, 3), ints(4, 3)], (0,), note="dynamic"),
    Case("Expand", [normal(1, 1, 3), ints(4, 2, 1)], (0,), opset=12, constants=(1,), note="opset12"),
]
