"""Cases of kernels/dropout.py in evaluation mode; test_dropout.py says what training mode is held to."""

import numpy as np

from .case import MS, Case, floats, scalar

X = floats(2, 3, 4)
NO_KERNEL = {"oracle": "none", "reason": "a training op, not in onnxruntime"}

CASES = [
    *(Case("default", "Dropout", since, [X], {"ratio": 0.3}) for since in (7, 10)),
    Case("with_mask", "Dropout", 10, [X], outputs=2, oracle="onnx", reason="onnxruntime says all false here"),
    *(Case("evaluation", "Dropout", since, [X, scalar(0.3), np.array(False)], outputs=2) for since in (12, 13, 22)),
    *(Case("default", "Dropout", since, [X], outputs=2) for since in (12, 13)),
    *(Case("ratio_0", "Dropout", since, [X, scalar(0), np.array(True)], outputs=2) for since in (12, 13)),
    Case("plain", "DropoutGrad", 1, [X, floats(2, 3, 4, seed=1) > 0, scalar(0.25), np.array(True)], {}, MS, **NO_KERNEL),
]
