"""Preprocessing does what the manifest's steps say, to the bit, and refuses steps that it does not know."""

import copy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features

from pagetrain import picture, preprocess
from pagetrain.errors import FormatError

DATA = Path(__file__).parent / "data"
DESCRIPTION = {
    "version": 1,
    "steps": [
        {"op": "exif-transpose"},
        {"op": "to-rgb", "background": [255, 255, 255]},
        {"op": "resize-shortest", "size": 256, "resample": "bicubic"},
        {"op": "center-crop", "width": 224, "height": 224},
        {"op": "normalize", "mean": [127, 127, 127], "std": [128, 128, 128]},
        {"op": "layout", "order": "NCHW"},
    ],
}
STEPS = preprocess.steps_of(DESCRIPTION)


@pytest.mark.skipif(not features.check_feature("libjpeg_turbo"), reason="other JPEG decoders give other pixels; the page hands them in")
def test_pixels_are_those_of_the_reference():
    """Three photos end in exactly the pixels that the backbone's reference numbers were made with."""
    with np.load(DATA / "backbone" / "efficientnet_lite0_trash.npz") as reference:
        files, expected = reference["files"], reference["pixels"]
    for name, pixels in zip(files, expected, strict=True):
        image = picture.decode((DATA / str(name)).read_bytes())
        assert np.array_equal(preprocess.pixels(STEPS, image), pixels), name


def test_tensor_is_the_normalised_crop():
    """(x - 127) / 128 in float32, channels first, a batch of one."""
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8))
    pixels = preprocess.pixels(STEPS, image)
    tensor = preprocess.apply(STEPS, image)
    assert tensor.shape == (1, 3, 224, 224)
    assert tensor.dtype == np.float32
    assert tensor.flags.c_contiguous
    # Both are single float32 roundings of the same exact quotient: 128 is a power of two.
    assert np.array_equal(tensor[0].transpose(1, 2, 0), (pixels.astype(np.float64) - 127) / 128)


def test_other_layout_keeps_channels_last():
    """NHWC is the same numbers in another order."""
    steps = preprocess.steps_of({**DESCRIPTION, "steps": [*DESCRIPTION["steps"][:-1], {"op": "layout", "order": "NHWC"}]})
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8))
    assert np.array_equal(preprocess.apply(steps, image), preprocess.apply(STEPS, image).transpose(0, 2, 3, 1))


@pytest.mark.parametrize("size", [(1, 1), (1, 60), (60, 1), (223, 224), (256, 256), (257, 300), (1001, 777), (320, 213)])
def test_any_size_gives_the_same_shape(size):
    """Short side to 256, the other to round(side * 256 / short) but at least the crop: the crop never reaches outside."""
    image = Image.new("RGB", size, (10, 20, 30))
    assert (preprocess.pixels(STEPS, image) == (10, 20, 30)).all()


def test_resize_rounds_as_python_does():
    """128 x 213 -> 256 x 426 and 200 x 201 -> 256 x 257: 257.28 goes down, exact halves to even."""
    sizes = {(128, 213): (256, 426), (200, 201): (256, 257), (1024, 1026): (256, 256), (1024, 1030): (256, 258)}
    for before, after in sizes.items():
        crop = {"op": "center-crop", "width": 1, "height": 1}
        whole = preprocess._OPS["resize-shortest"](Image.new("RGB", before), STEPS[2], [STEPS[2], crop])
        assert whole.size == after


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "PA", "RGBA", "CMYK", "YCbCr", "HSV", "I;16", "RGBX"])
def test_every_mode_becomes_rgb(mode):
    """No mode that Pillow hands out for the formats we allow is refused or keeps its alpha."""
    image = Image.new(mode, (8, 8)) if mode != "PA" else Image.new("P", (8, 8)).convert("PA")
    assert preprocess.pixels(STEPS[:2], image).shape == (8, 8, 3)


def test_sixteen_bit_gray_keeps_its_upper_bits():
    """Pillow's own conversion would clip nearly everything to white."""
    image = Image.fromarray(np.array([[0, 255, 256, 0x8000, 0xFFFF]], np.uint16))
    assert preprocess.pixels(STEPS[:2], image)[0, :, 0].tolist() == [0, 0, 1, 0x80, 0xFF]


def test_transparency_shows_the_background():
    """Fully transparent is the background, opaque is itself, half is in the middle (one level of rounding)."""
    image = Image.fromarray(np.array([[[0, 0, 0, 0], [10, 20, 30, 255], [0, 0, 0, 128]]], np.uint8))
    found = preprocess.pixels([{"op": "to-rgb", "background": [200, 100, 0]}], image)[0].astype(int)
    assert found[:2].tolist() == [[200, 100, 0], [10, 20, 30]]
    assert np.abs(found[2] - [100, 50, 0]).max() <= 1


def changed(change):
    description = copy.deepcopy(DESCRIPTION)
    change(description)
    return description


HOSTILE = {
    "a newer version": lambda d: d.update(version=2),
    "no version": lambda d: d.pop("version"),
    "no steps": lambda d: d.pop("steps"),
    "steps that are no list": lambda d: d.update(steps={"op": "to-rgb"}),
    "a step that is no object": lambda d: d["steps"].insert(0, 7),
    "an unknown op": lambda d: d["steps"].insert(0, {"op": "sharpen"}),
    "an op without name": lambda d: d["steps"].insert(0, {}),
    "an op that is a list": lambda d: d["steps"].insert(0, {"op": []}),
    "an op twice": lambda d: d["steps"].insert(1, {"op": "exif-transpose"}),
    "a missing op": lambda d: d["steps"].pop(1),
    "another order": lambda d: d["steps"].reverse(),
    "a crop larger than the picture": lambda d: d["steps"][3].update(width=300),
    "a crop of nothing": lambda d: d["steps"][3].update(height=0),
    "an absurd size": lambda d: d["steps"][2].update(size=10**9),
    "a size that is a text": lambda d: d["steps"][2].update(size="256"),
    "a size that is true": lambda d: d["steps"][2].update(size=True),
    "an unknown filter": lambda d: d["steps"][2].update(resample="sinc"),
    "a filter that is a list": lambda d: d["steps"][2].update(resample=[]),
    "division by zero": lambda d: d["steps"][4].update(std=[1, 0, 1]),
    "too few means": lambda d: d["steps"][4].update(mean=[1, 2]),
    "a mean that is not finite": lambda d: d["steps"][4].update(mean=[1, 2, float("nan")]),
    "a background that is no colour": lambda d: d["steps"][1].update(background=[0, 0, 256]),
    "an unknown layout": lambda d: d["steps"][5].update(order="CHWN"),
}


def test_a_wrong_argument_is_told_what_is_right():
    """With its step, its name, and what was found."""
    description = copy.deepcopy(DESCRIPTION)
    description["steps"][4].update(std=[0.5])
    with pytest.raises(FormatError, match=r"step 4 \(normalize\): std is \[0.5\], expected three numbers above 0"):
        preprocess.steps_of(description)


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE.keys())
def test_steps_that_make_no_sense_are_refused(change):
    """One FormatError, before any picture is touched."""
    with pytest.raises(FormatError):
        preprocess.steps_of(changed(change))


def test_exif_transpose_may_be_left_out():
    """Some models are fed without it; the rest is the same."""
    assert len(preprocess.steps_of(changed(lambda d: d["steps"].pop(0)))) == 5
