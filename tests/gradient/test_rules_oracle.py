"""Every gradient rule against finite differences in float64, for all attributes and for each input alone."""

import numpy as np
import pytest

from artifacts_tool.gradient.registry import all_rules

from .cases import ALL
from .cases.values import scalar
from .projection import Case, backward, check, projected, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx


@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_rule_gives_the_derivative(case):
    """u . J v by the emitted nodes equals the central difference, and each gradient has its input's shape and type."""
    check(case)


def test_every_rule_has_a_case():
    """No rule stands unchecked; quantization, whose gradient is not its derivative, has test_quantize_oracle.py."""
    quantization = {("", "QuantizeLinear"), ("", "DequantizeLinear")}
    assert {(rule.domain, rule.op_type) for rule in all_rules()} - quantization == {(case.domain, case.op_type) for case in ALL}


@pytest.mark.parametrize("x,expected", [(0.0, 1.0), (6.0, 1.0), (-0.1, 0.0), (6.1, 0.0)])
def test_clip_passes_the_gradient_on_its_bounds(x, expected):
    """On the bounds, where a derivative does not exist, we choose 1, as ONNX Runtime does."""
    case = Case("Clip", [np.array([x]), scalar(0), scalar(6)], (0,))
    graph = backward(projected(case, np.ones(1)), ["x0"], 17)
    feeds = {"x0": np.array([x]), "x1": scalar(0), "x2": scalar(6)}
    assert run(graph, feeds, ["x0_grad"])["x0_grad"] == [expected]
