"""Cases of artifacts_tool/gradient/layer_norm.py and group_norm.py."""

from ..projection import Case
from .values import away, normal

X = normal(2, 3, 4, 5)
SYMBOLIC = {0: ("N", "C", "H", "W")}


def layer_cases():
    for axis in (0, 1, 2, -1):
        tail = X.shape[axis:]
        yield Case("LayerNormalization", [X, normal(*tail), normal(*tail)], (0, 1, 2), {"axis": axis, "epsilon": 0.01}, note=f"axis{axis}")
        yield Case("RMSNormalization", [X, normal(*tail)], (0, 1), {"axis": axis, "epsilon": 0.01}, opset=23, note=f"axis{axis}")
    for wanted in ((0,), (1,), (2,)):
        yield Case("LayerNormalization", [X, normal(5), normal(5)], wanted, note="some")
    yield Case("LayerNormalization", [X, normal(5), normal(5)], (0, 1, 2), outputs=3, note="three_outputs")
    yield Case("LayerNormalization", [X, normal(5)], (0, 1), note="without_B")
    yield Case("LayerNormalization", [X, normal(5), normal(5)], (0, 1, 2), symbolic={0: ("N", "T", None, 5)}, note="symbolic")
    for wanted in ((0,), (1,)):
        yield Case("RMSNormalization", [X, normal(5)], wanted, opset=23, note="some")
    yield Case("RMSNormalization", [X, normal(5)], (0, 1), opset=23, symbolic={0: ("N", "T", "U", 5)}, note="symbolic")
    yield Case("SimplifiedLayerNormalization", [X, normal(5)], (0, 1))


def group_cases():
    for opset in (7, 13, 18):
        yield Case("InstanceNormalization", [X, normal(3), normal(3)], (0, 1, 2), opset=opset, note=f"opset{opset}")
    for wanted in ((0,), (1,), (2,)):
        yield Case("InstanceNormalization", [X, normal(3), normal(3)], wanted, {"epsilon": 0.01}, symbolic=SYMBOLIC, note="symbolic")
        yield Case("GroupNormalization", [normal(2, 6, 4, 5), normal(6), normal(6)], wanted, {"num_groups": 3}, opset=21, note="some")
    for opset, scales in ((18, 2), (21, 6)):
        inputs = [normal(2, 6, 4, 5), normal(scales), normal(scales)]
        for symbolic in ({}, SYMBOLIC):
            note = f"opset{opset}{'_symbolic' * bool(symbolic)}"
            yield Case("GroupNormalization", inputs, (0, 1, 2), {"num_groups": 2}, opset=opset, symbolic=symbolic, note=note)
    yield Case("MeanVarianceNormalization", [X], (0,))
    for axes in ((0, 2, 3), (1, 3)):
        yield Case("MeanVarianceNormalization", [X], (0,), {"axes": axes}, symbolic=SYMBOLIC, note=f"axes{axes}")
    for p in (1, 2):
        for axis in (1, -1):
            yield Case("LpNormalization", [away(2, 3, 4)], (0,), {"p": p, "axis": axis}, note=f"p{p}axis{axis}")
    for size in (1, 3, 4):
        attributes = {"size": size, "alpha": 0.3, "beta": 0.6, "bias": 2.0}
        yield Case("LRN", [normal(2, 6, 3, 4)], (0,), attributes, note=f"size{size}")
    yield Case("LRN", [normal(2, 6, 3, 4)], (0,), {"size": 5}, symbolic={0: ("N", 6, "H", "W")}, note="symbolic")


CASES = [*layer_cases(), *group_cases()]
