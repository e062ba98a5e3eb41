"""Cases of kernels/order.py."""

from .case import Case, floats, int64, integers

X = floats(3, 6, 2)
TIES = integers(3, 8, low=0, high=3)

CASES = [
    Case("attribute", "TopK", 1, [X], {"k": 3, "axis": 1}, outputs=2, oracle="onnx", reason="onnxruntime takes opset 7 and newer alone"),
    Case("input", "TopK", 10, [X, int64(3)], {"axis": 1}, outputs=2),
    *(Case(f"largest{n}", "TopK", 11, [X, int64(4)], {"axis": -2, "largest": n}, outputs=2) for n in (0, 1)),
    *(Case(f"ties{n}", "TopK", 11, [TIES, int64(5)], {"largest": n}, outputs=2) for n in (0, 1)),
    Case("none", "TopK", 11, [TIES, int64(0)], outputs=2),
]
