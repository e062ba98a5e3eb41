"""Cases of kernels/scatter.py."""

import numpy as np

from .case import Case, floats, int64

X = floats(4, 3)
ROWS = [X, np.array([[1, 0, -1], [3, 1, 0]]), floats(2, 3, seed=1)]
PLACES = [X, np.array([[0, 1], [-1, 2]]), floats(2, seed=1)]
TWICE = {
    "ScatterElements": [X, np.array([[1, 0, 2], [1, 0, -2]]), ROWS[2]],
    "ScatterND": [X, np.array([[1], [1], [3]]), floats(3, 3, seed=1)],
}
VERSIONS = {"ScatterElements": (11, 13, 16, 18), "ScatterND": (11, 13, 16, 18)}

CASES = [
    *(Case("rows", "ScatterElements", since, ROWS) for since in VERSIONS["ScatterElements"]),
    Case("rows", "Scatter", 9, ROWS, oracle="onnxruntime", reason="the reference takes no negative indices here"),
    Case("columns", "ScatterElements", 18, [X, int64(2, 0).reshape(2, 1), floats(2, 1)], {"axis": -1}),
    *(Case("elements", "ScatterND", since, PLACES) for since in VERSIONS["ScatterND"]),
    Case("slices", "ScatterND", 18, [X, np.array([[[3]], [[0]]]), floats(2, 1, 3)]),
    *(Case(how, op, 18, inputs, {"reduction": how}) for op, inputs in TWICE.items() for how in ("add", "mul", "max", "min")),
]
