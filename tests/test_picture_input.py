"""Preprocessing inside the model against Pillow's own: pixel for pixel before normalisation, and as a whole."""

import io

import numpy as np
import pytest
from PIL import Image

from pagetrain import InferenceSession, onnxformat, preprocess
from pagetrain.errors import InvalidInputError
from pagetrain.graph import ElementType, Graph, Model, Node, TensorType, ValueInfo
from pagetrain.picture_input import with_picture_input

SIZES = [(224, 224), (256, 256), (320, 240), (240, 320), (57, 91), (1, 60), (64, 1), (1000, 37), (1601, 1203), (256, 257), (300, 511)]


def description(resample="bicubic", order="NCHW", width=224, height=224, size=256):
    """Checked steps whose normalisation is taken back without loss: mean 0, std 1."""
    return preprocess.steps_of(
        {
            "version": 1,
            "steps": [
                {"op": "exif-transpose"},
                {"op": "to-rgb", "background": [255, 255, 255]},
                {"op": "resize-shortest", "size": size, "resample": resample},
                {"op": "center-crop", "width": width, "height": height},
                {"op": "normalize", "mean": [0, 0, 0], "std": [1, 1, 1]},
                {"op": "layout", "order": order},
            ],
        }
    )


def identity(opset=17, shape=("N", 3, 224, 224)):
    """A model whose output is its input."""
    tensor = TensorType(ElementType.FLOAT, shape)
    nodes = (Node("Identity", ("input",), ("output",), since_version=opset),)
    graph = Graph("same", nodes, (ValueInfo("input", tensor),), (ValueInfo("output", tensor),))
    return Model(graph, 8, {"": opset})


def in_model(steps, image, opset=17):
    model = with_picture_input(identity(opset, ("N", None, None, None)), steps, "input")
    (output,) = InferenceSession(onnxformat.dump(model)).run(None, {"image": np.asarray(image)})
    return output


def noise(width, height):
    """The hardest picture: every pixel on its own."""
    return Image.fromarray(np.random.default_rng([width, height]).integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("resample", ["bicubic", "bilinear"])
def test_pixels_are_pillows(size, resample):
    """One level apart at most, and that for few: where a sum is nearly a half, Pillow's 22 bits and our float32 may fall on its two sides.

    Of noise, measured: bicubic 0.013 % at most; bilinear 0.17 %, where the scale is a fraction such as 320 to 341 and many sums are halves.
    """
    steps = description(resample)
    found, expected = in_model(steps, image := noise(*size)), preprocess.apply(steps, image)
    assert found.shape == expected.shape == (1, 3, 224, 224)
    assert found.dtype == np.float32
    apart = np.abs(found - expected)
    assert apart.max() <= 1
    assert (apart > 0).mean() < 5e-3


def test_channels_last_and_a_crop_that_is_no_square():
    """The layout and both sides of the crop are the manifest's."""
    steps = description(order="NHWC", width=48, height=20, size=50)
    found, expected = in_model(steps, image := noise(333, 120)), preprocess.apply(steps, image)
    assert found.shape == expected.shape == (1, 20, 48, 3)
    assert np.abs(found - expected).max() <= 1


def test_a_side_that_falls_on_a_half_is_rounded_to_even():
    """As Python's round does: 3 * 1/2 = 1.5 is 2, 5 * 1/2 = 2.5 is 2."""
    steps = description(size=1, width=1, height=1)
    for width in (3, 5, 7):
        found = in_model(steps, image := noise(width, 2))
        assert np.abs(found - preprocess.apply(steps, image)).max() <= 1, width


@pytest.mark.parametrize("opset", [13, 18, 21])
def test_every_opset_from_13(opset):
    """The nodes mean the same in each."""
    steps = description()
    assert np.array_equal(in_model(steps, noise(300, 200), opset), in_model(steps, noise(300, 200)))


def test_constants_have_the_types_that_the_ops_take():
    """Axes and indices are int64 also where numpy's own whole numbers have 32 bits; all others are float32 or float64."""
    model = with_picture_input(identity(), description(), "input")
    assert {tensor.data.dtype.name for tensor in model.graph.initializers} == {"int64", "float32", "float64"}


def test_what_cannot_be_inside_is_refused():
    """An older opset, and a resampling that is not written as ops: both say what to do."""
    with pytest.raises(InvalidInputError, match="opset 12"):
        with_picture_input(identity(12), description(), "input")
    with pytest.raises(InvalidInputError, match="not lanczos"):
        with_picture_input(identity(), description("lanczos"), "input")


def test_names_of_the_model_do_not_matter():
    """A model whose own input, or an inner value, is called "image" works too."""
    steps = description()
    tensor = TensorType(ElementType.FLOAT, ("N", 3, 224, 224))
    nodes = (Node("Identity", ("image",), ("middle",), since_version=17), Node("Identity", ("middle",), ("output",), since_version=17))
    graph = Graph("same", nodes, (ValueInfo("image", tensor),), (ValueInfo("output", tensor),))
    picture = np.asarray(noise(300, 200))
    for own in ("image", "input"):
        renamed = graph if own == "image" else Graph("same", _with_inner_image(), (ValueInfo("input", tensor),), graph.outputs)
        model = with_picture_input(Model(renamed, 8, {"": 17}), steps, own)
        (output,) = InferenceSession(onnxformat.dump(model)).run(None, {"image": picture})
        assert np.array_equal(output, in_model(steps, noise(300, 200)))


def _with_inner_image():
    return (Node("Identity", ("input",), ("image",), since_version=17), Node("Identity", ("image",), ("output",), since_version=17))


def test_upright_is_turned_and_opaque_in_its_own_size():
    """EXIF orientation applied, transparency on the background: what the model with preprocessing inside is given."""
    stream = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    noise(30, 20).save(stream, "JPEG", exif=exif)
    assert preprocess.upright(description(), Image.open(stream)).shape == (30, 20, 3)
    clear = Image.new("RGBA", (4, 3), (0, 0, 0, 0))
    assert np.array_equal(preprocess.upright(description(), clear), np.full((3, 4, 3), 255, np.uint8))
