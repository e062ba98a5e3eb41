"""Cases of kernels/order.py."""

from __future__ import annotations

from typing import Any

from .case import Case, floats, int64, integers

X = floats(3, 6, 2)
TIES = integers(3, 8, low=0, high=3)
FLAWED: dict[str, Any] = {"oracle": "onnxruntime", "reason": "the reference mixes up places in X and in Y"}
ROWS = integers(8, 2, low=0, high=2, seed=1)

CASES = [
    Case("attribute", "TopK", 1, [X], {"k": 3, "axis": 1}, outputs=2, oracle="onnx", reason="onnxruntime takes opset 7 and newer alone"),
    Case("input", "TopK", 10, [X, int64(3)], {"axis": 1}, outputs=2),
    *(Case(f"largest{n}", "TopK", 11, [X, int64(4)], {"axis": -2, "largest": n}, outputs=2) for n in (0, 1)),
    *(Case(f"ties{n}", "TopK", 11, [TIES, int64(5)], {"largest": n}, outputs=2) for n in (0, 1)),
    Case("none", "TopK", 11, [TIES, int64(0)], outputs=2),
    *(
        Case(f"flat_{way}", "Unique", since, [TIES], {"sorted": way}, outputs=4, **(FLAWED if not way else {}))
        for way in (0, 1)
        for since in (11, 28)
    ),
    *(Case(f"axis_{axis}", "Unique", 11, [ROWS], {"axis": axis}, outputs=4) for axis in (0, -1)),
    *(Case(f"axis_{axis}_first", "Unique", 11, [ROWS], {"axis": axis, "sorted": 0}, outputs=4, **FLAWED) for axis in (0, -1)),
]
