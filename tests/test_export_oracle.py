"""What onnx and onnxruntime make of exported models: valid, and the same answers."""

import io
import itertools
import json

import numpy as np
import onnx
import onnxruntime
import pytest
from PIL import Image

from pagetrain import Personalizer, export, onnxformat, preprocess
from pagetrain import picture as pictures
from pagetrain.errors import NotLoadedError
from pagetrain.exported import ExportedModel
from pagetrain.manifest import REQUIRED_FILES
from pagetrain.picture_input import with_picture_input
from tests import make_tiny_artifacts
from tests import test_picture_input as picture_inputs
from tests.tiny import FOLDER, picture, trained

pytestmark = pytest.mark.oracle

LABELS = ["猫 🐈", "<img src=x onerror=alert(1)>", '"quoted" \\ and \n line', "x" * 100]
COLOURS = ["red", "green", "blue", "sand"]


def session_of(data):
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


def test_tiny_artifacts_are_what_the_tool_makes(tmp_path):
    """The committed files, byte for byte."""
    make_tiny_artifacts.main(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / path.name).read_bytes(), path.name


@pytest.fixture(scope="module")
def job():
    """Four classes with awkward names."""
    made = Personalizer.load(FOLDER)
    made.set_classes(LABELS)
    for label, colour in zip(LABELS, COLOURS, strict=True):
        for number in range(6):
            made.add(picture(colour, number), label)
    list(made.fit())
    return made


def test_exported_model_is_valid_and_answers_the_same(job):
    """onnx.checker with full_check; onnxruntime gives predict's probabilities within 1e-4, and its logits' softmax."""
    data = job.export()
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    assert {opset.domain for opset in model.opset_import} == {""}
    session = session_of(data)
    assert [(value.name, value.type) for value in session.get_inputs()] == [("input", "tensor(float)")]
    assert [value.name for value in session.get_outputs()] == ["logits", "probabilities"]
    for colour in COLOURS:
        for number in range(50, 60):
            file = picture(colour, number)
            tensor = preprocess.apply(job.manifest.steps, pictures.decode(file))
            (probabilities,) = session.run(["probabilities"], {"input": tensor})
            expected = {answer.label: answer.probability for answer in job.predict(file)}
            # float32 through another order of sums; the project's promise is 1e-4.
            assert np.abs(probabilities[0] - [expected[label] for label in LABELS]).max() < 1e-4


def test_a_model_with_preprocessing_inside_is_valid_and_answers_the_same(job):
    """onnx.checker with full_check, default domain only; given the upright picture as uint8, onnxruntime gives predict's probabilities."""
    data = job.export(picture_input=True)
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    assert {opset.domain for opset in model.opset_import} == {""}
    session = session_of(data)
    assert [(value.name, value.type, value.shape) for value in session.get_inputs()] == [("image", "tensor(uint8)", ["height", "width", 3])]
    assert [value.name for value in session.get_outputs()] == ["logits", "probabilities"]
    for colour, number in itertools.product(COLOURS, range(50, 60)):
        image = Image.open(io.BytesIO(picture(colour, number))).resize((97 + number, 260 - number))
        stream = io.BytesIO()
        image.save(stream, "PNG")
        (probabilities,) = session.run(["probabilities"], {"image": np.asarray(image)})
        expected = {answer.label: answer.probability for answer in job.predict(stream.getvalue())}
        # One gray level at a pixel in ten thousand (test_picture_input.py): of these 16 x 16 x 3 values none or one.
        assert np.abs(probabilities[0] - [expected[label] for label in LABELS]).max() < 5e-3


@pytest.mark.parametrize("size", [(224, 224), (320, 240), (57, 91), (1601, 1203)])
def test_preprocessing_inside_is_the_same_in_onnxruntime(size):
    """Its ops mean to onnxruntime what they mean to us: Pillow's pixels, one level apart at most, and that seldom."""
    image = picture_inputs.noise(*size)
    for resample, order in (("bicubic", "NCHW"), ("bilinear", "NHWC")):
        steps = picture_inputs.description(resample, order)
        model = with_picture_input(picture_inputs.identity(shape=("N", None, None, None)), steps, "input")
        (found,) = session_of(onnxformat.dump(model)).run(None, {"image": np.asarray(image)})
        apart = np.abs(found - preprocess.apply(steps, image))
        assert apart.max() <= 1
        assert (apart > 0).mean() < 5e-3  # as in test_picture_input.py


def test_the_receipt_is_read_by_onnxruntime(job):
    """Behind the file it is one more property; the model is what it was."""
    data = job.export()
    entry, _ = ExportedModel(data).receipt({"pictures": 24})
    session = session_of(data + entry)
    metadata = session.get_modelmeta().custom_metadata_map
    assert json.loads(metadata.pop("pagetrain.receipt"))["pictures"] == 24
    assert metadata == session_of(data).get_modelmeta().custom_metadata_map


def test_exported_model_takes_batches(job):
    """N is free."""
    tensors = np.concatenate([preprocess.apply(job.manifest.steps, pictures.decode(picture("red", number))) for number in range(3)])
    assert session_of(job.export()).run(["probabilities"], {"input": tensors})[0].shape == (3, 4)


def test_metadata_says_labels_and_preprocessing(job):
    """As onnxruntime reads it: labels as they were given, and a description from which the tensor can be made again."""
    metadata = session_of(job.export()).get_modelmeta().custom_metadata_map
    assert json.loads(metadata["pagetrain.labels"]) == LABELS
    assert metadata["pagetrain.version"] == "1"
    assert metadata["pagetrain.fingerprint"] == job.manifest.fingerprint
    assert (metadata["pagetrain.base"], metadata["pagetrain.license"]) == ("tiny", "CC0-1.0")
    steps = preprocess.steps_of(json.loads(metadata["pagetrain.preprocessing"]))
    image = pictures.decode(picture("red", 1))
    assert np.array_equal(preprocess.apply(steps, image), preprocess.apply(job.manifest.steps, image))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8, np.int64, np.float64, np.bool_])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (300,), (2, 3, 4)])
def test_initializers_come_back_as_they_were(dtype, shape):
    """onnx reads name, dtype, shape and values of what export frames; 300 makes lengths of two bytes."""
    array = np.random.default_rng(2).integers(0, 2, shape).astype(dtype)
    graph = onnx.load_from_string(b"".join(export.initializer(np.asarray(array), "naïve/名"))).graph
    (tensor,) = graph.initializer
    assert tensor.name == "naïve/名"
    found = onnx.numpy_helper.to_array(tensor)
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


def test_long_labels_and_metadata_survive():
    """300 characters beyond the BMP in a metadata value come back whole."""
    text = json.dumps(["🦊" * 300, "</script>"], ensure_ascii=False)
    model = onnx.load_from_string(export.metadata({"pagetrain.labels": text}))
    assert {entry.key: entry.value for entry in model.metadata_props} == {"pagetrain.labels": text}


def test_a_removed_class_is_gone_from_the_export():
    """The head has the rows of the classes that are left."""
    made = trained()
    made.remove_class("green")
    session = session_of(made.export())
    assert session.run(["logits"], {"input": np.zeros((1, 3, 16, 16), np.float32)})[0].shape == (1, 2)
    assert json.loads(session.get_modelmeta().custom_metadata_map["pagetrain.labels"]) == ["red", "blue"]


def test_deeper_layers_train_and_leave_too(tmp_path):
    """With the second convolution trainable the features are what it reads; it changes, and the export has its new values."""
    make_tiny_artifacts.main(tmp_path, deeper=("conv2.weight", "conv2.bias"))
    made = Personalizer.load(tmp_path)
    made.set_classes(["red", "blue"])
    assert made.feature_bytes == 4 * 8 * 8 * 8
    for label in made.labels:
        for number in range(6):
            made.add(picture(label, number), label)
    before = made._state.parameters["conv2.weight"].data.copy()
    list(made.fit(epochs=20, learning_rate=0.01))
    assert np.abs(made._state.parameters["conv2.weight"].data - before).max() > 1e-3
    session = session_of(made.export())
    for label in made.labels:
        file = picture(label, 60)
        (found,) = session.run(["probabilities"], {"input": preprocess.apply(made.manifest.steps, pictures.decode(file))})
        expected = {answer.label: answer.probability for answer in made.predict(file)}
        assert expected[label] > 0.5
        # float32 through other kernels; the project's promise is 1e-4.
        assert np.abs(found[0] - [expected["red"], expected["blue"]]).max() < 1e-4


def test_trained_layers_are_not_overwritten_by_parameters_that_come_later(tmp_path):
    """What is trained and stands in parameters.bin is asked for at once; values that a head brought before stay as they are."""
    make_tiny_artifacts.main(tmp_path, deeper=("conv2.weight", "conv2.bias"))
    whole = Personalizer.load(tmp_path)
    whole.set_classes(["red", "blue"])
    for label, number in itertools.product(whole.labels, range(3)):
        whole.add(picture(label, number), label)
    list(whole.fit(epochs=3))
    files = {key: (tmp_path / whole.manifest.files[key].path).read_bytes() for key in REQUIRED_FILES}
    late = Personalizer(whole.manifest, files)
    late.set_classes(["red", "blue"])
    for act in (late.fit, late.head_state, late.export_parts):
        with pytest.raises(NotLoadedError):
            act()
    late.load_checkpoint(whole.head_state())
    assert late.head_state() == whole.head_state()
    assert late.feed_parameters(files["parameters"])
    assert late.save_checkpoint() == whole.save_checkpoint()
