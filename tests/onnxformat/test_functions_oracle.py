"""Local functions written out: the values are those of onnxruntime, which has its own way of writing them out."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import AttributeProto, helper

from pagetrain import InferenceSession, onnxformat
from pagetrain.errors import FormatError

pytestmark = pytest.mark.oracle

OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
X = np.array([[-1.5, 0, 2], [3, -4, 0.5]], np.float32)


def function(name, inputs, outputs, nodes, **more):
    return helper.make_function("own", name, inputs, outputs, nodes, OPSETS, **more)


def call(name, inputs, outputs, **attributes):
    return helper.make_node(name, inputs, outputs, domain="own", **attributes)


def referring(node, name, to, kind):
    """The node with an attribute that is the call's."""
    node.attribute.append(AttributeProto(name=name, ref_attr_name=to, type=kind))
    return node


def typed(name):
    return helper.make_tensor_value_info(name, 1, ["N", "M"])


def model(nodes, functions, outputs=("y",), opset=17):
    values = [typed(name) for name in outputs]
    graph = helper.make_graph(nodes, "g", [typed("x")], values)
    opsets = [helper.make_opsetid("", opset), OPSETS[1]]
    return helper.make_model(graph, functions=functions, opset_imports=opsets, ir_version=8)


def sloped(name, **more):
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    return function(name, ["a"], ["b"], [referring(leaky, "alpha", "slope", AttributeProto.FLOAT)], **more)


SLOPED = sloped("Sloped", attributes=["slope"])
WITH_DEFAULT = sloped("WithDefault", attribute_protos=[helper.make_attribute("slope", 0.25)])
TWICE = function("Twice", ["a"], ["c"], [call("Sloped", ["a"], ["b"], slope=0.5), call("Sloped", ["b"], ["c"], slope=2.0)])
BOUNDED = function("Bounded", ["a", "low", "high"], ["b"], [helper.make_node("Clip", ["a", "low", "high"], ["b"])])
BOTH = function("Both", ["a"], ["a", "b"], [helper.make_node("Neg", ["a"], ["b"])])
BRANCH = function(
    "Branch",
    ["a"],
    ["c"],
    [
        helper.make_node("ReduceSum", ["a"], ["sum"], keepdims=0),
        helper.make_node("Constant", [], ["zero"], value_float=0.0),
        helper.make_node("Greater", ["sum", "zero"], ["positive"]),
        helper.make_node(
            "If",
            ["positive"],
            ["c"],
            then_branch=helper.make_graph([call("Sloped", ["a"], ["t"], slope=0.1)], "then", [], [typed("t")]),
            else_branch=helper.make_graph([helper.make_node("Neg", ["a"], ["t"])], "else", [], [typed("t")]),
        ),
    ],
)
ONE = helper.make_node("Constant", [], ["one"], value_float=1.0)
MODELS = {
    "an attribute of the call": model([call("Sloped", ["x"], ["y"], slope=0.3)], [SLOPED]),
    "one that the call leaves out": model([call("Sloped", ["x"], ["y"])], [SLOPED]),
    "a default": model([call("WithDefault", ["x"], ["y"])], [WITH_DEFAULT]),
    "not the default": model([call("WithDefault", ["x"], ["y"], slope=0.75)], [WITH_DEFAULT]),
    "functions in functions, twice": model([call("Twice", ["x"], ["b"]), call("Twice", ["b"], ["y"])], [TWICE, SLOPED]),
    "inputs left out": model([ONE, call("Bounded", ["x", "", "one"], ["b"]), call("Bounded", ["b"], ["y"])], [BOUNDED]),
    "a branch": model(
        [call("Branch", ["x"], ["t"]), helper.make_node("Neg", ["t"], ["n"]), call("Branch", ["n"], ["y"])], [BRANCH, SLOPED]
    ),
}


@pytest.mark.parametrize("proto", MODELS.values(), ids=MODELS)
def test_values_are_those_of_the_calls(proto):
    """No call is left, and no two values have one name."""
    onnx.checker.check_model(proto)
    written = onnxformat.load(proto.SerializeToString())
    assert all(node.domain == "" for node in written.graph.nodes)
    real = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    for given in (X, -X):
        (expected,) = real.run(None, {"x": given})
        (found,) = InferenceSession(proto.SerializeToString()).run(None, {"x": given})
        np.testing.assert_allclose(found, expected, rtol=1e-6)  # a few roundings of float32


def test_an_output_that_is_an_input_is_passed_on():
    """Under the name that the call gives it."""
    proto = model([call("Both", ["x"], ["y", "z"])], [BOTH], ("y", "z"))
    same, negative = InferenceSession(proto.SerializeToString()).run(None, {"x": X})
    np.testing.assert_array_equal(same, X)
    np.testing.assert_array_equal(negative, -X)


def endless():
    nodes = [call("Endless", ["a"], ["b"])]
    return model([call("Endless", ["x"], ["y"])], [function("Endless", ["a"], ["b"], nodes)])


def doubling(levels, leaf):
    """Each level calls the one below twice."""
    functions = [function("F0", ["a"], ["b"], leaf)]
    for level in range(1, levels + 1):
        nodes = [call(f"F{level - 1}", ["a"], ["t"]), call(f"F{level - 1}", ["t"], ["b"])]
        functions.append(function(f"F{level}", ["a"], ["b"], nodes))
    return model([call(f"F{levels}", ["x"], ["y"])], functions)


NEG = helper.make_node("Neg", ["a"], ["b"])
REFUSED = {
    "a circle": (endless(), "'Endless' calls itself"),
    "a blow-up": (doubling(40, [NEG]), "more than 200000 nodes"),
    "a blow-up of nothing": (doubling(40, []), "more than 200000 nodes"),
    "too many inputs": (model([call("Sloped", ["x", "x"], ["y"])], [SLOPED]), "do not fit"),
    "too many outputs": (model([call("Sloped", ["x"], ["y", "z"])], [SLOPED]), "do not fit"),
    "another opset": (model([call("Sloped", ["x"], ["y"])], [SLOPED], opset=18), "'Sloped' is of opset 17, the model of 18"),
}


@pytest.mark.parametrize("proto, told", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_out_is_refused(proto, told):
    """In one sentence, and soon."""
    with pytest.raises(FormatError, match=told):
        onnxformat.load(proto.SerializeToString())
