"""Cases of artifacts_tool/gradient/gelu.py."""

from ..projection import Case
from .values import normal

MS = "com.microsoft"

CASES = [
    *(Case("Gelu", [normal(3, 4) * 2], (0,), {"approximate": form}, opset=20, note=form) for form in ("none", "tanh")),
    *(Case(op, [normal(3, 4) * 2], (0,), domain=MS) for op in ("Gelu", "FastGelu", "QuickGelu")),
    Case("QuickGelu", [normal(3, 4) * 2], (0,), {"alpha": 1.0}, note="alpha", domain=MS),
    *(
        Case(op, [normal(2, 3, 4), normal(4)], positions, domain=MS, note="bias")
        for op in ("BiasGelu", "FastGelu")
        for positions in ((0, 1), (0,), (1,))
    ),
]
