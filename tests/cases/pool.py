"""Cases of kernels/pool.py."""

from .case import MS, Case, floats, int64, scalar

CASES = [
    *(Case("2d", "GlobalAveragePool", since, [floats(2, 3, 5, 4)]) for since in (1, 22)),
    Case("1d", "GlobalAveragePool", 1, [floats(2, 3, 5)]),
    Case("3d", "GlobalAveragePool", 1, [floats(2, 3, 2, 3, 4)]),
    Case("up", "Scale", 1, [floats(2, 3), scalar(2.5)], domain=MS, oracle="none", reason="a training op, not in onnxruntime"),
    Case("down", "Scale", 1, [floats(2, 3), int64(12)], {"scale_down": 1}, MS, oracle="none", reason="a training op, not in onnxruntime"),
]
