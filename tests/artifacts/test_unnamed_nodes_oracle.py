"""Nodes without a name, as many exporters write them, go by their first output in reports and errors."""

import pytest

from artifacts_tool.check import Request, check
from artifacts_tool.inspection import inspect
from artifacts_tool.logits import find_scored
from artifacts_tool.proto_reader import model_of
from artifacts_tool.report_text import check_text, inspect_text
from pagetrain import InferenceSession
from pagetrain.errors import InvalidInputError

from .small_models import ARGMAX, SOFTMAX, network

pytestmark = pytest.mark.oracle


@pytest.fixture
def unnamed():
    """The network with a Softmax at its end, and no names of nodes."""
    made = network([SOFTMAX, ARGMAX], [("p", 1, ["N", 3])])
    for node in made.graph.node:
        node.ClearField("name")
    return model_of(made)


@pytest.mark.parametrize("patterns, told", [(["w3"], "of MatMul 'logits'"), (["mean"], "BatchNormalization 'n': ")])
def test_the_report_of_check(unnamed, patterns, told):
    """Trained layers, blockers and notes; nothing is called ''."""
    text = check_text(check(unnamed, Request(patterns)).report)
    assert told in text
    assert "''" not in text


def test_the_list_of_inspect(unnamed):
    """Each layer."""
    text = inspect_text(inspect(unnamed))
    assert "last:1 MatMul 'logits'" in text
    assert "''" not in text


def test_what_comes_before_the_ending(unnamed):
    """The reason of a choice."""
    from artifacts_tool import LossType

    assert "comes out of Softmax 'p'" in find_scored(unnamed.graph, LossType.CrossEntropyLoss).why


def test_a_step_that_fails(unnamed, tmp_path):
    """In the runtime, too."""
    import numpy as np
    import onnx

    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])]
    inputs = [onnx.helper.make_tensor_value_info(name, 1, None) for name in "xw"]
    graph = onnx.helper.make_graph(nodes, "g", inputs, [onnx.helper.make_tensor_value_info("y", 1, None)])
    session = InferenceSession(onnx.helper.make_model(graph, ir_version=8).SerializeToString())
    with pytest.raises(InvalidInputError, match=r"^MatMul 'y' cannot run"):
        session.run(None, {"x": np.zeros((2, 3), np.float32), "w": np.zeros((2, 3), np.float32)})
