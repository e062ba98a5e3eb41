"""Cases of kernels/rectifier.py."""

import numpy as np

from .case import MS, Case, floats

X = floats(2, 3, 4, low=-5, high=5)
EDGES = np.float32([-4, -3, -2.5, -1, -0.5, -0.0, 0, 0.5, 1, 2.5, 3, 4])
IMAGE = floats(2, 3, 4, 5)
VERSIONS = {
    "LeakyRelu": (6, 16),
    "Elu": (6, 22),
    "Selu": (6, 22),
    "Celu": (12,),
    "HardSigmoid": (6, 22),
    "HardSwish": (14, 22),
    "ThresholdedRelu": (10, 22),
    "Shrink": (9,),
}
ATTRIBUTES = {
    "LeakyRelu": {"alpha": 0.2},
    "Elu": {"alpha": 0.7},
    "Selu": {"alpha": 1.5, "gamma": 0.8},
    "Celu": {"alpha": 2.0},
    "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "ThresholdedRelu": {"alpha": 0.5},
    "Shrink": {"bias": 0.25, "lambd": 1.0},
}

CASES = [
    *(Case("default", op, since, [X]) for op, versions in VERSIONS.items() for since in versions),
    *(Case("edges", op, versions[-1], [EDGES]) for op, versions in VERSIONS.items()),
    *(Case("attributes", op, VERSIONS[op][-1], [X], given) for op, given in ATTRIBUTES.items()),
    *(Case("channel", "PRelu", since, [IMAGE, floats(3, 1, 1, seed=1)]) for since in (7, 9, 16)),
    Case("one", "PRelu", 16, [IMAGE, floats(1, seed=1)]),
    Case("whole", "PRelu", 16, [IMAGE, floats(2, 3, 4, 5, seed=1)]),
    Case("floats", "LeakyReluGrad", 1, [floats(2, 3, 4, seed=1), X], {"alpha": 0.2}, MS, oracle="none", reason="a training op"),
    Case("double", "Celu", 28, [X.astype(np.float64)], {"alpha": 2.0}, oracle="onnx", reason="newer than onnxruntime"),
]
