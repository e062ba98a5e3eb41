"""Cases of kernels/broadcast.py; test_broadcast.py says what they are held to."""

from .case import MS, Case, floats, int64

TRAINING = {"domain": MS, "oracle": "none", "reason": "a training op, not in onnxruntime"}

CASES = [
    Case("broadcast", "DivGrad", 1, [floats(2, 3, 4), floats(2, 3, 4, seed=1), floats(3, 1, seed=2, low=1)], outputs=2, **TRAINING),
    Case("both", "BroadcastGradientArgs", 1, [int64(2, 1, 4), int64(3, 1)], outputs=2, **TRAINING),
    Case("axes", "ReduceSumTraining", 1, [floats(2, 3, 4), int64(0, 2)], {"keepdims": 0}, **TRAINING),
]
