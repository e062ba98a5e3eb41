"""Cases of artifacts_tool/gradient/rectifier.py."""

from ..projection import Case
from .values import away, normal

# op: (where its pieces meet, attributes)
PIECES = {
    "LeakyRelu": ((0.0,), {"alpha": 0.2}),
    "Elu": ((0.0,), {"alpha": 0.7}),
    "Selu": ((0.0,), {"alpha": 1.5, "gamma": 0.8}),
    "HardSigmoid": ((-1.0, 2.0), {"alpha": 1 / 3, "beta": 1 / 3}),
    "ThresholdedRelu": ((0.5,), {"alpha": 0.5}),
}
SLOPES = {"channel": (3, 1), "one": (1,), "whole": (2, 3, 4), "scalar": ()}

CASES = [
    *(Case(op, [away(5, 8, kinks=kinks)], (0,)) for op, (kinks, _) in PIECES.items() if op not in ("HardSigmoid", "ThresholdedRelu")),
    *(Case(op, [away(5, 8, kinks=kinks)], (0,), given, note="attributes") for op, (kinks, given) in PIECES.items()),
    *(
        Case(op, [away(5, 8, kinks=PIECES[op][0])], (0,), PIECES[op][1], opset=7, note="opset7")
        for op in ("LeakyRelu", "Elu", "Selu", "HardSigmoid")
    ),
    Case("LeakyRelu", [away(5, 8)], (0,), {"alpha": -0.5}, note="negative"),
    Case("HardSigmoid", [away(5, 8, kinks=(-2.5, 2.5))], (0,)),
    Case("ThresholdedRelu", [away(5, 8, kinks=(1.0,))], (0,)),
    Case("HardSwish", [away(5, 8, kinks=(-1.5, 1.5)) * 2], (0,)),
    Case("Shrink", [away(5, 8, kinks=(-0.5, 0.5))], (0,)),
    Case("Shrink", [away(5, 8, kinks=(-1.0, 1.0))], (0,), {"lambd": 1.0, "bias": 0.25}, note="attributes"),
    *(Case("PRelu", [away(2, 3, 4), normal(*shape)], (0, 1), note=note) for note, shape in SLOPES.items()),
    *(Case("PRelu", [away(2, 3, 4), normal(3, 1)], (0, 1), opset=opset, note=f"opset{opset}") for opset in (7, 9)),
    Case("PRelu", [away(2, 3, 4), normal(3, 1)], (1,)),
    Case("Celu", [away(5, 8)], (0,), {"alpha": 2.0}),
]
