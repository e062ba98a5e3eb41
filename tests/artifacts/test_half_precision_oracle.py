"""artifacts_tool.half_precision: models in float16 and bfloat16 are trained in float32, and answer as before."""

import json

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from artifacts_tool import LossType, OptimType
from artifacts_tool.cli import main
from artifacts_tool.generate import build
from artifacts_tool.layers import weights_of
from artifacts_tool.onnx_io import read
from artifacts_tool.onnxblock import load_checkpoint_to_model
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.proto_writer import proto_of
from pagetrain import CheckpointState, Module, Optimizer, Personalizer, preprocess
from pagetrain import picture as pictures
from pagetrain.graph import ElementType
from pagetrain.names import as_float16
from tests.tiny import picture

from .half_models import KINDS, convnet, encoder, halved, sequence

pytestmark = pytest.mark.oracle

MODELS = {"convnet": convnet, "encoder": encoder, "sequence": sequence}
STATISTICS = ("mean", "var")
HALF = 2.0**-11  # the relative error of rounding to float16


def artifacts_of(model, trained=None, optimizer=OptimType.AdamW):
    graph = read(model).graph
    chosen = [name for name in weights_of(graph) if name not in STATISTICS] if trained is None else trained
    frozen = [name for name in weights_of(graph) if name not in chosen]
    return build(read(model), chosen, frozen, LossType.CrossEntropyLoss, optimizer, ["logits"])


def trainer(artifacts):
    """Module and Optimizer over the bytes of the .ort files."""
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    module = Module(to_ort(artifacts.training_model), state, to_ort(artifacts.eval_model))
    return module, Optimizer(to_ort(artifacts.optimizer_model), module)


def batch_for(artifacts):
    value = artifacts.eval_model.graph.inputs[0]
    shape = (6, *value.type.shape[1:])
    dtype = np.float16 if value.type.element == ElementType.FLOAT16 else np.float32
    numbers = np.random.default_rng(1).normal(size=shape).astype(np.float16)  # float16 numbers, so that all kinds see the same
    return numbers.astype(dtype), np.arange(6) % 3


@pytest.fixture(params=[(name, kind) for name in MODELS for kind in KINDS], ids=lambda param: "-".join(param))
def pair(request):
    """(the float32 model, its float16 form)."""
    name, kind = request.param
    model = MODELS[name]()
    return model, halved(model, kind)


def test_trained_parameters_are_float32_and_the_others_as_they_were(pair):
    """Graph inputs, gradient buffers and checkpoint, under the model's own names and with its values."""
    _, half = pair
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in half.graph.initializer}
    artifacts = artifacts_of(half, [name for name in values if name.startswith("fc")])
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    inputs = {value.name: value.type.element for value in artifacts.training_model.graph.inputs}
    for name, parameter in state.parameters:
        assert parameter.dtype == (np.float32 if parameter.requires_grad else np.float16)
        assert np.array_equal(parameter.data, values[name])
        assert inputs[name] == (ElementType.FLOAT if parameter.requires_grad else ElementType.FLOAT16)
        assert inputs.get(f"{name}_grad.accumulation.buffer", ElementType.FLOAT) == ElementType.FLOAT
    onnx.checker.check_model(proto_of(artifacts.eval_model), full_check=True)


def test_answers_are_those_of_onnxruntime_for_the_float16_model(pair):
    """The eval graph's logits equal the original's; the loss is the float32 cross entropy of just these logits."""
    _, half = pair
    artifacts = artifacts_of(half)
    module, _ = trainer(artifacts)
    x, labels = batch_for(artifacts)
    found = module.eval_step({"x": x, "labels": labels})
    loss, logits = found.values()
    session = onnxruntime.InferenceSession(half.SerializeToString(), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": x})
    assert logits.dtype == expected.dtype
    # Both round to float16 behind each op, of which there are 13 at most; a sum in another order may fall on the other side each time.
    np.testing.assert_allclose(logits, expected, rtol=0, atol=13 * HALF * np.abs(expected).max())
    scores = logits.astype(np.float64)
    reference = np.log(np.exp(scores).sum(1)) - scores[np.arange(len(labels)), labels]
    assert loss.dtype == np.float32
    np.testing.assert_allclose(loss, reference.mean(), rtol=1e-6)  # float32 against float64


def test_gradients_are_those_of_the_float32_model(pair):
    """For every weight, to 1 % of its largest: the forward values are rounded to float16 13 times at most (0.6 %)."""
    model, half = pair
    found = {}
    for name, proto in (("wide", model), ("half", half)):
        artifacts = artifacts_of(proto)
        module, _ = trainer(artifacts)
        module(*batch_for(artifacts))
        found[name] = {key: one.grad for key, one in module.state.parameters if one.requires_grad}
    assert found["half"].keys() == found["wide"].keys()
    for name, expected in found["wide"].items():
        assert found["half"][name].dtype == np.float32
        np.testing.assert_allclose(found["half"][name], expected, rtol=0, atol=0.01 * np.abs(expected).max(), err_msg=name)


def test_the_backward_pass_holds_no_float16(pair):
    """Every gradient value is float32."""
    _, half = pair
    graph = artifacts_of(half).training_model.graph
    types = {value.name: value.type.element for value in graph.value_info}
    backward = [node for node in graph.nodes if node.doc_string]
    assert len(backward) > 5
    assert {types[name] for node in backward for name in node.outputs if name in types and "_grad" in name} == {ElementType.FLOAT}
    assert all(types.get(name) != ElementType.FLOAT16 for node in backward for name in node.outputs)


def test_training_lowers_the_loss_and_the_model_can_be_put_together_again(pair, tmp_path):
    """30 AdamW steps; load_checkpoint_to_model rounds to float16, and onnxruntime then answers as the eval graph."""
    _, half = pair
    artifacts = artifacts_of(half)
    module, optimizer = trainer(artifacts)
    optimizer.set_learning_rate(0.02)
    x, labels = batch_for(artifacts)
    losses = []
    for _ in range(30):
        losses.append(float(module(x, labels)[0]))
        optimizer.step()
        module.lazy_reset_grad()
    assert losses[-1] < 0.5 * losses[0]
    CheckpointState.save_checkpoint(module.state, tmp_path / "checkpoint")
    load_checkpoint_to_model(tmp_path / "checkpoint", half)
    onnx.checker.check_model(half, full_check=True)
    session = onnxruntime.InferenceSession(half.SerializeToString(), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": x})
    logits = module.eval_step({"x": x, "labels": labels})["logits"]
    np.testing.assert_allclose(logits, expected, rtol=0, atol=13 * HALF * np.abs(expected).max())  # as above


def test_the_module_exports_a_valid_model(pair, tmp_path):
    """onnx accepts it; the types of its input and output are the model's own; onnxruntime answers as the eval graph, trained or not."""
    _, half = pair
    artifacts = artifacts_of(half)
    module, optimizer = trainer(artifacts)
    x, labels = batch_for(artifacts)
    for _ in range(3):
        module(x, labels)
        optimizer.step()
        module.lazy_reset_grad()
    module.export_model_for_inferencing(tmp_path / "m.onnx", ["logits"])
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    exported = read(tmp_path / "m.onnx").graph
    own = read(half).graph
    assert [(value.name, value.type.element) for value in (*exported.inputs, *exported.outputs)] == [
        (value.name, value.type.element) for value in (*own.inputs, *own.outputs)
    ]
    (found,) = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": x})
    logits = module.eval_step({"x": x, "labels": labels})["logits"]
    np.testing.assert_allclose(found, logits, rtol=0, atol=13 * HALF * np.abs(logits).max())  # as above


def linear(weight):
    """logits = x @ w in float16."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["logits"])],
        "linear",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["N", weight.shape[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT16, ["N", weight.shape[1]])],
        [numpy_helper.from_array(weight, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_gradients_below_the_smallest_float16_number_are_kept():
    """Logits 0 and -20: the gradient by the second is the probability e^-20 = 2e-9, which float16 would make 0."""
    module, _ = trainer(artifacts_of(linear(np.array([[0, -20]], np.float16))))
    module(np.ones((1, 1), np.float16), np.array([0]))
    gradient = module.state.parameters["w"].grad
    np.testing.assert_allclose(gradient[0, 1], np.exp(-20) / (1 + np.exp(-20)), rtol=1e-5)  # float32


def test_gradients_beyond_the_largest_float16_number_are_finite():
    """x = 60000 and a mean squared error: the gradient by w is x times the answer, 3.6e9, where float16 ends at 65504."""
    model = linear(np.array([[-1, 1]], np.float16))
    artifacts = build(read(model), ["w"], [], LossType.MSELoss, None, ["logits"])
    module = Module(to_ort(artifacts.training_model), CheckpointState.load_checkpoint(artifacts.checkpoint()))
    module(np.full((8, 1), 6e4, np.float16), np.zeros((8, 2), np.float32))
    # mean of (x w)^2 over 16 numbers: d = 2 x^2 w 8 / 16
    np.testing.assert_allclose(module.state.parameters["w"].grad, [[-(6e4**2), 6e4**2]], rtol=1e-3)


def test_steps_too_small_for_float16_add_up():
    """1 + 1e-5 is 1 in float16; 100 such steps of AdamW move the float32 copy by 1e-3 all the same."""
    module, optimizer = trainer(artifacts_of(linear(np.array([[1, -1]], np.float16))))
    optimizer.set_learning_rate(1e-5)
    for _ in range(100):
        module(np.ones((1, 1), np.float16), np.array([1]))
        optimizer.step()
        module.lazy_reset_grad()
    # AdamW's step is the learning rate while the gradient keeps its sign and size; decay takes 1e-5 * 0.01 more.
    np.testing.assert_allclose(module.state.parameters["w"].data - [[1, -1]], [[-1e-3, 1e-3]], rtol=0.05)


def test_two_builds_give_the_same_bytes(pair):
    """Graphs and checkpoint."""
    first, second = (artifacts_of(pair[1]) for _ in range(2))
    assert to_ort(first.training_model) == to_ort(second.training_model)
    assert first.checkpoint() == second.checkpoint()


def test_bfloat16_models_are_trained_the_same_way():
    """Float32 parameters and gradients, to 8 % of the largest: bfloat16 rounds by 0.4 % (2^-8), 13 times at most and by chance."""
    model, narrow = convnet(), convnet()
    for tensor in (tensor for made in (model, narrow) for tensor in made.graph.initializer):
        values = numpy_helper.to_array(tensor).astype(ml_dtypes.bfloat16)
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float32), tensor.name))
    for tensor in narrow.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(ml_dtypes.bfloat16), tensor.name))
    for value in (*narrow.graph.input, *narrow.graph.output):
        value.type.tensor_type.elem_type = TensorProto.BFLOAT16
    x, labels = batch_for(artifacts_of(model))
    x = x.astype(ml_dtypes.bfloat16)
    found = []
    for proto, dtype in ((model, np.float32), (narrow, ml_dtypes.bfloat16)):
        module, _ = trainer(artifacts_of(proto))
        loss, logits = module(x.astype(dtype), labels)
        assert (loss.dtype, logits.dtype) == (np.float32, dtype)
        found.append({name: one.grad for name, one in module.state.parameters if one.requires_grad})
    for name, expected in found[0].items():
        assert found[1][name].dtype == np.float32
        np.testing.assert_allclose(found[1][name], expected, rtol=0, atol=0.08 * np.abs(expected).max(), err_msg=name)


@pytest.fixture(params=KINDS)
def page_folder(request, tmp_path):
    """The folder of page artifacts that the command line makes of a float16 convnet; its last layer is trained."""
    onnx.save(halved(convnet(), request.param), tmp_path / "m.onnx")
    steps = [{"op": "exif-transpose"}, {"op": "to-rgb", "background": [255, 255, 255]}]
    steps += [{"op": "resize-shortest", "size": 9, "resample": "bicubic"}, {"op": "center-crop", "width": 8, "height": 8}]
    steps += [{"op": "normalize", "mean": [127] * 3, "std": [128] * 3}, {"op": "layout", "order": "NCHW"}]
    (tmp_path / "p.json").write_text(json.dumps({"version": 1, "steps": steps}))
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "fc.*", "--out", str(tmp_path / "page")]
    assert main([*command, "--preprocessing", str(tmp_path / "p.json"), "--labels", "red,green,blue,sand"]) == 0
    return tmp_path / "page"


def test_float16_models_can_be_trained_in_a_page(page_folder):
    """float32 comes in and goes out; frozen weights are stored as float16, at no loss; the exported model is valid and answers the same."""
    content = json.loads((page_folder / "manifest.json").read_text())
    assert content["input"]["dtype"] == "float32"
    stored = {one["name"]: one["stored"] for one in content["parameters"]}
    frozen = ("conv", "scale", "shift", "mean", "var")
    assert stored == {**dict.fromkeys(frozen, "float16"), "fc.weight": "float32", "fc.bias": "float32"}
    job = Personalizer.load(page_folder)
    for label in job.labels:
        for number in range(5):
            job.add(picture(label, number), label)
    assert job.features(picture("red", 0)).dtype == np.float32
    first, *_, last = job.fit()
    assert last.loss < first.loss
    data = job.export()
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    base = {tensor.name: numpy_helper.to_array(tensor) for tensor in convnet().graph.initializer}
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load_from_string(data).graph.initializer}
    assert all(np.array_equal(held[as_float16(name)], base[name]) for name in frozen)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    assert {value.type for value in (*session.get_inputs(), *session.get_outputs())} == {"tensor(float)"}
    for label in job.labels:
        tensor = preprocess.apply(job.manifest.steps, pictures.decode(picture(label, 50)))
        (found,) = session.run(["probabilities"], {"x": tensor})
        expected = {answer.label: answer.probability for answer in job.predict(picture(label, 50))}
        # Rounded to float16 behind each of 8 ops, one way or the other; logits are below 4, and a probability moves by a quarter of that.
        assert np.abs(found[0] - [expected[name] for name in job.labels]).max() < 8 * HALF * 4 / 4
