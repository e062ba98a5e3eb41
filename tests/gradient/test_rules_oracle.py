"""Every gradient rule against finite differences in float64, for all attributes and for each input alone."""

import numpy as np
import pytest

from artifacts_tool.gradient.registry import differentiable_ops

from .projection import Case, check

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx

RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.normal(size=shape)


def away(*shape, gap=0.05, kinks=(0.0,)):
    """Random values that keep a distance from the points where the function has no derivative."""
    values = RNG.normal(size=shape) * 2
    for kink in kinks:
        near = np.abs(values - kink) < gap
        values[near] = kink + np.where(values[near] < kink, -gap, gap) * 2
    return values


def ints(*values):
    return np.array(values, np.int64)


def scalar(value):
    return np.array(value, np.float64)


def gemm_cases():
    for transA in (0, 1):
        for transB in (0, 1):
            A, B = normal(*((3, 2) if transA else (2, 3))), normal(*((4, 3) if transB else (3, 4)))
            attributes = {"transA": transA, "transB": transB, "alpha": 0.5, "beta": 1.5}
            yield Case("Gemm", [A, B, normal(4)], (0, 1, 2), attributes, note=f"t{transA}{transB}")
    for C in (normal(2, 4), normal(1, 4), normal(2, 1), normal(1), normal()):
        yield Case("Gemm", [normal(2, 3), normal(3, 4), np.array(C)], (2,), note=f"C{np.shape(C)}")
    yield Case("Gemm", [normal(2, 3), normal(3, 4)], (0, 1), note="noC")
    yield Case("Gemm", [normal(2, 3), normal(3, 4), normal(4)], (1,), symbolic={0: ("N", 3)}, note="symbolic")


def matmul_cases():
    shapes = [
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (1, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((2, 1, 2, 3), (5, 3, 4)),
    ]
    for a, b in shapes:
        for differentiable in ((0, 1), (0,), (1,)):
            yield Case("MatMul", [normal(*a), normal(*b)], differentiable, note=f"{a}{b}")


def broadcast_cases():
    shapes = [
        ((2, 3), (2, 3)),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (2, 1)),
        ((2, 3), (1, 1)),
        ((2, 3), ()),
        ((4, 1, 3), (2, 1)),
        ((1,), (1, 1)),
    ]
    for op in ("Add", "Sub", "Mul"):
        for a, b in shapes:
            yield Case(op, [np.array(normal(*a)), np.array(normal(*b))], (0, 1), note=f"{a}{b}")
        yield Case(op, [normal(4, 3), normal(1, 3)], (1,), symbolic={0: ("N", 3)}, note="symbolic")
        yield Case(op, [normal(4, 3), normal(4, 1)], (1,), opset=12, note="opset12")


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


def loss_cases():
    scores, labels = normal(4, 3), ints(2, 0, 1, 1)
    for reduction in ("mean", "sum"):
        yield Case("SoftmaxCrossEntropyLoss", [scores, labels], (0,), {"reduction": reduction}, outputs=2, note=reduction)
        weighted = [scores, labels, np.array([0.2, 1.0, 3.0])]
        yield Case("SoftmaxCrossEntropyLoss", weighted, (0,), {"reduction": reduction}, outputs=2, note=f"{reduction}_weights")
    yield Case("SoftmaxCrossEntropyLoss", [scores, labels], (0,), {"ignore_index": 1}, outputs=2, note="ignore")
    yield Case("SoftmaxCrossEntropyLoss", [normal(2, 3, 2), np.array([[0, 1], [2, 2]])], (0,), outputs=2, note="spatial")


CASES = [
    *gemm_cases(),
    *matmul_cases(),
    *broadcast_cases(),
    *conv_cases(),
    *loss_cases(),
    Case("Neg", [normal(2, 3)], (0,)),
    Case("Identity", [normal(2, 3)], (0,)),
    Case("Relu", [away(4, 5)], (0,)),
    Case("Clip", [away(4, 5, kinks=(0.0, 1.5)), scalar(0), scalar(1.5)], (0,), note="both"),
    Case("Clip", [away(4, 5), scalar(0)], (0,), note="min"),
    Case("Clip", [away(4, 5), None, scalar(0)], (0,), note="max"),
    Case("Clip", [away(4, 5)], (0,), note="none"),
    Case("Softmax", [normal(2, 3, 4)], (0,)),
    Case("Softmax", [normal(2, 3, 4)], (0,), {"axis": 1}, note="axis1"),
    Case("Softmax", [normal(2, 3, 4)], (0,), opset=12, note="opset12"),
    Case("Softmax", [normal(2, 3, 4)], (0,), {"axis": -1}, opset=12, note="opset12_last"),
    Case("GlobalAveragePool", [normal(2, 3, 4, 5)], (0,)),
    Case("GlobalAveragePool", [normal(2, 3, 4, 5)], (0,), symbolic={0: ("N", 3, "H", "W")}, note="symbolic"),
    Case("Flatten", [normal(2, 3, 4)], (0,)),
    Case("Flatten", [normal(2, 3, 4)], (0,), {"axis": 2}, note="axis2"),
    Case("Reshape", [normal(2, 6), ints(3, -1)], (0,)),
    Case("Reshape", [normal(2, 6), ints(0, 2, 3)], (0,), note="zero"),
    Case("Transpose", [normal(2, 3, 4)], (0,)),
    Case("Transpose", [normal(2, 3, 4)], (0,), {"perm": (1, 2, 0)}, note="perm"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rule_gives_the_derivative(case):
    """u . J v by the emitted nodes equals the central difference, and each gradient has its input's shape and type."""
    check(case)


def test_every_rule_has_a_case():
    """No rule stands unchecked."""
    assert {op for _, op in differentiable_ops()} == {case.op_type for case in CASES}


@pytest.mark.parametrize("x,expected", [(0.0, 1.0), (6.0, 1.0), (-0.1, 0.0), (6.1, 0.0)])
def test_clip_passes_the_gradient_on_its_bounds(x, expected):
    """On the bounds, where a derivative does not exist, we choose 1, as ONNX Runtime does."""
    from .projection import backward, projected, run

    case = Case("Clip", [np.array([x]), scalar(0), scalar(6)], (0,))
    graph = backward(projected(case, np.ones(1)), ["x0"], 17)
    feeds = {"x0": np.array([x]), "x1": scalar(0), "x2": scalar(6)}
    assert run(graph, feeds, ["x0_grad"])["x0_grad"] == [expected]
