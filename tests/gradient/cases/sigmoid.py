"""Cases of artifacts_tool/gradient/sigmoid.py."""

from ..projection import Case
from .values import away, normal

CASES = [
    *(Case(op, [normal(3, 4) * 2], (0,)) for op in ("Sigmoid", "Tanh", "Softplus")),
    Case("Softsign", [away(3, 4)], (0,)),
    *(Case(op, [away(3, 4)], (0,), opset=7, note="opset7") for op in ("Sigmoid", "Tanh", "Softplus", "Softsign")),
    Case("Mish", [normal(3, 4) * 2], (0,), opset=18),
    *(Case("Swish", [normal(3, 4) * 2], (0,), {"alpha": alpha}, opset=24, note=f"alpha{alpha}") for alpha in (1.0, -0.7)),
    Case("SwiGLU", [normal(3, 4), normal(3, 4)], (0, 1), {"alpha": 1.5}, opset=28),
]
