"""The files that a page reads, made by the command line from a small convnet: manifest, parameters, skeleton, and the bound form."""

import hashlib
import json
import re

import numpy as np
import onnx
import onnxruntime
import pytest

from artifacts_tool import bind_num_classes
from artifacts_tool.cli import main
from artifacts_tool.onnx_io import read
from artifacts_tool.value_types import value_types
from pagetrain import CheckpointState, Personalizer, export, manifest
from pagetrain.errors import InvalidInputError

pytestmark = pytest.mark.oracle

PREPROCESSING = {
    "version": 1,
    "steps": [
        {"op": "exif-transpose"},
        {"op": "to-rgb", "background": [255, 255, 255]},
        {"op": "resize-shortest", "size": 9, "resample": "bicubic"},
        {"op": "center-crop", "width": 8, "height": 8},
        {"op": "normalize", "mean": [127, 127, 127], "std": [128, 128, 128]},
        {"op": "layout", "order": "NCHW"},
    ],
}


def generate(model, folder, *more, trainable="head.*"):
    steps = folder.parent / "preprocessing.json"
    steps.write_text(json.dumps(PREPROCESSING))
    arguments = ["generate", str(model), "--trainable", trainable, "--out", str(folder), "--preprocessing", str(steps), *more]
    assert main(arguments) == 0
    return json.loads((folder / "manifest.json").read_text())


@pytest.fixture
def made(convnet, tmp_path):
    folder = tmp_path / "made"
    return generate(convnet, folder, "--name", "small", "--license", "MIT"), folder


def assembled(folder, head=None):
    """The exported model: skeleton and values, one message behind another. head: values of trainable parameters."""
    read_manifest = manifest.parse((folder / "manifest.json").read_bytes())
    stored = (folder / "parameters.bin").read_bytes()
    parts = [(folder / "inference_model.onnx").read_bytes()]
    for one in read_manifest.parameters:
        parts += export.initializer(np.frombuffer(stored, "<f4", one.bytes // 4, one.offset).reshape(one.shape), one.name)
    for name, values in (head or {}).items():
        parts += export.initializer(values, name)
    return b"".join(parts)


def test_the_manifest_is_one_that_the_runtime_accepts(made):
    """pagetrain.manifest reads it; name, licence, classes, features and trainable parameters are as asked or found."""
    content, folder = made
    parsed = manifest.parse((folder / "manifest.json").read_bytes())
    assert (parsed.name, parsed.license, parsed.num_classes, parsed.labels) == ("small", "MIT", 5, ("0", "1", "2", "3", "4"))
    assert content["outputs"] == {"logits": "logits", "features": "fl"}
    assert [(one.name, one.init) for one in parsed.trainable] == [("head.weight", "stored"), ("head.bias", "stored")]
    assert content["input"] == {"name": "image", "dtype": "float32", "shape": ["N", 3, 8, 8]}


def test_sizes_hashes_and_fingerprint_are_those_of_the_files(made):
    """Recomputed here from the files and from the definition of the fingerprint."""
    content, folder = made
    for entry in content["files"].values():
        data = (folder / entry["path"]).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    base = {key: content[key] for key in ("name", "input", "outputs", "preprocessing")}
    base["trainable"] = [{"name": one["name"], "shape": one["shape"]} for one in content["trainable"]]
    hashes = content["files"]["inference_model"]["sha256"] + content["files"]["parameters"]["sha256"]
    canonical = json.dumps(base, sort_keys=True, separators=(",", ":")) + hashes
    assert content["fingerprint"] == "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def test_parameters_are_in_the_order_of_the_graph_inputs(made, convnet):
    """parameters.bin holds the model's own values, in the training graph's order, back to back."""
    content, folder = made
    inputs = [value.name for value in read(folder / "training_model.onnx").graph.inputs]
    assert [one["name"] for one in content["parameters"]] == [
        name for name in inputs if name in {one["name"] for one in content["parameters"]}
    ]
    stored = np.frombuffer((folder / "parameters.bin").read_bytes(), "<f4")
    values = {tensor.name: tensor.data for tensor in read(convnet).graph.initializers}
    assert np.array_equal(stored, np.concatenate([values[one["name"]].ravel() for one in content["parameters"]]))


def test_the_assembled_export_is_the_model_with_probabilities(made, convnet):
    """onnx.checker accepts skeleton and values put together; onnxruntime gives the base model's logits and their softmax."""
    data = assembled(made[1])
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    picture = np.random.default_rng(3).normal(size=(2, 3, 8, 8)).astype(np.float32)
    logits, probabilities = run(data, picture)
    (expected,) = run(convnet.read_bytes(), picture)
    # Same kernels, same values.
    np.testing.assert_allclose(logits, expected, rtol=1e-6, atol=1e-6)
    exponentials = np.exp(expected.astype(np.float64))
    # float32 softmax against float64.
    np.testing.assert_allclose(probabilities, exponentials / exponentials.sum(1, keepdims=True), rtol=1e-5)


def run(data, picture):
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: picture})


def test_the_skeleton_holds_no_parameter(made):
    """Only the bounds of Clip, which are no parameters, are inside."""
    skeleton = onnx.load(made[1] / "inference_model.onnx")
    assert {tensor.name for tensor in skeleton.graph.initializer} == {"zero", "six"}
    assert [value.name for value in skeleton.graph.input] == ["image"]


def test_two_runs_give_the_same_bytes(made, convnet, tmp_path):
    """Every file."""
    again = tmp_path / "again"
    generate(convnet, again, "--name", "small", "--license", "MIT")
    for path in made[1].iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


def test_labels_are_checked_against_the_head(convnet, tmp_path, capsys):
    """Five names for five classes are taken; two are refused."""
    assert generate(convnet, tmp_path / "five", "--labels", "a,b,c,d,e")["labels"] == ["a", "b", "c", "d", "e"]
    steps = tmp_path / "preprocessing.json"
    command = ["generate", str(convnet), "--trainable", "head.*", "--out", str(tmp_path / "two"), "--preprocessing", str(steps)]
    assert main([*command, "--labels", "a,b"]) == 1
    assert "5 classes but 2 labels" in capsys.readouterr().err


def test_preprocessing_is_checked_before_anything_is_written(convnet, tmp_path, capsys):
    """What the trainer would refuse is refused here, in one line."""
    steps = tmp_path / "preprocessing.json"
    for content in ("[]", '{"version": 1, "steps": []}'):
        steps.write_text(content)
        assert main(["generate", str(convnet), "--trainable", "*", "--out", str(tmp_path / "o"), "--preprocessing", str(steps)]) == 1
        assert capsys.readouterr().err.startswith("artifacts_tool: preprocessing: ")
    assert not (tmp_path / "o").exists()


def with_input(convnet, path, *shape):
    """The convnet with another shape of its input, at `path`."""
    changed = onnx.load(convnet)
    changed.graph.input[0].CopyFrom(onnx.helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, shape))
    onnx.save(changed, path)
    return path


def test_open_sizes_are_those_that_the_preprocessing_makes(convnet, tmp_path):
    """The manifest says them, and the runtime takes the folder."""
    content = generate(with_input(convnet, tmp_path / "m.onnx", "N", 3, "h", "w"), tmp_path / "open")
    assert content["input"]["shape"] == ["N", 3, 8, 8]
    assert Personalizer.load(tmp_path / "open").manifest.input_shape == (3, 8, 8)


@pytest.mark.parametrize(
    "shape,message", [(("N", 3, 16, 16), r"\(3, 8, 8\), but the model's input 'image' is \(N, 3, 16, 16\)"), ((1, 3, 8, 8), "batch of 1")]
)
def test_inputs_that_no_picture_fits_are_refused(convnet, tmp_path, capsys, shape, message):
    """Rather than when a page loads or trains the model; nothing is written."""
    with pytest.raises(AssertionError):
        generate(with_input(convnet, tmp_path / "m.onnx", *shape), tmp_path / "o")
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "o").exists()


def test_a_star_stands_for_parameters_alone(convnet, tmp_path):
    """Bounds of a Clip and the like are initializers too, but nothing to train."""
    content = generate(convnet, tmp_path / "all", trainable="*")
    assert len(content["trainable"]) == 7


def test_training_may_start_in_the_middle(convnet, tmp_path):
    """The features are then the value that the first trained node reads."""
    content = generate(convnet, tmp_path / "deep", trainable="pw.*,head.*")
    assert content["outputs"]["features"] == "d6"


def test_one_class_is_no_choice(made):
    """Fewer than two classes are refused."""
    with pytest.raises(InvalidInputError, match="must be 2 or more"):
        bind_num_classes(made[1], 1)


def test_a_fixed_head_cannot_be_bound(made):
    """bind_num_classes refuses artifacts whose number of classes is fixed, and changes nothing."""
    before = {path.name: path.read_bytes() for path in made[1].iterdir()}
    with pytest.raises(InvalidInputError, match="already fixed"):
        bind_num_classes(made[1], 3)
    assert before == {path.name: path.read_bytes() for path in made[1].iterdir()}


def test_without_preprocessing_only_training_files_are_written(convnet, tmp_path):
    """The command line alone gives what generate_artifacts gives."""
    assert main(["generate", str(convnet), "--trainable", "head.weight,head.bias", "--out", str(tmp_path / "o")]) == 0
    stems = {"training_model", "eval_model", "optimizer_model"}
    assert {path.name for path in (tmp_path / "o").iterdir()} == {f"{s}.{e}" for s in stems for e in ("onnx", "ort")} | {
        "checkpoint",
        "nominal_checkpoint",
    }
    state = CheckpointState.load_checkpoint(tmp_path / "o" / "checkpoint")
    assert state.trainable_names == ("head.weight", "head.bias")
    assert len(state.frozen_names) == 5


@pytest.mark.parametrize(
    "arguments,message",
    [
        (["--trainable", "head.*", "--preprocessing", "/no.json"], "no.json"),
        (["--trainable", "head.*", "--loss-input-names", "nothing"], "the model has no value 'nothing'"),
    ],
)
def test_errors_are_one_line(convnet, tmp_path, capsys, arguments, message):
    """Exit code 1, one line that begins with the program's name, nothing written."""
    assert main(["generate", str(convnet), "--out", str(tmp_path / "o"), *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("artifacts_tool: ")
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "o").exists()


def test_a_missing_model_is_one_line_too(tmp_path, capsys):
    """A path that is not there."""
    assert main(["generate", str(tmp_path / "no.onnx"), "--trainable", "w", "--out", str(tmp_path)]) == 1
    assert "no.onnx" in capsys.readouterr().err


def test_graphs_of_the_page_are_typed(made):
    """Shapes of pictures and logits in the eval graph name the batch symbolically."""
    types = value_types(read(made[1] / "eval_model.onnx").graph)
    assert types["logits"].shape == ("batch", 5)
