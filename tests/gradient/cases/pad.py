"""Cases of artifacts_tool/gradient/pad.py."""

from ..projection import Case
from .values import ints, normal, scalar

X = normal(2, 4, 5)
PADS = ints(0, 1, 2, 1, 0, 3)

CASES = [
    *(
        Case("Pad", [X, PADS], (0,), {"mode": mode}, opset=opset, note=f"{mode}{opset}")
        for mode in ("constant", "reflect", "edge")
        for opset in (12, 17)
    ),
    Case("Pad", [X, PADS, scalar(3)], (0,), note="value"),
    Case("Pad", [X, ints(0, -1, 2, 1, 0, -3)], (0,), note="negative"),
    Case("Pad", [X, ints(0, -1, 2, 1, 0, -3)], (0,), {"mode": "edge"}, note="negative_edge"),
    Case("Pad", [X, ints(0, 3, 2, 1, 0, 4)], (0,), {"mode": "wrap"}, opset=19, note="wrap"),
    Case("Pad", [X, ints(1, 2, 0, 3), None, ints(-1, 1)], (0,), opset=18, note="axes"),
    Case("Pad", [X, ints(1, 2, 0, 3), None, ints(-1, 1)], (0,), {"mode": "reflect"}, opset=18, note="axes_reflect"),
    Case("Pad", [X], (0,), {"pads": (0, 1, 2, 1, 0, -3)}, opset=10, note="attribute"),
    *(
        Case("Pad", [X], (0,), {"mode": mode, "pads": (1, 0, 2, 0, 2, 1)}, opset=opset, symbolic=symbolic, note=f"{mode}{opset}")
        for mode in ("reflect", "edge")
        for opset, symbolic in ((7, {}), (10, {0: ("N", None, 5)}))
    ),
    Case("Tile", [X, ints(2, 1, 3)], (0,)),
    Case("Tile", [X, ints(2, 1, 3)], (0,), opset=12, symbolic={0: ("N", "M", 5)}, note="opset12"),
]
