"""artifacts_tool.ort_writer against onnxruntime: our .ort files load there and answer as the .onnx does."""

import numpy as np
import onnx
import onnxruntime
import pytest

from artifacts_tool.forward import prepare
from artifacts_tool.onnx_io import infer_types, read, to_bytes
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.proto_reader import model_of
from pagetrain.errors import InvalidInputError
from pagetrain.ortformat import model as ortformat

pytestmark = pytest.mark.oracle


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
