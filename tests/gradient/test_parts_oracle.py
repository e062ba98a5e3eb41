"""Split with several outputs in use, and what the rules for moved elements refuse."""

import numpy as np
import pytest

from artifacts_tool.gradient import differentiate
from artifacts_tool.onnx_io import infer_types
from artifacts_tool.op_schemas import since_version
from artifacts_tool.value_types import value_types
from pagetrain.errors import InvalidInputError
from pagetrain.graph import ElementType, Graph, Model, Node, TensorType, ValueInfo

from .cases.values import ints, normal
from .projection import Case, attribute, backward, projected, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx


def test_each_output_of_split_brings_its_part_and_an_unused_one_zeros():
    """loss = a . c over the parts a, b, c of x: its gradient is (c, 0, a)."""
    parts = {"axis": attribute(0)}
    nodes = (
        Node("Split", ("x",), ("a", "b", "c"), "split", attributes=parts, since_version=since_version("Split", "", 17)),
        Node("MatMul", ("a", "c"), ("loss",), "dot", since_version=13),
    )
    double = TensorType(ElementType.DOUBLE, (6,))
    graph = Graph("g", nodes, (ValueInfo("x", double),), (ValueInfo("loss", TensorType(ElementType.DOUBLE, ())),))
    graph = infer_types(Model(graph, 8, {"": 17})).graph
    x = np.arange(6.0)
    np.testing.assert_array_equal(run(backward(graph, ["x"], 17), {"x": x}, ["x_grad"])["x_grad"], [4, 5, 0, 0, 0, 1])


@pytest.mark.parametrize(
    "case, message",
    [
        (Case("Scatter", [normal(4), ints(1), normal(1)], (0, 2), opset=10), "needs opset 11"),
        (Case("Pad", [normal(4)], (0,), {"mode": "edge", "pads": (1, 1)}, opset=8, symbolic={0: ("N",)}), "needs opset 9"),
        (Case("GridSample", [normal(1, 1, 2, 2), normal(1, 1, 4, 2)], (1,)), "no gradient by its grid"),
        (Case("RoiAlign", [normal(1, 4, 2, 2), normal(1, 4), ints(0)], (0,), {"mode": "max"}), "mode='max'"),
        (
            Case("DepthToSpace", [normal(1, 4, 1, 1)], (0,), {"blocksize": 2, "mode": "CRD"}, symbolic={0: (1, "C", 1, 1)}),
            "the number of channels",
        ),
    ],
    ids=str,
)
def test_what_has_no_gradient_is_refused(case, message):
    """By the node's name, with the reason."""
    graph = projected(case, np.ones({"Pad": 6}.get(case.op_type, 4)))
    with pytest.raises(InvalidInputError, match=message):
        differentiate(graph, value_types(graph), [f"x{index}" for index in case.differentiable], "loss", case.opset)
