"""Cases of kernels/sigmoid.py."""

from .case import MS, Case, floats

X, Y, DY = floats(2, 3, 4, low=-9, high=9), floats(2, 3, 4, low=0, high=1), floats(2, 3, 4, seed=1)
WIDE = floats(9, low=-80, high=80)
TRAINING = {"domain": MS, "oracle": "none", "reason": "a training op, not in onnxruntime; the rule's check in float64 holds it"}

CASES = [
    *(Case("floats", op, since, [X]) for op in ("Sigmoid", "Tanh") for since in (6, 13)),
    Case("floats", "Softplus", 1, [X]),
    Case("floats", "Softsign", 1, [X]),
    *(Case("wide", op, since, [WIDE]) for op, since in (("Sigmoid", 13), ("Tanh", 13), ("Softplus", 1), ("Softsign", 1))),
    *(
        Case("floats", op, since, [X], oracle="onnx", reason="onnxruntime has the version before")
        for op, since in (("Softplus", 22), ("Softsign", 22), ("Mish", 22), ("Swish", 24))
    ),
    Case("floats", "Mish", 18, [X]),
    Case("alpha", "Swish", 24, [X], {"alpha": 1.5}),
    *(Case("floats", op, 1, [DY, Y], **TRAINING) for op in ("SigmoidGrad", "TanhGrad")),
    Case("alpha", "SwiGLU", 28, [X, DY], {"alpha": 1.5}, oracle="onnx", reason="newer than onnxruntime"),
]
