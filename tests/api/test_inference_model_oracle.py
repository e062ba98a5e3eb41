"""Module.export_model_for_inferencing against the models that ONNX Runtime's own call exported after the same training."""

import numpy as np
import onnx
import onnxruntime
import pytest

from artifacts_tool.ort_writer import to_ort
from pagetrain import CheckpointState, Module
from tests.api.golden import TRACES, assert_close
from tests.artifacts.conftest import Golden

pytestmark = pytest.mark.oracle
FUSED_AWAY = {("mlp_bce_adamw_sched", "ort")}  # ORT's optimised eval graph computes no logits


def trained(golden, module):
    module.copy_buffer_to_parameters(golden.trace["contiguous_all"], trainable_only=False)
    return module


def exported(golden, module, folder):
    """The file, checked by onnx as far as it knows the ops, and its answers in onnxruntime to the recorded batch."""
    names, path = golden.meta["infer_outputs"], folder / "m.onnx"
    trained(golden, module).export_model_for_inferencing(path, names)
    proto = onnx.load(path)
    if all(not node.domain for node in proto.graph.node):
        onnx.checker.check_model(proto, full_check=True)
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    assert [value.name for value in session.get_inputs()] == golden.meta["inference_inputs"]
    assert [value.name for value in session.get_outputs()] == names
    return dict(
        zip(names, session.run(None, {name: golden.feeds(0)[name] for name in golden.meta["inference_inputs"]}), strict=True)
    ), proto


@pytest.mark.parametrize("name", TRACES)
def test_models_of_our_artifacts_answer_as_ort_s(name, tmp_path):
    """The same outputs in the same order, no label among the inputs, no parameter outside, the same answers as recorded."""
    golden = Golden(name)
    artifacts = golden.build()
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    answers, proto = exported(golden, Module(to_ort(artifacts.training_model), state, to_ort(artifacts.eval_model)), tmp_path)
    for output, answer in answers.items():
        assert_close(answer, golden.trace[f"inference/{output}"])
    assert {tensor.name for tensor in proto.graph.initializer} <= {
        *(parameter.name for parameter in artifacts.parameters),
        *(tensor.name for tensor in artifacts.eval_model.graph.initializers),
    }


@pytest.mark.parametrize(
    "name, suffix", [(name, suffix) for name in TRACES for suffix in ("onnx", "ort") if (name, suffix) not in FUSED_AWAY]
)
def test_models_of_ort_s_artifacts_answer_as_ort_s(name, suffix, tmp_path):
    """From graphs that it has optimised, fused ops inside, and from its .onnx, which say the types of the loss alone."""
    golden = Golden(name)
    answers, _ = exported(golden, golden.trainer(suffix=suffix)[0], tmp_path)
    for output, answer in answers.items():
        assert_close(answer, golden.trace[f"inference/{output}"])


def test_the_file_holds_the_values_of_now(tmp_path):
    """A parameter changed by hand stands in it."""
    golden = Golden("mlp_mse_sgd")
    module, _ = golden.trainer()
    module.state.parameters["b2"].data[...] = 7
    module.export_model_for_inferencing(tmp_path / "m.onnx", ["y"])
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(tmp_path / "m.onnx").graph.initializer}
    assert np.all(values["b2"] == 7)
