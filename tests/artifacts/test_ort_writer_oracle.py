"""artifacts_tool.ort_writer against onnxruntime: our .ort files load there and answer as the .onnx does."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from artifacts_tool.forward import prepare
from artifacts_tool.generate import build
from artifacts_tool.onnx_io import infer_types, read, to_bytes
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.proto_reader import model_of
from artifacts_tool.value_types import value_types
from pagetrain.errors import InvalidInputError
from pagetrain.ortformat import model as ortformat
from tests.artifacts import small_models
from tests.cases import COMPARED
from tests.kernels import test_replay_oracle as replay

pytestmark = pytest.mark.oracle

# Of these versions onnxruntime 1.32 has no kernel: too new, or for training alone.
WITHOUT_KERNEL = {"Attention": (25,), "ReduceLogSum": (28,), "ReduceLogSumExp": (28,), "SoftmaxCrossEntropyLoss": (12, 13)}


def is_function(case):
    """Whether the op has a body and the case can be written: inference leaves Attention's present keys untyped where there are no past."""
    if case.domain or case.oracle == "onnx" or case.since in WITHOUT_KERNEL.get(case.op_type, ()) or case.name.startswith("mode_"):
        return False
    schema = onnx.defs.get_schema(case.op_type, case.since)
    return schema.has_function or schema.has_context_dependent_function


FUNCTIONS = [case for case in COMPARED if is_function(case)]


def outputs(data, feeds):
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)


def test_onnxruntime_runs_our_ort_files(golden):
    """The forward model as .ort gives what it gives as .onnx."""
    model = infer_types(prepare(read(golden.folder / "base.onnx")))
    trace = np.load(golden.folder / "trace.npz")
    name = golden.meta["inference_inputs"][0]
    feeds = {name: trace[f"in/0/{name}"]}
    # The same kernels run on the same values; onnxruntime may fuse more in one form than in the other, hence not exactly 0.
    for ours, theirs in zip(outputs(to_ort(model), feeds), outputs(to_bytes(model), feeds), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case.id)
def test_functions_run_from_ort_files(case):
    """onnxruntime finds a kernel for every op of the file, and gives what it gives for the .onnx, whose functions it writes out itself."""
    model = infer_types(read(replay.model_of(case)))
    for found, expected in zip(outputs(to_ort(model), replay.feeds_of(case)), replay.by_onnxruntime(case), strict=True):
        np.testing.assert_allclose(found, expected, rtol=case.rtol, atol=case.atol)


def test_what_is_written_is_read_back(golden):
    """ortformat.load(to_ort(model)) has the same nodes, interface and constants, for all three graphs."""
    for model in golden.build().models().values():
        back = ortformat.load(to_ort(model)).graph
        assert (back.inputs, back.outputs) == (model.graph.inputs, model.graph.outputs)
        assert [(n.op_type, n.inputs, n.outputs, n.since_version) for n in back.nodes] == [
            (n.op_type, n.inputs, n.outputs, n.since_version) for n in model.graph.nodes
        ]
        assert {t.name: t.data.tobytes() for t in back.initializers} == {t.name: t.data.tobytes() for t in model.graph.initializers}


def test_the_same_model_gives_the_same_bytes(golden):
    """Unlike ONNX Runtime's own writer."""
    model = golden.build().training_model
    assert to_ort(model) == to_ort(golden.build().training_model)


def test_ops_without_schema_are_named(golden):
    """An op that nobody knows cannot be described in the file."""
    proto = onnx.load(golden.folder / "base.onnx")
    proto.graph.node[0].op_type = "NoSuchOp"
    with pytest.raises(InvalidInputError, match="NoSuchOp"):
        to_ort(model_of(proto))


def test_gradients_of_sizes_without_a_name_are_typed():
    """A .ort file needs the type of every value: also of LogSoftmax's gradient, an op that ONNX does not know, for N * 4 rows."""
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["product"]),
        helper.make_node("Flatten", ["product"], ["rows"], axis=2),
        helper.make_node("LogSoftmax", ["rows"], ["scores"], axis=1),
        helper.make_node("Pad", ["scores", "pads"], ["padded"], mode="edge"),
        helper.make_node("ReduceSum", ["padded"], ["loss"], keepdims=0),
    ]
    weights = {"w": (4, 1, 1), "pads": np.array([0, 1, 0, 1])}
    model = small_models.model(nodes, {"x": ["N", 4, 4, 3]}, [("loss", 1, [])], weights, opset=13)
    made = build(model_of(model), ["w"], [], None, None)
    back = ortformat.load(to_ort(made.training_model)).graph
    types = value_types(back)
    assert types["rows_grad"].shape[1:] == types["rows"].shape[1:] == (12,)
