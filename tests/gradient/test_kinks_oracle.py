"""Where a function has no derivative, the gradient is one that makes sense, and ORT's where it has one."""

import numpy as np
import pytest

from .projection import Case, backward, feeds_of, output_size, projected, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx

PAIR = [np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0])]
ROW = [np.array([[2.0, 2.0, 1.0, 2.0]])]
NOTHING = [np.zeros((1, 3))]

# case, and the expected gradient of each of its differentiable inputs
KINKS = [
    (Case("Max", PAIR, (0, 1), note="ties_share"), ([0.5, 0, 0.5], [0.5, 1, 0.5])),
    (Case("Min", PAIR, (0, 1), note="ties_share"), ([0.5, 1, 0.5], [0.5, 0, 0.5])),
    (Case("ReduceMax", ROW, (0,), {"axes": (1,)}, note="ties_share"), ([[1 / 3, 1 / 3, 0, 1 / 3]],)),
    (Case("ReduceMin", ROW, (0,), {"axes": (1,)}), ([[0, 0, 1, 0]],)),
    (Case("ReduceL1", NOTHING, (0,), {"axes": (1,)}), ([[0, 0, 0]],)),
    (Case("ReduceL2", NOTHING, (0,), {"axes": (1,)}), ([[0, 0, 0]],)),
    (
        Case(
            "ScatterElements",
            [np.array([2.0, 1.0]), np.array([0, 0, 1]), np.array([2.0, 2.0, 0.0])],
            (0, 2),
            {"reduction": "max"},
            opset=18,
        ),
        ([1 / 3, 1], [1 / 3, 1 / 3, 0]),
    ),
    (Case("Abs", [np.zeros(2)], (0,)), ([0, 0],)),
    (Case("LeakyRelu", [np.zeros(1)], (0,), {"alpha": 0.25}), ([0.25],)),
    (Case("PRelu", [np.zeros(1), np.array([0.25])], (0, 1)), ([0.25], [0])),
    (Case("Elu", [np.zeros(1)], (0,), {"alpha": 0.5}), ([0.5],)),
    (Case("HardSigmoid", [np.array([-2.5, 2.5])], (0,)), ([0, 0],)),
    (Case("HardSwish", [np.array([-3.0, 3.0])], (0,)), ([0, 1],)),
    (Case("ThresholdedRelu", [np.ones(1)], (0,)), ([0],)),
    (Case("Clip", [np.array([0.0, 6.0])], (0,), {"min": 0.0, "max": 6.0}, opset=7, note="opset7"), ([1, 1],)),
    (Case("Pow", [np.zeros(4), np.array([0.0, 1.0, 2.0, 3.0])], (0,)), ([0, 1, 0, 0],)),
    (Case("Pow", [np.array([0.0, -1.0]), np.array([1.0, 2.0])], (1,)), ([0, 0],)),
    (Case("Elu", [np.array([800.0])], (0,), note="no_overflow"), ([1],)),
    (Case("Softplus", [np.array([-800.0, 800.0])], (0,), note="no_overflow"), ([0, 1],)),
    (Case("ReduceLogSumExp", [np.array([[-800.0, 800.0]])], (0,), {"axes": (1,)}, note="no_overflow"), ([[0, 1]],)),
]


@pytest.mark.parametrize("case, expected", KINKS, ids=[str(case) for case, _ in KINKS])
def test_gradient_where_there_is_no_derivative(case, expected):
    """With dY = 1 everywhere; also where exponentials of large numbers take part."""
    feeds = feeds_of(case)
    graph = backward(projected(case, np.ones(output_size(case))), [f"x{index}" for index in case.differentiable], case.opset)
    found = run(graph, feeds, [f"x{index}_grad" for index in case.differentiable])
    for gradient, wanted in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-12, atol=1e-12)
