"""Cases of kernels/gelu.py."""

from .case import MS, Case, floats

X, DY = floats(2, 3, 4, low=-5, high=5), floats(2, 3, 4, seed=1)
CONTRIB = {"domain": MS, "oracle": "onnxruntime", "reason": "not in ONNX"}

CASES = [
    *(Case(approximate, "Gelu", 20, [X], {"approximate": approximate}) for approximate in ("none", "tanh")),
    *(Case("floats", op, 1, [X], **CONTRIB) for op in ("Gelu", "FastGelu", "QuickGelu")),
    Case("alpha", "QuickGelu", 1, [X], {"alpha": 1.0}, **CONTRIB),
    *(Case("bias", op, 1, [X, floats(4, seed=2)], **CONTRIB) for op in ("BiasGelu", "FastGelu")),
    *(
        Case("floats", op, 1, [DY, X], domain=MS, oracle="none", reason="a training op")
        for op in ("GeluGrad", "FastGeluGrad", "QuickGeluGrad")
    ),
]
