"""Frozen parameters stored as float16 and int8: what the files hold, what page and graphs compute from them, and what that costs."""

import json
import logging

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from artifacts_tool import LossType, OptimType, generate_artifacts
from artifacts_tool.cli import main
from artifacts_tool.frozen_storage import stored_forms
from artifacts_tool.generate import build
from artifacts_tool.onnx_io import read, to_bytes
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.parameters import Parameter
from artifacts_tool.storage_cost import cost_text, storage_cost
from artifacts_tool.stored_inputs import with_stored_inputs
from pagetrain import CheckpointState, Module, Optimizer, Personalizer, preprocess
from pagetrain import picture as pictures
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Tensor
from tests import make_tiny_artifacts
from tests.tiny import picture

from .half_models import convnet, halved

pytestmark = pytest.mark.oracle

COMPACT = ("float16", "int8")
FROZEN = ("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias")


def parameters(**arrays):
    return [Parameter(Tensor(name, data), data.shape, name == "trained") for name, data in arrays.items()]


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


# Which, and in what form


@pytest.mark.parametrize("storage", COMPACT)
def test_parameters_with_one_number_for_each_channel_stay_float32(storage):
    """Biases, scales and statistics in whatever shape, trained parameters, and numbers that float16 has not."""
    kept = {"bias": normal(8), "scale": normal(8, 1, 1), "one": normal(1, 1), "scalar": normal(), "trained": normal(4, 4)}
    kept |= {"large": normal(2, 2) + np.float32(65505), "mask": np.where(np.eye(3), 0, -np.inf).astype(np.float32)}
    kept |= {"double": np.ones((2, 2)), "whole": np.ones((2, 2), np.int64)}
    assert stored_forms(parameters(weight=normal(4, 4), **kept), storage).keys() == {"weight"}
    assert stored_forms(parameters(weight=normal(4, 4)), "float32") == {}


def test_an_unknown_storage_is_refused():
    """With those that there are."""
    with pytest.raises(InvalidInputError, match="choose one of float32, float16, int8"):
        stored_forms([], "int4")


def test_float16_is_the_nearest():
    """As numpy rounds: half of the last place (2^-11 of the number, 2^-25 near zero) at most."""
    data = np.concatenate([normal(2, 500), normal(2, 500) * np.float32(1e-7), np.full((2, 1), 65504, np.float32)], axis=1)
    form = stored_forms(parameters(w=data), "float16")["w"]
    error = np.abs(form.widened().astype(np.float64) - data)
    assert (error <= np.maximum(np.abs(data) * 2.0**-11, 2.0**-25)).all()
    assert form.bytes == form.values.astype("<f2").tobytes()


def test_int8_has_255_steps_for_each_row():
    """The largest number of a row is kept, the error is half a step; rows of zeros, or of less than float32 can scale, become zeros."""
    data = normal(5, 3, 4) * np.array([1e-30, 1, 1000, 0, 1e-44], np.float32).reshape(5, 1, 1)
    form = stored_forms(parameters(w=data), "int8")["w"]
    largest = np.abs(data).max(axis=(1, 2))
    wide = form.widened()
    assert (np.abs(wide - data).max(axis=(1, 2)) <= largest / 254 * (1 + 1e-6))[:4].all()  # 1e-6: the scale is rounded to float32
    np.testing.assert_allclose(np.abs(wide).max(axis=(1, 2))[:4], largest[:4], rtol=2e-7)  # twice rounded to float32
    assert not wide[3:].any()
    assert np.isfinite(form.scales).all()
    assert form.bytes == form.values.tobytes() + form.scales.astype("<f4").tobytes()


# Page artifacts


@pytest.fixture(scope="module", params=COMPACT)
def page(request, tmp_path_factory):
    """(storage, folder with the tiny artifacts stored so)."""
    folder = tmp_path_factory.mktemp(request.param)
    make_tiny_artifacts.main(folder, storage=request.param)
    return request.param, folder


def test_the_manifest_says_how_each_parameter_is_stored(page):
    """Weights of convolutions compactly, biases as float32; the file has the sum of their sizes, and is about that much smaller."""
    storage, folder = page
    found = json.loads((folder / "manifest.json").read_text())
    assert {one["name"]: one["stored"] for one in found["parameters"]} == {
        name: storage if name.endswith("weight") else "float32" for name in FROZEN
    }
    per_weight = {"float16": 2, "int8": 1}[storage]
    sizes = {"conv1.weight": 8 * 27, "conv2.weight": 12 * 72, "conv1.bias": 8, "conv2.bias": 12}
    scales = 4 * (8 + 12) if storage == "int8" else 0
    expected = sum(size * (per_weight if name.endswith("weight") else 4) for name, size in sizes.items()) + scales
    assert (folder / "parameters.bin").stat().st_size == expected


@pytest.fixture(scope="module")
def job(page):
    """A job trained on the page artifacts."""
    made = Personalizer.load(page[1])
    made.set_classes(["red", "blue"])
    for label in made.labels:
        for number in range(6):
            made.add(picture(label, number), label)
    list(made.fit())
    return made


def test_the_exported_model_has_the_weights_that_the_page_computed_with(page, job):
    """Valid for onnx; every weight bit for bit the job's, near the base model's; onnxruntime's answers are predict's.

    float16 weights stay float16 in the file, widened by a Cast; int8 ones are written out as float32.
    """
    storage, _ = page
    data = job.export()
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert {stored[name].dtype.name for name in stored if name.endswith("weight.float16")} == {"float16": {"float16"}, "int8": set()}[
        storage
    ]
    held = {name.removesuffix(".float16"): values.astype(np.float32) for name, values in stored.items()}
    base = {tensor.name: numpy_helper.to_array(tensor) for tensor in make_tiny_artifacts.network().graph.initializer}
    saved = CheckpointState.load_checkpoint(job.save_checkpoint())
    for name in FROZEN:
        assert np.array_equal(held[name], saved.parameters[name].data)
        step = {"float16": 2.0**-11, "int8": 1 / 254}[storage] * np.abs(base[name]).max()
        assert np.abs(held[name] - base[name]).max() <= (step if name.endswith("weight") else 0)
        assert np.array_equal(held[name], base[name]) == (not name.endswith("weight"))
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    for colour in job.labels:
        file = picture(colour, 50)
        (found,) = session.run(["probabilities"], {"input": preprocess.apply(job.manifest.steps, pictures.decode(file))})
        expected = {answer.label: answer.probability for answer in job.predict(file)}
        # float32 through another order of sums; the project's promise is 1e-4.
        assert np.abs(found[0] - [expected[label] for label in job.labels]).max() < 1e-4


def test_the_complete_checkpoint_says_the_same(page, job, tmp_path_factory):
    """Its frozen parameters are what parameters.bin widens to."""
    folder = tmp_path_factory.mktemp("whole")
    made = build(
        read(make_tiny_artifacts.network()),
        list(make_tiny_artifacts.HEAD),
        list(FROZEN),
        LossType.CrossEntropyLoss,
        OptimType.AdamW,
        parameter_shapes=make_tiny_artifacts.HEAD,
    )
    description = make_tiny_artifacts.Description("t", "t", "CC0-1.0", make_tiny_artifacts.PREPROCESSING, "logits", "features", None)
    make_tiny_artifacts.write_page_artifacts(made, description, folder, stored_forms(made.parameters, page[0]))
    state = CheckpointState.load_checkpoint(folder / "checkpoint")
    saved = CheckpointState.load_checkpoint(job.save_checkpoint())
    for name in FROZEN:
        assert np.array_equal(state.parameters[name].data, saved.parameters[name].data)


def test_two_runs_give_the_same_files(page, tmp_path):
    """Byte for byte."""
    make_tiny_artifacts.main(tmp_path, storage=page[0])
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (page[1] / path.name).read_bytes(), path.name


# Plain artifacts


def mlp(opset=17, features=16):
    """x (N, 6) -> two layers -> logits (N, 3)."""
    rng = np.random.default_rng(3)
    arrays = {"w1": (6, features), "b1": (features,), "w2": (features, 3)}
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["m"]),
        helper.make_node("Add", ["m", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "w2"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 3])],
        [numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name) for name, shape in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def plain(storage, opset=17, loss=LossType.CrossEntropyLoss):
    """(float32 artifacts, their forms, the artifacts with stored inputs): w2 is trained."""
    made = build(read(mlp(opset)), ["w2"], ["w1", "b1"], loss, OptimType.AdamW, ["logits"])
    forms = stored_forms(made.parameters, storage)
    return made, forms, with_stored_inputs(made, forms)


BATCH = {"x": normal(5, 6), "labels": np.array([0, 1, 2, 0, 1])}


@pytest.mark.parametrize("opset", [7, 12, 13, 17, 20])
@pytest.mark.parametrize("storage", COMPACT)
def test_onnxruntime_widens_them_to_the_same_weights(storage, opset):
    """The eval graph with stored inputs gives, bit for bit, what the float32 eval graph gives on the widened weights."""
    if storage == "int8" and opset < 13:
        with pytest.raises(InvalidInputError, match=f"opset {opset}; int8 .* needs 13 or newer"):
            plain(storage, opset)
        return
    made, forms, stored = plain(storage, opset, LossType.MSELoss)
    answers = []
    for artifacts, changed in ((made, {"w1": forms["w1"].widened()}), (stored, {})):
        feeds = {one.name: changed.get(one.name, one.tensor.data) for one in artifacts.parameters}
        proto = onnx.load_from_string(to_bytes(artifacts.eval_model))
        onnx.checker.check_model(proto, full_check=True)
        session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
        answers.append(session.run(None, {**feeds, "x": BATCH["x"], "target": normal(5, 3)}))
    for first, second in zip(*answers, strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("storage", COMPACT)
def test_the_trainer_trains_on_them_as_on_the_widened_weights(storage):
    """Five AdamW steps from .ort files: losses and the trained weight are bit for bit those of float32 artifacts with these values."""
    made, forms, stored = plain(storage)
    runs = []
    for artifacts, changed in ((made, forms), (stored, {})):
        state = CheckpointState.load_checkpoint(artifacts.checkpoint())
        for name, form in changed.items():
            state.replace_parameter(name, form.widened())
        module = Module(to_ort(artifacts.training_model), state, to_ort(artifacts.eval_model))
        optimizer = Optimizer(to_ort(artifacts.optimizer_model), module)
        losses = []
        for _ in range(5):
            losses.append(float(module(**BATCH)[0]))
            optimizer.step()
            module.lazy_reset_grad()
        runs.append((losses, state.parameters["w2"].data.tolist()))
    assert runs[0] == runs[1]
    assert runs[0][0][-1] < runs[0][0][0]


@pytest.mark.parametrize("storage", COMPACT)
def test_what_the_module_exports_holds_them_as_stored(storage, tmp_path):
    """A valid model whose answers in onnxruntime are the eval graph's."""
    _, forms, stored = plain(storage)
    state = CheckpointState.load_checkpoint(stored.checkpoint())
    module = Module(to_ort(stored.training_model), state, to_ort(stored.eval_model))
    module.export_model_for_inferencing(tmp_path / "m.onnx", ["logits"])
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    held = {tensor.name: tensor.data for tensor in read(tmp_path / "m.onnx").graph.initializers}
    assert held[{"float16": "w1_bits", "int8": "w1_quantized"}[storage]].tobytes() == forms["w1"].values.tobytes()
    (found,) = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": BATCH["x"]})
    np.testing.assert_allclose(found, module.eval_step(BATCH)["logits"], rtol=1e-5)  # float32 sums in another order


@pytest.mark.parametrize("storage,size", [("float16", 2), ("int8", 1)])
def test_checkpoints_shrink_by_what_is_stored(storage, size):
    """96 numbers of w1 take 2 or 1 bytes instead of 4, the int8 ones 6 scales besides; names and sizes around them cost under 200."""
    made, _, stored = plain(storage)
    saved = len(made.checkpoint()) - len(stored.checkpoint())
    expected = 96 * (4 - size) - (24 if storage == "int8" else 0)
    assert expected - 200 < saved <= expected
    state = CheckpointState.load_checkpoint(stored.checkpoint())
    assert all(parameter.dtype != np.float16 for _, parameter in state.parameters)  # which the real trainer cannot read
    assert state.trainable_names == ("w2",)


def test_every_float16_number_is_in_the_table():
    """All 65536 bit patterns come out of the graph as the numbers that they are."""
    _, _, stored = plain("float16")
    (table,) = (tensor for tensor in stored.eval_model.graph.initializers if tensor.data.size == 1 << 16)
    assert np.array_equal(table.data.view(np.uint16), np.arange(1 << 16))


def test_frozen_float16_parameters_of_a_model_can_be_stored_as_float16():
    """Whatever their axes, at no loss: the graphs give the same numbers, and the checkpoint holds no float16."""
    model = read(halved(convnet(), "half"))
    names = [tensor.name for tensor in model.graph.initializers]
    made = build(model, ["fc.weight"], [*names[:-2], "fc.bias"], LossType.CrossEntropyLoss, None, ["logits"])
    stored = with_stored_inputs(made, stored_forms(made.parameters, "float16"))
    x, labels = np.ones((2, 3, 8, 8), np.float16), np.array([0, 1])
    found = []
    for artifacts in (made, stored):
        state = CheckpointState.load_checkpoint(artifacts.checkpoint())
        module = Module(to_ort(artifacts.training_model), state, to_ort(artifacts.eval_model))
        found.append([output.tolist() for output in module(x, labels)] + [state.parameters["fc.weight"].grad.tolist()])
    assert found[0] == found[1]
    assert all(parameter.dtype != np.float16 for _, parameter in state.parameters)


# What it costs


@pytest.mark.parametrize("storage", COMPACT)
@pytest.mark.parametrize("real", [False, True])
def test_the_printed_change_is_what_onnxruntime_finds(storage, real, tmp_path, capsys):
    """|new - old| / |old| of features and logits, on the samples or on the random inputs that the docstring promises."""
    onnx.save(mlp(), tmp_path / "m.onnx")
    x = normal(7, 6) * 3 if real else np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)
    np.savez(tmp_path / "s.npz", x=x)
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "w2", "--out", str(tmp_path / "out"), "--json"]
    assert main([*command, "--store-frozen", storage, *(["--samples", str(tmp_path / "s.npz")] if real else [])]) == 0
    cost = json.loads(capsys.readouterr().out)["storage"]
    form = stored_forms(parameters(w1=numpy_helper.to_array(mlp().graph.initializer[0])), storage)["w1"]
    changed = mlp()
    changed.graph.initializer[0].CopyFrom(numpy_helper.from_array(form.widened(), "w1"))
    answers = []
    for proto in (mlp(), changed):
        proto.graph.output.insert(0, helper.make_tensor_value_info("r", TensorProto.FLOAT, ["N", 16]))
        session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
        answers.append(dict(zip(("r", "logits"), session.run(["r", "logits"], {"x": x}), strict=True)))
    assert cost["changes"].keys() == {"r", "logits"}
    for name, change in cost["changes"].items():
        expected = np.linalg.norm(answers[1][name] - answers[0][name]) / np.linalg.norm(answers[0][name])
        np.testing.assert_allclose(change, expected, rtol=1e-2)  # float32 sums in another order, against a change of 1e-4 or more
    assert (cost["stored"], cost["left_float32"]) == (1, 1)
    assert cost["bytes_before"] - cost["bytes_after"] == 96 * 4 - len(form.bytes)
    assert cost["inputs"] == ("the samples" if real else "8 random inputs of a fixed seed")


def test_people_are_told_in_words(tmp_path, capsys):
    """Sizes, the change, what it was measured on, and how to measure on real inputs."""
    onnx.save(mlp(), tmp_path / "m.onnx")
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "w2", "--out", str(tmp_path / "out")]
    assert main([*command, "--store-frozen", "float16"]) == 0
    text = capsys.readouterr().out
    assert "frozen parameters: 448 bytes as float32, 256 as stored" in text
    assert "'r' changes by 0.000" in text
    assert "8 random inputs" in text
    assert "--samples FILE.npz" in text
    assert main(command) == 0
    assert "frozen parameters" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "content,message",
    [(b"no archive", "not an .npz file"), (None, "samples lack the inputs x; they hold y"), ({"x": np.ones((2, 5), np.float32)}, "MatMul")],
)
def test_unfit_samples_are_one_line(tmp_path, capsys, content, message):
    """Not an archive, without an input, of another shape; nothing is written."""
    onnx.save(mlp(), tmp_path / "m.onnx")
    if isinstance(content, bytes):
        (tmp_path / "s.npz").write_bytes(content)
    else:
        np.savez(tmp_path / "s.npz", **(content or {"y": np.ones(3)}))
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "w2", "--out", str(tmp_path / "out"), "--store-frozen", "int8"]
    assert main([*command, "--samples", str(tmp_path / "s.npz")]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_generate_artifacts_logs_the_cost(tmp_path, caplog):
    """The keyword behind ORT's own; the files take the stored inputs."""
    with caplog.at_level(logging.INFO, "artifacts_tool"):
        generate_artifacts(
            mlp(),
            ["w2"],
            ["w1", "b1"],
            LossType.CrossEntropyLoss,
            artifact_directory=tmp_path,
            frozen_storage="int8",
            storage_samples={"x": normal(4, 6)},
        )
    assert "'r' changes by" in caplog.text
    assert "the samples" in caplog.text
    assert {"w1_quantized", "w1_scale", "b1"} <= {value.name for value in read(tmp_path / "training_model.onnx").graph.inputs}


def test_what_cannot_be_measured_is_said():
    """Without a frozen prefix or an output beside the loss there is nothing to compare."""
    made = build(read(mlp()), ["w1"], ["w2"], LossType.CrossEntropyLoss, None)
    cost = storage_cost(made, "float16", stored_forms(made.parameters, "float16"))
    assert cost.changes == {}
    assert "was not measured: no frozen prefix" in cost_text(cost)
