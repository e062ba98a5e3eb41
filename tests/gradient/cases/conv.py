"""Cases of artifacts_tool/gradient/conv.py."""

from ..projection import Case
from .values import normal


def conv_cases():
    X, W = normal(2, 4, 6, 5), normal(6, 4, 3, 3)
    for note, attributes in {
        "plain": {},
        "pads": {"pads": (1, 0, 2, 1), "strides": (2, 1)},
        "dilations": {"dilations": (2, 1)},
        "valid": {"auto_pad": "VALID"},
        "same_upper": {"auto_pad": "SAME_UPPER", "strides": (2, 2)},
        "same_lower": {"auto_pad": "SAME_LOWER", "strides": (2, 2)},
    }.items():
        yield Case("Conv", [X, W, normal(6)], (0, 1, 2), attributes, note=note)
    yield Case("Conv", [X, W], (0, 1), note="nobias")
    for differentiable in ((0,), (1,), (2,), (0, 2)):
        yield Case("Conv", [X, W, normal(6)], differentiable, note="some")
    yield Case("Conv", [X, normal(6, 2, 3, 3), normal(6)], (0, 1, 2), {"group": 2}, note="group")
    depthwise = {"group": 4, "auto_pad": "SAME_UPPER", "strides": (2, 2)}
    yield Case("Conv", [X, normal(4, 1, 5, 5), normal(4)], (0, 1, 2), depthwise, note="depthwise")
    yield Case("Conv", [X, normal(6, 4, 1, 1), normal(6)], (0, 1, 2), note="pointwise")
    yield Case("Conv", [X, normal(6, 4, 1, 1)], (0, 1), {"strides": (2, 2)}, note="pointwise_strided")


CASES = [
    *conv_cases(),
]
